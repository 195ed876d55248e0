import { Option, type Command } from 'commander';
import { duration, moment, portNumber, repeated } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import type { ServeOptions } from './serving/options.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  command
    .option(
      '--proto <path>',
      'a .proto file, a folder of them, or a descriptor set; may be repeated',
      repeated,
    )
    .option(
      '--import-path <folder>',
      'where imports of .proto files are looked for; may be repeated',
      repeated,
    )
    .option('--stubs <path>', 'a stub file or a folder of them; may be repeated', repeated)
    .option('--take <file>', 'keep the log in this file, or go on with it; without it, in memory')
    .option('--accept-loss', 'go on with a take that has lost answered entries at its end')
    .addOption(
      new Option('--durability <what>', 'what an answered call survives: kill -9, or also a power cut')
        .choices(['process', 'power'])
        .default('process'),
    )
    .addOption(
      new Option(
        '--clock <mode>',
        'system follows the wall clock; virtual moves when told; auto jumps when idle',
      ).choices(['system', 'virtual', 'auto']),
    )
    .option('--start-at <moment>', 'where a virtual clock starts, such as 2026-03-10T09:00:00Z', moment)
    .option('--seed <text>', 'where ids and fake data come from; the same seed gives the same')
    .option('--grpc-port <port>', 'gRPC; 0 picks a free one', portNumber, 4770)
    .option('--admin-port <port>', 'administration; 0 picks a free one', portNumber, 4771)
    .option('--http-port <port>', 'simulated HTTP APIs; 0 picks a free one', portNumber, 4772)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option('--admin-token <token>', 'asked for by administration; needed off loopback').env(
        'DOUBLETAKE_ADMIN_TOKEN',
      ),
    )
    .option('--tls-cert <file>', 'serve gRPC with TLS: the certificate chain, PEM')
    .option('--tls-key <file>', 'the private key, PEM')
    .option('--tls-ca <file>', 'ask clients for a certificate of these authorities, PEM')
    .option('--drain <duration>', 'how long what is under way may take when stopping', duration, 5_000)
    .option(
      '--limit <name=value>',
      'change a limit, such as grpc.messageReceiveBytesMax=8MiB; may be repeated',
      repeated,
    )
    .option('--gzip', 'pack gRPC replies for clients that accept it')
    .option('--watch', 'load stub files again when they change')
    .addOption(
      new Option('--compat <family>', 'also take what later stub files of the family hold').choices([
        'gripmock',
      ]),
    )
    .option('--demo', 'serve the demo, with things to try')
    .option('--json', 'say where it listens in one line of JSON, and nothing more')
    .addHelpText(
      'after',
      `
Examples:
  doubletake serve --proto protos --stubs stubs
  doubletake serve --proto protos --stubs stubs --take run.take --clock virtual --seed 7
  doubletake serve --demo`,
    )
    .action(async (options: ServeOptions) => (await import('./serving/serve.ts')).serve(options, terminal));
}
