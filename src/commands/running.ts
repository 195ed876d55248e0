import { Option, type Command } from 'commander';
import { createAdminClient, type AdminClient } from '../edges/admin/client.ts';

/** Options of every command that acts on a running Doubletake. */
export interface RunningOptions {
  readonly admin: string;
  readonly adminToken?: string;
  readonly json?: boolean;
}

export function withRunningOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--admin <url>', 'where administration listens')
        .default('http://127.0.0.1:4771')
        .env('DOUBLETAKE_ADMIN'),
    )
    .addOption(new Option('--admin-token <token>', 'what it asks for').env('DOUBLETAKE_ADMIN_TOKEN'))
    .option('--json', 'the answer as JSON');
}

export function runningClient(options: RunningOptions, session?: string): AdminClient {
  return createAdminClient({
    url: options.admin,
    ...(options.adminToken === undefined ? {} : { token: options.adminToken }),
    ...(session === undefined ? {} : { session }),
  });
}
