import { serviceNames } from '../../core/services/rpc/descriptors.ts';
import { allStubs } from '../../core/services/rpc/stubs.ts';
import type { World } from '../../core/simulator/world.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { count } from '../reading/entry-story.ts';
import type { Servers } from './servers.ts';

export interface Ready {
  readonly servers: Servers;
  readonly world: World;
  readonly take: string | undefined;
  /** Commands to paste, with what they show. */
  readonly tries: readonly Try[];
}

export interface Try {
  readonly shows: string;
  readonly command: string;
}

/** The one line that programs wait for. */
export function readyJson({ grpc, admin, http }: Servers): string {
  return JSON.stringify({ ready: true, grpc, admin, http });
}

export function tellReady({ servers, world, take, tries }: Ready, { line, paint }: Terminal): void {
  const { rpc, seq } = world;
  const stubs = count(Array.from(allStubs(rpc.stubs)).length, 'stub');
  const kept =
    take === undefined ? 'nothing is kept (give --take FILE)' : `kept in ${printable(take)}, at entry ${seq}`;
  line(
    `${paint('bold', 'doubletake')} is ready: ${count(serviceNames(rpc.descriptors).length, 'service')}, ${stubs}; ${kept}`,
  );
  line();
  line(`  gRPC            ${paint('cyan', servers.grpc)}`);
  line(`  administration  ${paint('cyan', servers.admin)}`);
  line(`  HTTP            ${paint('cyan', servers.http)}`);
  line();
  for (const { shows, command } of tries) {
    line(paint('dim', `  # ${shows}`));
    line(`  ${command}`);
    line();
  }
  line(paint('dim', 'Ctrl-C stops it, after what is under way.'));
}
