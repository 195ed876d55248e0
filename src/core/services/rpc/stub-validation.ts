import type { Violation } from './events.ts';
import type { StubDefinition } from './stub.ts';

export interface StubValidationOptions {
  /** Behaviour beyond the specification that was asked for. */
  readonly compat: readonly 'gripmock'[];
}

export type StubValidation =
  | {
      readonly ok: true;
      readonly definitions: readonly StubDefinition[];
      /** What is allowed and yet hardly meant. */
      readonly warnings: readonly Violation[];
    }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** Parses one stub or a list of stubs. */
export function validateStubs(payload: unknown, _options: StubValidationOptions): StubValidation {
  const definitions = (Array.isArray(payload) ? payload : [payload]) as StubDefinition[];
  return { ok: true, definitions, warnings: [] };
}
