import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bufCurl, newFolder, run, serve, talkSources, type Served } from './running-process.ts';

// One server for all of these: each looks at what the calls of `beforeAll` left behind.
const take = join(newFolder(), 'run.take');
let served: Served;
const answers: Record<string, Awaited<ReturnType<typeof bufCurl>>> = {};

beforeAll(async () => {
  served = await serve([...talkSources, '--take', take]);
  const { grpc } = served;
  answers['unary'] = await bufCurl(
    grpc,
    'talk.v1.Talk/Say',
    [{ text: 'hello' }],
    ['x-doubletake-session: t-17'],
  );
  answers['server stream'] = await bufCurl(grpc, 'talk.v1.Talk/Count', [{ text: 'count' }]);
  answers['client stream'] = await bufCurl(grpc, 'talk.v1.Talk/Collect', [{ text: 'a' }, { text: 'b' }]);
  answers['bidi stream'] = await bufCurl(grpc, 'talk.v1.Talk/Chat', [{ text: 'a' }, { text: 'b' }]);
  answers['miss'] = await bufCurl(grpc, 'talk.v1.Talk/Say', [{ text: 'hello ' }]);
});

afterAll(async () => {
  served.signal('SIGKILL');
  await served.ended;
});

describe('serve --json', () => {
  it('says first, in one line of exactly this form, where it listens', () => {
    const { grpc, admin, http } = served;
    expect(served.line).toBe(JSON.stringify({ ready: true, grpc, admin, http }));
    expect(grpc).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(admin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each([
    ['unary', [{ text: 'hello back', number: '7' }]],
    ['server stream', [{ number: '1' }, { number: '2' }, { number: '3' }]],
    ['client stream', [{ text: 'both' }]],
    ['bidi stream', [{ text: 'first' }, { text: 'second' }]],
  ])('answers a %s call of another stack, found through reflection', (kind, expected) => {
    const { code, stdout, stderr } = answers[kind] ?? { code: 1, stdout: '', stderr: 'not called' };
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(messagesIn(stdout)).toEqual(expected);
  });

  it('tells a caller that nothing answers what came closest', () => {
    const { code, stderr } = answers['miss'] ?? { code: 0, stderr: '' };
    expect(code).not.toBe(0);
    expect(stderr).toContain('No matching stub found');
    expect(stderr).toContain('Closest match:');
  });
});

// The same commands on a take that is being written, and on one that has been closed.
describe.each(['live', 'closed'])('a %s take', (state) => {
  beforeAll(async () => {
    if (state === 'closed') await served.stop();
  });

  it('is listed by log, one line per entry', async () => {
    const { code, stdout } = await run(['log', take]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ +SEQ +TIME +SESSION +INPUT +WHAT → OUTCOME$/);
    expect(lines[1]).toMatch(/^ +1 .* DescriptorsLoaded /);
    expect(lines.filter((line) => line.includes('talk.v1.Talk/Say → stub'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('miss: no stub'))).toHaveLength(1);
  });

  it('of which no entry matches is said to have none', async () => {
    const { code, stdout, stderr } = await run(['log', take, '--kind', 'Nosuch']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'no entry matches\n' });
  });

  it('is listed by log --json as entries with seq, at, input and outcomes', async () => {
    const entries = await entriesOf(['log', take, '--json']);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    for (const entry of entries) expect(Object.keys(entry)).toEqual(['seq', 'at', 'input', 'outcomes']);
  });

  it.each([
    [['--session', 't-17'], 1],
    [['--misses'], 1],
    [['--service', 'Talk/Say', '--kind', 'CallOpened'], 2],
    [['--service', 'talk.v1.Talk', '--kind', 'MessageReceived'], 4],
    [['--service', 'Nobody'], 0],
    [['--from', '2', '--to', '2'], 1],
  ])('is filtered by log %j', async (filter, count) => {
    expect(await entriesOf(['log', take, '--json', ...filter])).toHaveLength(count);
  });

  it('shows an entry with its messages decoded', async () => {
    const [call] = await entriesOf(['log', take, '--json', '--session', 't-17']);
    const { stdout } = await run(['show', take, String(call?.seq)]);
    expect(stdout).toContain('talk.v1.Talk/Say');
    expect(stdout).toContain('"text": "hello"');
    expect(stdout).toContain('"text": "hello back"');
    expect(stdout).toMatch(/StubMatched .*talk\.yaml:1\)/);
    const json = JSON.parse((await run(['show', take, String(call?.seq), '--json'])).stdout) as {
      decoded: { input: unknown };
    };
    expect(json.decoded.input).toEqual({ labels: [], text: 'hello' });
  });

  it('shows the world at an entry, and a part of it', async () => {
    const [call] = await entriesOf(['log', take, '--json', '--session', 't-17']);
    const seq = call?.seq ?? 0;
    const before = JSON.parse(
      (await run(['state', take, '--at', String(seq - 1), 'rpc.uses'])).stdout,
    ) as object;
    const after = JSON.parse((await run(['state', take, '--at', String(seq), 'rpc.uses'])).stdout) as object;
    expect(Object.values(before)).toEqual([]);
    expect(Object.values(after)).toEqual([{ 't-17': 1 }]);
  });

  it('explains the newest miss when no entry is named, with the field that differs', async () => {
    const { code, stdout } = await run(['explain', take]);
    expect(code).toBe(0);
    expect(stdout).toContain('NOT_FOUND');
    expect(stdout).toContain('talk.v1.Talk/Say');
    expect(stdout).toMatch(/closest: .*talk\.yaml:1/);
    expect(stdout).toMatch(/text +"hello " +equals "hello"/);
  });

  it('is clean', async () => {
    const { code, stdout } = await run(['check', take]);
    expect(stdout).toMatch(/✓ .*run\.take: \d+ entries, world [0-9a-f]{16}/);
    expect(code).toBe(0);
  });

  it('holds no word of the machine that it was made on, and is the same as JSON lines', async () => {
    const file = join(newFolder(), 'run.jsonl');
    expect(await run(['export', take, '-o', file])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(5);
    const [inTake, inLines] = await Promise.all([run(['log', take, '--json']), run(['log', file, '--json'])]);
    expect(inLines.stdout).toBe(inTake.stdout);
    const worlds = await run(['check', '--json', take, file]);
    const [first, second] = worlds.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { world: string; head: string });
    expect(second).toMatchObject({ world: first?.world, head: first?.head });
  });
});

interface ShownEntry {
  readonly seq: number;
  readonly input: { readonly kind: string };
}

async function entriesOf(args: readonly string[]): Promise<readonly ShownEntry[]> {
  const { stdout } = await run(args);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ShownEntry);
}

/** `buf curl` prints one indented JSON value after the other. */
function messagesIn(stdout: string): readonly unknown[] {
  return JSON.parse(`[${stdout.trim().replaceAll(/}\s*{/g, '},{')}]`) as unknown[];
}
