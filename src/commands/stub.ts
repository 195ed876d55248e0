import type { Command } from 'commander';
import { repeated } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { withRunningOptions, type RunningOptions } from './running.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  defineLoad(command, terminal);
  defineList(command, terminal);
  defineRemove(command, terminal);
  defineValidate(command, terminal);
  command.addHelpText('after', '\nExample:\n  doubletake stub load stubs/greeter.yaml --session t-17');
}

type Terminal = CommandContext['terminal'];

interface SessionOptions extends RunningOptions {
  readonly session?: string;
}

function defineLoad(command: Command, terminal: Terminal): void {
  const load = command.command('load').description('load stub files into a running simulator');
  withRunningOptions(load)
    .argument('<path...>', 'stub files, or folders of them')
    .option('--session <name>', 'only calls of this session see them')
    .addHelpText('after', '\nExample:\n  doubletake stub load stubs/ --session t-17')
    .action(async (paths: readonly string[], options: SessionOptions) =>
      (await import('./stubs/load.ts')).loadStubs(paths, options, terminal),
    );
}

function defineList(command: Command, terminal: Terminal): void {
  const list = command.command('list').description('list the stubs of a running simulator');
  withRunningOptions(list)
    .option('--service <name>', 'only of this service')
    .option('--method <name>', 'only of this method')
    .option('--session <name>', 'what a caller of this session sees')
    .addHelpText('after', '\nExample:\n  doubletake stub list --service helloworld.Greeter')
    .action(async (options: SessionOptions & { readonly service?: string; readonly method?: string }) =>
      (await import('./stubs/list.ts')).listStubs(options, terminal),
    );
}

function defineRemove(command: Command, terminal: Terminal): void {
  const remove = command.command('remove').description('remove stubs from a running simulator');
  withRunningOptions(remove)
    .argument('[id...]', 'which stubs')
    .option('--all', 'all stubs, or with --session all of that session')
    .option('--session <name>', 'only stubs of this session')
    .addHelpText('after', '\nExample:\n  doubletake stub remove 6f9619ff-8b86-4011-b42d-00cf4fc964ff')
    .action(async (ids: readonly string[], options: SessionOptions & { readonly all?: boolean }) =>
      (await import('./stubs/remove.ts')).removeStubs(ids, options, terminal),
    );
}

function defineValidate(command: Command, terminal: Terminal): void {
  command
    .command('validate')
    .description('check stub files, without a server')
    .argument('<path...>', 'stub files, or folders of them')
    .option('--proto <path>', 'also hold the answers against their messages; may be repeated', repeated)
    .option(
      '--import-path <folder>',
      'where imports of .proto files are looked for; may be repeated',
      repeated,
    )
    .option('--compat <family>', 'also take what later stub files of the family hold (gripmock)')
    .option('--json', 'the problems as one line of JSON')
    .addHelpText('after', '\nExample:\n  doubletake stub validate stubs/ --proto protos/')
    .action(async (paths: readonly string[], options: ValidateOptions) => {
      (await import('./stubs/validate.ts')).validateStubFiles(paths, options, terminal);
    });
}

export interface ValidateOptions {
  readonly proto?: readonly string[];
  readonly importPath?: readonly string[];
  readonly compat?: 'gripmock';
  readonly json?: boolean;
}
