import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { beforeAll, expect, it } from 'vitest';
import { credentialHeaders } from '../../src/core/kernel/credentials.ts';
import { formsIn, newSecret } from './planted/secrets.ts';
import { fixtures, newFolder, run, serve, type Served } from './running-process.ts';

// One run in which a secret is sent wherever somebody may send one; then all that the run left is searched.

const folder = newFolder();
const take = join(folder, 'kept', 'run.take');
const planted = new Map<string, string>();
const found = new Map<string, string>();

function plant(place: string, shaped = (secret: string) => secret): string {
  const secret = shaped(newSecret(`s${planted.size + 1}`));
  planted.set(place, secret);
  return secret;
}

beforeAll(async () => {
  mkdirSync(join(folder, 'kept'));
  mkdirSync(join(folder, 'stubs'));
  writeFileSync(join(folder, 'stubs', 'talk.json'), JSON.stringify(stubsOfFile()));
  const token = plant('administration token');
  const sources = ['--proto', join(fixtures, 'protos'), '--stubs', join(folder, 'stubs')];
  const served = await serve([...sources, '--take', take], { env: { DOUBLETAKE_ADMIN_TOKEN: token } });
  const ask = asker(served, token);
  await callWithMetadata(served);
  await requestOverHttp(served);
  await administer(ask);
  await keepAnswers(ask);
  // As a killed process leaves it, and as one that stops in order.
  served.signal('SIGKILL');
  await served.ended;
  keepFiles('killed');
  const again = await serve([...sources, '--take', take], { env: { DOUBLETAKE_ADMIN_TOKEN: token } });
  const ended = await again.stop();
  keepFiles('stopped');
  found.set('server output', served.line + served.stderr() + ended.stdout + ended.stderr);
  await keepCommands();
});

const talk = { service: 'talk.v1.Talk', method: 'Say' };

function stubsOfFile(): readonly object[] {
  return [
    stubOn('authorization', 'stub file, equals', (secret) => ({
      equals: { Authorization: `Bearer ${secret}` },
    })),
    stubOn('cookie', 'stub file, contains', (secret) => ({ contains: { cookie: secret } })),
    stubOn('x-api-key', 'stub file, anyOf', (secret) => ({ anyOf: [{ equals: { 'x-api-key': secret } }] })),
    {
      ...talk,
      input: { equals: { text: 'effects' } },
      output: { data: { text: '{{.Headers.authorization}} {{.Headers.cookie}}' } },
      effects: [
        effect({ authorization: '{{index .Headers "authorization"}}' }),
        effect({ 'x-api-key': plant('stub of an effect') }),
      ],
    },
  ];
}

function stubOn(name: string, place: string, headers: (secret: string) => object): object {
  return { ...talk, headers: headers(plant(place)), output: { data: { text: name } } };
}

function effect(equals: object): object {
  return { action: 'upsert', stub: { ...talk, headers: { equals }, output: { data: { text: 'made' } } } };
}

async function callWithMetadata({ grpc }: Served): Promise<void> {
  const client = new Client(grpc, credentials.createInsecure());
  const send = (text: string, pairs: readonly (readonly [string, string])[], path = '/talk.v1.Talk/Say') =>
    new Promise<void>((resolve) => {
      const metadata = new Metadata();
      for (const [name, value] of pairs)
        metadata.add(name, name.endsWith('-bin') ? Buffer.from(value) : value);
      const same = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest(path, same, same, encodedWords(text), metadata, (error, answer) => {
        answers.push(JSON.stringify([error?.details, error?.metadata.getMap(), answer?.toString('latin1')]));
        resolve();
      });
    });
  const answers: string[] = [];
  for (const name of credentialHeaders) await send('hello', [[name, plant(`metadata ${name}`)]]);
  for (const scheme of [
    'Bearer',
    'bearer',
    'token',
    'Negotiate',
    'AWS4-HMAC-SHA256 Credential=a, Signature=',
  ]) {
    await send('effects', [['authorization', `${scheme} ${plant(`metadata, scheme ${scheme}`)}`]]);
  }
  const user = Buffer.from(`user:${plant('metadata, scheme Basic')}`).toString('base64');
  await send('effects', [['authorization', `Basic ${user}`]]);
  await send('effects', [
    ['cookie', `theme=dark; session=${plant('metadata, second part of a cookie')}`],
    ['cookie', `session=${plant('metadata, second cookie')}`],
  ]);
  await send('hello', [['authorization', `${plant('metadata, before a space', word)} more`]]);
  await send(
    'hello',
    [['authorization', `Bearer ${plant('metadata, unknown method')}`]],
    '/talk.v1.Talk/Nowhere',
  );
  await send('x'.repeat(5 << 20), [['authorization', `Bearer ${plant('metadata, message over the limit')}`]]);
  client.close();
  found.set('gRPC answers', answers.join('\n'));
}

/** A credential that could be the name of a scheme. */
function word(secret: string): string {
  return secret.replaceAll(/\W/g, '');
}

/** `Words { text = 1 }`, encoded. */
function encodedWords(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
}

async function requestOverHttp({ http }: Served): Promise<void> {
  const texts: string[] = [];
  for (const name of credentialHeaders) {
    const prefix = name.endsWith('authorization') ? 'Bearer ' : '';
    const headers = { [name]: prefix + plant(`HTTP ${name}`) };
    texts.push(await (await fetch(`${http}/somewhere`, { headers })).text());
  }
  found.set('HTTP answers', texts.join('\n'));
}

type Ask = (method: string, path: string, body?: unknown) => Promise<string>;

function asker({ admin }: Served, token: string): Ask {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(admin + path, {
      method,
      headers: body === undefined ? { authorization: `Bearer ${token}` } : headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return `${method} ${path} ${response.status} ${await response.text()}`;
  };
}

async function administer(ask: Ask): Promise<void> {
  const stub = stubOn('authorization', 'uploaded stub', (secret) => ({
    equals: { authorization: `Bearer ${secret}`, 'X-Auth-Token': plant('uploaded stub, second header') },
  }));
  const effects = [effect({ 'api-key': plant('uploaded stub, effect') })];
  const invalid = { ...talk, headers: { equals: { authorization: [plant('invalid stub')] } }, output: {} };
  const question = {
    ...talk,
    data: { text: 'hello' },
    headers: { authorization: `Bearer ${plant('question')}` },
  };
  const texts = [
    await ask('POST', '/api/stubs', stub),
    await ask('POST', '/api/stubs', { ...talk, effects, output: { data: {} } }),
    await ask('POST', '/api/stubs/validate', stub),
    await ask('POST', '/api/stubs', invalid),
    await ask('POST', '/api/stubs/search', question),
    await ask('POST', '/api/stubs/inspect', question),
  ];
  found.set('administration, loading and asking', texts.join('\n'));
}

async function keepAnswers(ask: Ask): Promise<void> {
  const paths = [
    'stubs',
    'history',
    'entries',
    'state',
    'manifest',
    'stubs/used',
    'stubs/unused',
    'sessions',
  ];
  for (const path of paths) found.set(`GET /api/${path}`, await ask('GET', `/api/${path}`));
  for (let seq = 1; seq <= 12; seq += 1) {
    found.set(`GET /api/explain/${seq}`, await ask('GET', `/api/explain/${seq}`));
  }
}

function keepFiles(state: string): void {
  for (const name of readdirSync(join(folder, 'kept'))) {
    found.set(`${name}, ${state}`, readFileSync(join(folder, 'kept', name), 'latin1'));
  }
}

async function keepCommands(): Promise<void> {
  const exported = join(folder, 'kept', 'run.jsonl');
  await run(['export', take, '-o', exported]);
  found.set('export', readFileSync(exported, 'latin1'));
  const log = (await run(['log', take, '--json'])).stdout;
  const calls = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; input: { kind: string } });
  const misses = calls.filter(({ input }) => input.kind === 'CallOpened').slice(0, 4);
  const commands = [
    ['log', take],
    ['log', take, '--json'],
    ['state', take],
    ['check', take],
    ['explain', take],
    ...calls.slice(0, 4).map(({ seq }) => ['show', take, String(seq)]),
    ...misses.map(({ seq }) => ['show', take, String(seq), '--json']),
    ...misses.map(({ seq }) => ['explain', take, String(seq)]),
  ];
  for (const command of commands) {
    const { stdout, stderr } = await run(command);
    found.set(command.filter((word) => word !== take).join(' '), stdout + stderr);
  }
  // Payloads stand in base64 there: also what is in them is looked at.
  const payloads = Array.from(
    readFileSync(exported, 'utf8').matchAll(/"bytes":"([^"]*)"/g),
    ([, text = '']) => text,
  );
  found.set('payloads', payloads.map((text) => Buffer.from(text, 'base64').toString('latin1')).join('\n'));
}

it('the run left what there is to search', () => {
  expect(planted.size).toBeGreaterThan(20);
  expect(found.get('run.take-wal, killed')?.length).toBeGreaterThan(10_000);
  expect(found.get('run.take, stopped')?.length).toBeGreaterThan(10_000);
  expect(found.get('export')).toContain('Bearer fp_');
  const empty = Array.from(found).filter(([, text]) => text.length === 0);
  expect(empty.map(([where]) => where)).toEqual(['run.take-lock, killed']);
});

it('the search finds a secret in each of its forms', () => {
  const secret = newSecret('known');
  const texts = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${secret}after`).toString('base64')),
  ];
  for (const text of texts) expect(formsIn(`before ${text} after`, secret)).not.toEqual([]);
});

it('no planted credential is in any file, answer or output', () => {
  const leaks = Array.from(planted).flatMap(([place, secret]) =>
    Array.from(found).flatMap(([where, text]) =>
      formsIn(text, secret).map((form) => `${place}: ${form} in ${where}`),
    ),
  );
  expect(leaks).toEqual([]);
});
