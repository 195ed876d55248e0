import { createSimulator } from '../../core/simulator/create-simulator.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { createSystemClock } from '../../edges/clock/system-clock.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { CommandFailure } from '../command-failure.ts';
import { demoTries, withDemo } from './demo.ts';
import { changesFor, refusalsOf, takeIn, violationsOf, warningsOf } from './loading.ts';
import { refuseOpenAdministration } from './loopback.ts';
import { missNotes } from './misses.ts';
import type { ServeOptions } from './options.ts';
import { readyJson, tellReady } from './ready.ts';
import { startServers } from './servers.ts';
import { untilStopped } from './signals.ts';
import { readSources, type Sources } from './sources.ts';
import { openServedLog } from './served-log.ts';
import { violationLine } from './violations.ts';
import { watchStubs } from './watch.ts';

/** Serves until the process is told to stop. Everything that is wrong with the files is told at once, before it starts. */
export async function serve(asked: ServeOptions, terminal: Terminal): Promise<void> {
  const options = asked.demo === true ? withDemo(asked) : asked;
  refuseOpenAdministration(options.host, options.adminToken);
  const sources = await readSources(options);
  const log = openServedLog(options);
  const simulator = await createSimulator({ log, clock: createSystemClock(), schedule: setImmediate });
  try {
    await followOptions(simulator, options);
    await load(simulator, sources, options, terminal);
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
  const inputs = [
    ...sources.descriptors,
    ...changesFor(simulator.world(), options.stubs ?? [], sources.stubFiles),
  ];
  refuse(refusalsOf(simulator.world(), inputs).map(violationLine));
  const entries = await takeIn(simulator, inputs);
  refuse(entries.flatMap(violationsOf).map(violationLine));
  for (const warning of entries.flatMap(warningsOf)) {
    terminal.note(`${terminal.paintNote('yellow', 'warning')} ${violationLine(warning)}`);
  }
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandFailure(problems.join('\n'), { code: 'DT_STUB_INVALID' });
}

async function listenUntilStopped(
  simulator: Simulator,
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  const servers = await startServers(options, simulator);
  const stopWatching = options.watch === true ? watchStubs(simulator, options, terminal) : () => {};
  try {
    if (options.json === true) terminal.line(readyJson(servers));
    else {
      const { take } = options;
      const tries = options.demo === true ? demoTries(servers, take ?? '') : [];
      tellReady({ servers, world: simulator.world(), take, tries }, terminal);
      simulator.onCommitted(missNotes(terminal, take));
    }
    await untilStopped(() => {
      if (options.json !== true)
        terminal.note('stopping; what is under way may end. Once more to stop at once.');
    });
  } finally {
    stopWatching();
    await servers.stop();
  }
}
