import { utf8Text } from '../../core/kernel/bytes.ts';
import { canonicalJson } from '../../core/kernel/canonical-json.ts';
import { withDescriptors } from '../../core/services/rpc/descriptors.ts';
import type { DescriptorsLoaded, StubsLoaded, Violation } from '../../core/services/rpc/events.ts';
import { allStubs, stubsOfFile } from '../../core/services/rpc/stubs.ts';
import { stubsLoadedInput } from '../../core/services/rpc/stubs-loaded.ts';
import { decide } from '../../core/simulator/decide.ts';
import type { Input, LogEntry } from '../../core/simulator/events.ts';
import { reduce } from '../../core/simulator/reduce.ts';
import { submitted, type Simulator } from '../../core/simulator/simulator.ts';
import type { World } from '../../core/simulator/world.ts';
import type { StubFile } from '../../edges/files/stub-files.ts';
import type { Sources } from './sources.ts';

/** The input that a stub file is. Its stubs take the place of those that came from the file before. */
export function fileLoaded({ file, lines, definitions }: StubFile): StubsLoaded {
  return stubsLoadedInput({ definitions, lines, source: { from: 'file', file }, replacesFile: true });
}

/**
 * What brings the world up to the files: those that it does not hold just so, and away with what came from files below
 * `paths` that are gone. A file that is loaded already is left alone: loading it again would start its counts again.
 */
export function changesFor(
  world: World,
  paths: readonly string[],
  { descriptors, stubFiles: files }: Sources,
): readonly Input[] {
  const found = new Set(files.map(({ file }) => file));
  const known = new Set(Array.from(allStubs(world.rpc.stubs), ({ source }) => source.file));
  const gone = [...known].filter((file) => file !== undefined && !found.has(file) && isBelow(file, paths));
  return [
    ...descriptors.filter((input) => !isKnown(world, input)),
    ...gone.map((file): Input => ({ kind: 'StubsRemoved', ...(file === undefined ? {} : { file }) })),
    ...files.map(fileLoaded).filter((input) => !isLoaded(world, input)),
  ];
}

/** Taken in again, the set would change no file. */
function isKnown(world: World, { bytes }: DescriptorsLoaded): boolean {
  const loaded = withDescriptors(world.rpc.descriptors, bytes);
  return loaded.ok && loaded.files.length === 0;
}

function isBelow(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`));
}

function isLoaded(world: World, input: StubsLoaded): boolean {
  const known = stubsOfFile(world.rpc.stubs, input.source.file ?? '');
  if (known.length === 0) return false;
  return canonicalJson(Array.from(known, ({ definition }) => definition)) === utf8Text(input.bytes);
}

/** What the inputs would be refused for, one after the other, without taking any of them in. */
export function refusalsOf(world: World, inputs: readonly Input[]): readonly Violation[] {
  return rehearsed(world, inputs).flatMap(violationsOf);
}

/** The entries that the inputs would be, one after the other, in a world that is thrown away. */
export function rehearsed(world: World, inputs: readonly Input[]): readonly LogEntry[] {
  let next = world;
  return inputs.map((input) => {
    const entry: LogEntry = { seq: next.seq + 1, at: next.at, input, outcomes: decide(next, input, next.at) };
    next = reduce(next, entry);
    return entry;
  });
}

/** Takes all inputs in, in order, and resolves when they are durable. */
export async function takeIn(simulator: Simulator, inputs: readonly Input[]): Promise<readonly LogEntry[]> {
  return Promise.all(inputs.map((input) => submitted(simulator, input)));
}

/** Why an entry's stubs or descriptors were refused. */
export function violationsOf({ input, outcomes }: LogEntry): readonly Violation[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind === 'StubsRefused') return outcome.violations;
    if (outcome.kind !== 'DescriptorsRefused' || input.kind !== 'DescriptorsLoaded') return [];
    return outcome.violations.map((violation) => ({ file: input.source, ...violation }));
  });
}

/** What is allowed and yet hardly meant. */
export function warningsOf({ outcomes }: LogEntry): readonly Violation[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'StubsAccepted' ? outcome.warnings : []));
}
