import { createSimulator } from '../../core/simulator/create-simulator.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { createSystemClock } from '../../edges/clock/system-clock.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { demoTries, withDemo } from './demo.ts';
import { changesFor, takeIn, violationsOf, warningsOf } from './loading.ts';
import type { ServeOptions } from './options.ts';
import { readyJson, tellReady } from './ready.ts';
import { refuseOpenAdministration, startServers, type Servers } from './servers.ts';
import { untilStopped } from './signals.ts';
import { readSources, type Sources } from './sources.ts';
import { openServedLog } from './served-log.ts';
import { tellWarnings } from './tell-warnings.ts';
import { invalidStubs } from './violations.ts';
import { watchStubs } from './watch.ts';

/** Serves until the process is told to stop. Everything that is wrong with the files is told at once, before it starts. */
export async function serve(asked: ServeOptions, terminal: Terminal): Promise<void> {
  const options = asked.demo === true ? withDemo(asked) : asked;
  refuseOpenAdministration(options.host, options.adminToken);
  const sources = readSources(options);
  const { log, forget } = openServedLog(options);
  const simulator = await createSimulator({ log, clock: createSystemClock(), schedule: setImmediate });
  try {
    await followOptions(simulator, options);
    await load(simulator, sources, options, terminal);
  } catch (error) {
    await simulator.stop();
    forget();
    throw error;
  }
  try {
    await listenUntilStopped(simulator, options, terminal);
  } finally {
    await simulator.stop();
  }
}

/** A take keeps its clock's mode; the option changes it. */
async function followOptions(simulator: Simulator, { clock }: ServeOptions): Promise<void> {
  if (clock !== undefined && clock !== simulator.world().clockMode) await simulator.setClockMode(clock);
}

async function load(
  simulator: Simulator,
  sources: Sources,
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  const entries = await takeIn(simulator, changesFor(simulator.world(), options.stubs ?? [], sources));
  const refusals = entries.flatMap(violationsOf);
  if (refusals.length > 0) throw invalidStubs(refusals);
  tellWarnings(entries.flatMap(warningsOf), terminal);
}

async function listenUntilStopped(
  simulator: Simulator,
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  // Before anybody can know that it runs, and so want it to stop.
  const stopped = untilStopped(() =>
    terminal.note('stopping; what is under way may end. Once more to stop at once.'),
  );
  const servers = await startServers(options, simulator);
  const stopWatching = options.watch === true ? watchStubs(simulator, options, terminal) : () => {};
  const stopTelling = await tell(simulator, servers, options, terminal);
  try {
    await stopped;
  } finally {
    stopTelling();
    stopWatching();
    await servers.stop();
  }
}

/** Programs are told where it listens; people also what they can do, and later what nothing answered. */
async function tell(
  simulator: Simulator,
  servers: Servers,
  { json, demo, take }: ServeOptions,
  terminal: Terminal,
): Promise<() => void> {
  if (json === true) {
    terminal.line(readyJson(servers));
    return () => {};
  }
  const { tellMisses } = await import('./misses.ts');
  const tries = demo === true ? demoTries(servers, take ?? '') : [];
  tellReady({ servers, world: simulator.world(), take, tries }, terminal);
  return tellMisses(simulator, take, terminal);
}
