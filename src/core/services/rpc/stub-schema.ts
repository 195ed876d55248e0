import stubSchema from '../../../../schemas/stub.schema.json' with { type: 'json' };
export const s: unknown = stubSchema;
