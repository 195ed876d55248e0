import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { packageFolder } from '../package-folder.ts';
import type { ServeOptions } from './options.ts';
import type { Try } from './ready.ts';
import type { Servers } from './servers.ts';

export type DemoOptions = ServeOptions & { readonly take: string };

/** The demo's files, and a take of its own so that there is something to look at afterwards. */
export function withDemo(options: ServeOptions): DemoOptions {
  const folder = nearName(join(packageFolder(), 'demo'));
  return {
    ...options,
    proto: [join(folder, 'protos'), ...(options.proto ?? [])],
    stubs: [join(folder, 'stubs'), ...(options.stubs ?? [])],
    take: options.take ?? join(mkdtempSync(join(tmpdir(), 'doubletake-')), 'demo.take'),
  };
}

/** As it is seen from here, when it is below: so the take of a demo in the checkout names no folder of one machine. */
function nearName(folder: string): string {
  const near = relative(process.cwd(), folder);
  return near.startsWith('..') || isAbsolute(near) ? folder : near;
}

/** Three things to paste: a call, one that nothing answers, and why. */
export function demoTries({ grpc }: Servers, take: string): readonly Try[] {
  const order = {
    orderId: '6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    customer: 'Ada',
    lines: [{ sku: 'mug-blue', quantity: 2 }],
  };
  return [
    {
      shows: 'place an order; the stub that answers makes another, so GetOrder knows it afterwards',
      command: call(grpc, 'shop.v1.Orders/PlaceOrder', [order]),
    },
    {
      shows: 'fill a basket, with a slip in the second line: a miss, and what came closest',
      command: call(grpc, 'shop.v1.Orders/FillBasket', [{ sku: 'mug-blue' }, { sku: 'tea green' }]),
    },
    {
      shows: 'why nothing answered that; log, show, state and check read the same file',
      command: `npx doubletake explain ${take}`,
    },
  ];
}

function call(grpc: string, method: string, messages: readonly object[]): string {
  const data = messages.map((message) => JSON.stringify(message)).join('');
  return `${client()} --protocol grpc --http2-prior-knowledge -d '${data}' http://${grpc}/${method}`;
}

/** In the checkout the client is there; elsewhere npx fetches it. */
function client(): string {
  const isHere = existsSync(join(packageFolder(), 'node_modules/.bin/buf'));
  return `npx ${isHere ? '' : '-p @bufbuild/buf '}buf curl`;
}
