import { canonicalJson } from '../../kernel/canonical-json.ts';
import { strictUtf8Text, utf8 } from '../../kernel/bytes.ts';
import type { Entry } from '../../kernel/entry.ts';
import type { Randomness } from '../../kernel/randomness.ts';
import { methodsFor, withDescriptors } from './descriptors.ts';
import type {
  DescriptorsLoaded,
  EffectApplied,
  RpcInput,
  RpcOutcome,
  StubsAccepted,
  StubsLoaded,
  StubsRemoved,
  Violation,
} from './events.ts';
import { outputViolations } from './output.ts';
import type { RpcState } from './state.ts';
import { maskStubCredentials } from './stub-credentials.ts';
import { violationsMax } from './stub-problems.ts';
import { validateStubs, type StubValidation } from './stub-validation.ts';
import type { Stub, StubDefinition } from './stub.ts';
import { addStubs, allStubs, getStub, reindexStubs, removeStubs, stubsOfFile, type Stubs } from './stubs.ts';

/** Warnings of one load that are kept. */
export const warningsMax = 100;

// What is loaded into the world: descriptors and stubs. Deciding and reducing do the same work on the same values, so
// the first to come leaves its result for the other; the results are pure functions of their keys.

const descriptorResults = new WeakMap<
  Uint8Array,
  { before: RpcState; result: ReturnType<typeof withDescriptors> }
>();
const stubResults = new WeakMap<StubsLoaded, { before: Stubs; after: Stubs }>();

/** Takes descriptors in, or says what is wrong with them. */
export function decideDescriptorsLoaded(state: RpcState, input: DescriptorsLoaded): readonly RpcOutcome[] {
  const result = descriptorResult(state, input.bytes);
  if (!result.ok) return [{ kind: 'DescriptorsRefused', violations: result.violations }];
  return [{ kind: 'DescriptorsAccepted', files: result.files, services: result.services }];
}

/** The state with the descriptors of an accepted input. */
export function acceptedDescriptors(state: RpcState, input: RpcInput): RpcState {
  if (input.kind !== 'DescriptorsLoaded') return state;
  const result = descriptorResult(state, input.bytes);
  if (!result.ok) return state;
  const { descriptors } = result;
  return { ...state, descriptors, stubs: reindexStubs(state.stubs, descriptors, result.services) };
}

function descriptorResult(state: RpcState, bytes: Uint8Array): ReturnType<typeof withDescriptors> {
  const known = descriptorResults.get(bytes);
  if (known?.before.descriptors === state.descriptors) return known.result;
  const result = withDescriptors(state.descriptors, bytes);
  descriptorResults.set(bytes, { before: state, result });
  return result;
}

/** Takes all stubs of the input in, or none and says what is wrong with them. */
export function decideStubsLoaded(
  state: RpcState,
  input: StubsLoaded,
  randomness: Randomness,
): readonly RpcOutcome[] {
  const read = readDefinitions(state, input);
  if (!read.ok) return [{ kind: 'StubsRefused', violations: located(read.violations, input) }];
  const ids = read.definitions.map((definition) => definition.id ?? randomness.uuid());
  const stubs = makeStubs(state.stubs, input, read.definitions, ids);
  const violations = stubs.flatMap((stub, index) => misfits(state, stub, `/${index}`));
  if (violations.length > 0) {
    return [{ kind: 'StubsRefused', violations: located(violations.slice(0, violationsMax), input) }];
  }
  const kept = new Set(ids);
  const dropped = input.replacesFile ? droppedWith(state.stubs, input.source.file, kept) : [];
  const { stubs: after, warnings } = addStubs(removeStubs(state.stubs, dropped), stubs, state.descriptors);
  stubResults.set(input, { before: state.stubs, after });
  const told = [...read.warnings, ...warnings].slice(0, warningsMax);
  return [{ kind: 'StubsAccepted', ids, dropped, warnings: located(told, input) }];
}

/** The stubs of the world with those of an accepted input. */
export function acceptedStubs(
  state: RpcState,
  entry: Entry<RpcInput, RpcOutcome>,
  outcome: StubsAccepted,
): Stubs {
  const { input } = entry;
  if (input.kind !== 'StubsLoaded') return state.stubs;
  const known = stubResults.get(input);
  if (known?.before === state.stubs) return known.after;
  const definitions = JSON.parse(strictUtf8Text(input.bytes)) as readonly StubDefinition[];
  const remaining = removeStubs(state.stubs, outcome.dropped);
  return addStubs(remaining, makeStubs(state.stubs, input, definitions, outcome.ids), state.descriptors)
    .stubs;
}

function readDefinitions(state: RpcState, input: StubsLoaded): StubValidation {
  let payload: unknown;
  try {
    payload = JSON.parse(strictUtf8Text(input.bytes));
  } catch (error) {
    return { ok: false, violations: [{ pointer: '', message: `expected JSON: ${String(error)}` }] };
  }
  return validateStubs(payload, { compat: state.gripmock ? ['gripmock'] : [] });
}

function makeStubs(
  before: Stubs,
  input: StubsLoaded,
  definitions: readonly StubDefinition[],
  ids: readonly string[],
): readonly Stub[] {
  let order = before.nextOrder;
  return definitions.map((definition, index) => {
    const id = ids[index] ?? '';
    const place = getStub(before, id)?.order ?? order++;
    const line = input.lines?.[index];
    return {
      id,
      session: definition.session ?? input.session,
      order: place,
      source: line === undefined ? input.source : { ...input.source, line },
      definition,
    };
  });
}

/** What of a stub's output does not fit the messages of its methods, as far as their descriptors are known. */
function misfits(state: RpcState, stub: Stub, pointer: string): readonly Violation[] {
  const { service, method } = stub.definition;
  return methodsFor(state.descriptors, service, method).flatMap((desc) =>
    outputViolations(stub, desc, state).map((violation) => ({
      ...violation,
      pointer: pointer + violation.pointer,
    })),
  );
}

function droppedWith(stubs: Stubs, file: string | undefined, kept: ReadonlySet<string>): readonly string[] {
  if (file === undefined) return [];
  return Array.from(stubsOfFile(stubs, file), (stub) => stub.id).filter((id) => !kept.has(id));
}

/** Where a violation stands, for people: the file, and the line on which its stub begins. */
function located(violations: readonly Violation[], input: StubsLoaded): readonly Violation[] {
  const { file } = input.source;
  if (file === undefined) return violations;
  return violations.map((violation) => {
    const index = /^\/(\d+)/.exec(violation.pointer)?.[1];
    const line = violation.line ?? (index === undefined ? undefined : input.lines?.[Number(index)]);
    return { file, ...(line === undefined ? {} : { line }), ...violation };
  });
}

/** Names the stubs that the input asks to remove and that are there. */
export function decideStubsRemoved(state: RpcState, input: StubsRemoved): readonly RpcOutcome[] {
  const chosen =
    input.ids === undefined
      ? Array.from(allStubs(state.stubs))
      : input.ids.flatMap((id) => getStub(state.stubs, id) ?? []);
  const ids = chosen
    .filter((stub) => input.session === undefined || stub.session === input.session)
    .filter((stub) => input.file === undefined || stub.source.file === input.file)
    .map((stub) => stub.id);
  return [{ kind: 'StubsDropped', ids }];
}

/** The bytes of an `EffectApplied` that upserts. */
export function upsertBytes(definition: StubDefinition, session: string, by: string): Uint8Array {
  return utf8(canonicalJson({ definition: maskStubCredentials(definition), session, by }));
}

/** The stub that an effect made. */
export function upsertedStub(state: RpcState, outcome: EffectApplied): Stub {
  const { definition, session, by } = JSON.parse(strictUtf8Text(outcome.bytes ?? utf8('{}'))) as {
    readonly definition: StubDefinition;
    readonly session: string;
    readonly by: string;
  };
  const order = getStub(state.stubs, outcome.stub)?.order ?? state.stubs.nextOrder;
  return { id: outcome.stub, session, order, source: { from: 'effect', by }, definition };
}
