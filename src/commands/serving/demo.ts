import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from '../package-folder.ts';
import type { ServeOptions } from './options.ts';
import type { Try } from './ready.ts';
import type { Servers } from './servers.ts';

/** The demo's files, and a take of its own so that there is something to look at afterwards. */
export function withDemo(options: ServeOptions): ServeOptions {
  const folder = join(packageFolder(), 'demo');
  return {
    ...options,
    proto: [join(folder, 'protos'), ...(options.proto ?? [])],
    stubs: [join(folder, 'stubs'), ...(options.stubs ?? [])],
    take: options.take ?? join(mkdtempSync(join(tmpdir(), 'doubletake-')), 'demo.take'),
  };
}

/** Three things to paste: a call, a call that nothing answers, and why. */
export function demoTries(_servers: Servers, _take: string): readonly Try[] {
  return [];
}
