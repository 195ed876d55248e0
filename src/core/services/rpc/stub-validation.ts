import { isJsonObject } from '../../kernel/json.ts';
import type { Violation } from './events.ts';
import { collectProblems, preview, type Problems, type StubPlace } from './stub-problems.ts';
import { addBrokenStubRules } from './stub-rules.ts';
import { stubSchemaFor, type StubSchema } from './stub-schema.ts';
import { addBrokenRules } from './stub-violations.ts';
import type { StubDefinition } from './stub.ts';

/** How many stubs one payload may hold. */
export const stubsPerPayloadMax = 200_000;

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

/**
 * Parses a stub payload, one stub or a list of at least one, by the rules of the specification. Every broken rule is
 * listed, up to `violationsMax`, with a JSON pointer into the payload and a sentence such as
 * `stub "shop.v1.Orders/GetOrder": input.equals must be an object, got 7`.
 *
 * Beyond the shape (`schemas/stub.schema.json`): patterns and templates parse, ids differ, nothing nests deeper than
 * `stubDepthMax`. The definitions are the values of the payload, not copies.
 */
export function validateStubs(payload: unknown, options: StubValidationOptions): StubValidation {
  const problem = payloadProblem(payload);
  if (problem !== undefined) return { ok: false, violations: [{ pointer: '', message: problem }] };
  const schema = stubSchemaFor(options.compat.includes('gripmock'));
  const places = placesIn(payload);
  const problems = collectProblems();
  const warnings = collectProblems();
  for (const place of places) check(schema, place, problems, warnings);
  addRepeatedIds(places, problems);
  const violations = problems.listed();
  if (violations.length > 0) return { ok: false, violations };
  // The schema has just said that these are stubs.
  return {
    ok: true,
    definitions: places.map((place) => place.stub as StubDefinition),
    warnings: warnings.listed(),
  };
}

function payloadProblem(payload: unknown): string | undefined {
  if (isJsonObject(payload)) return undefined;
  if (!Array.isArray(payload)) return `expected a stub or a list of stubs, got ${preview(payload)}`;
  if (payload.length === 0) return 'expected at least 1 stub, got an empty list';
  if (payload.length <= stubsPerPayloadMax) return undefined;
  return `expected at most ${stubsPerPayloadMax} stubs in one payload, got ${payload.length}`;
}

function placesIn(payload: unknown): readonly StubPlace[] {
  if (!Array.isArray(payload)) return [{ stub: payload }];
  return payload.map((stub: unknown, index) => ({ stub, index }));
}

function check(schema: StubSchema, place: StubPlace, problems: Problems, warnings: Problems): void {
  // Listing every broken rule costs much more than finding that there is none.
  if (!schema.accepts(place.stub)) addBrokenRules(schema.brokenRules(place.stub), place, problems);
  addBrokenStubRules(place, problems, warnings);
}

function addRepeatedIds(places: readonly StubPlace[], problems: Problems): void {
  const first = new Map<string, StubPlace>();
  for (const place of places) {
    const id = isJsonObject(place.stub) ? place.stub['id'] : undefined;
    if (typeof id !== 'string') continue;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, place);
    else
      problems.add(
        place,
        ['id'],
        `id is already that of stub ${(earlier.index ?? 0) + 1} of the same payload`,
      );
  }
}
