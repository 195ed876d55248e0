import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Terminal } from '../edges/terminal/terminal.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';

/** What a command's file exports: it puts its arguments, options, examples and action on `command`. */
export interface CommandFile {
  define(command: Command, context: CommandContext): void;
}

export interface CommandContext {
  readonly terminal: Terminal;
  /** The command ends with this code; without it, with 0. */
  readonly end: (code: ExitCode) => void;
}

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<CommandFile>;
}

/** All commands. Only the file of the one that is asked for is loaded: that is most of the start. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'stand in for gRPC services that stub files describe',
    load: () => import('./serve.ts'),
  },
  check: {
    summary: 'decide every input of a take again and compare the outcomes',
    load: () => import('./check.ts'),
  },
  log: { summary: 'list the entries of a take', load: () => import('./log.ts') },
  show: { summary: 'show one entry, decoded', load: () => import('./show.ts') },
  state: { summary: 'show the world, or a part of it, at a moment', load: () => import('./state.ts') },
  explain: {
    summary: 'say why a call got its answer, or none',
    load: () => import('./explain.ts'),
  },
  stub: { summary: 'load, list, remove or validate stubs', load: () => import('./stub.ts') },
  clock: { summary: 'move the clock of a running simulator', load: () => import('./clock.ts') },
  export: { summary: 'write a take in another format', load: () => import('./export.ts') },
};

/** Runs the command that `args` name. Never rejects: what goes wrong is told, and is the exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const program = emptyProgram(terminal);
  const context: CommandContext = { terminal, end: (ending) => (code = ending) };
  try {
    await addCommands(program, context, asksFor(args));
    if (args.length === 0) program.help();
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return reportFailure(error, terminal);
  }
}

function emptyProgram(terminal: Terminal): Command {
  return new Command('doubletake')
    .description(
      'Stands in for the services that your code talks to, and keeps everything that happens in one log.',
    )
    .version(packageJson.version, '-V, --version')
    .configureOutput({
      writeOut: (text) => terminal.line(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(terminal.paintNote('red', text)),
    })
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showHelpAfterError('See --help for what there is, with an example.')
    .addHelpText('after', programHelp)
    .exitOverride();
}

const programHelp = `
Examples:
  doubletake serve --proto protos --stubs stubs --take run.take
  doubletake log run.take --misses
  doubletake explain run.take 118

Each command has its own --help, with an example.`;

/** The command that will run: the first word that is not an option, also after \`help\`. */
function asksFor(args: readonly string[]): string | undefined {
  return args.find((word) => !word.startsWith('-') && word !== 'help');
}

/** All commands by name and summary, so that help and suggestions know them; the one that is asked for, whole. */
export async function addCommands(program: Command, context: CommandContext, wanted?: string): Promise<void> {
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program.command(name).description(summary).summary(summary);
    if (name === wanted) (await load()).define(command, context);
  }
}
