import { Argument, type Command } from 'commander';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { duration, moment } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { runningClient, withRunningOptions, type RunningOptions } from './running.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withRunningOptions(
    command.command('advance').description('move a virtual clock on, through all that is due'),
  )
    .argument('<duration>', 'such as 100ms, 2.5s or 1m30s', checked(duration))
    .addHelpText('after', '\nExample:\n  doubletake clock advance 5m')
    .action((advance: string, options: RunningOptions) => ask({ advance }, options, terminal));
  for (const [name, key] of [
    ['set', 'set'],
    ['run-to', 'runTo'],
  ] as const) {
    withRunningOptions(
      command.command(name).description('move a virtual clock to a moment, through all that is due'),
    )
      .argument('<moment>', 'such as 2026-03-10T09:00:00Z', checked(moment))
      .addHelpText('after', `\nExample:\n  doubletake clock ${name} 2026-03-10T09:00:00Z`)
      .action((at: string, options: RunningOptions) => ask({ [key]: at }, options, terminal));
  }
  withRunningOptions(command.command('freeze').description('let the clock stand still until it is moved'))
    .addHelpText('after', '\nExample:\n  doubletake clock freeze')
    .action((options: RunningOptions) => ask({ freeze: true }, options, terminal));
  withRunningOptions(command.command('follow').description('follow the wall clock, or jump to what is due'))
    .addArgument(new Argument('<mode>', 'what to follow').choices(['system', 'auto']))
    .addHelpText('after', '\nExample:\n  doubletake clock follow system')
    .action((mode: string, options: RunningOptions) => ask({ mode }, options, terminal));
  command.addHelpText('after', '\nExample:\n  doubletake clock freeze && doubletake clock advance 5m');
}

interface ClockAnswer {
  readonly mode: string;
  readonly time: string;
}

async function ask(change: object, options: RunningOptions, terminal: Terminal): Promise<void> {
  const answer = await runningClient(options).request<ClockAnswer>('POST', '/api/clock', change);
  terminal.line(options.json === true ? JSON.stringify(answer) : `${answer.time} (${answer.mode})`);
}

/** Refuses here what the server would refuse, and passes the text on as it is. */
function checked(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    parse(text);
    return text;
  };
}
