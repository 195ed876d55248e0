import stubSchema from '../../../../schemas/stub.schema.json' with { type: 'json' };
import { compileStubCheck, makeStubAjv } from './stub-schema-validator.ts';

/**
 * Makes the check whether one stub keeps every rule of the schema. It takes some 60 ms, so the build puts the code that
 * comes of it in place of this module (`rolldown.config.ts`).
 */
export function stubSchemaCheck(): (stub: unknown) => boolean {
  return compileStubCheck(makeStubAjv(false), stubSchema);
}
