import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, run, serve, talkSources, type Served } from './running-process.ts';
import { talkClient, type TalkClient } from './talk-client.ts';

// The commands that act on a running simulator: `stub` and `clock`.
const token = 'open-sesame';
const env = { DOUBLETAKE_ADMIN_TOKEN: token };
let served: Served;
let client: TalkClient;

beforeAll(async () => {
  served = await serve([...talkSources, '--clock', 'virtual', '--start-at', '2026-03-10T09:00:00Z'], { env });
  client = talkClient(served.grpc);
});

afterAll(async () => {
  client.close();
  await served.stop();
});

describe('stub', () => {
  it('loads for one session, lists what that session sees, and removes it again', async () => {
    const file = join(newFolder(), 'extra.yaml');
    writeFileSync(
      file,
      'service: Talk\nmethod: Say\ninput: { equals: { text: extra } }\noutput: { data: { text: yes } }\n',
    );
    expect(await act('stub', 'load', file, '--session', 't-1')).toMatchObject({
      code: 0,
      stdout: '1 stub loaded from 1 file\n',
    });
    expect(await client.say('extra', 't-1')).toMatchObject({ text: 'yes' });
    expect(await client.say('extra', 't-2')).toMatchObject({ code: 5 });

    const [extra] = await listed('--session', 't-1', '--service', 'Talk').then((stubs) =>
      stubs.filter(({ session }) => session === 't-1'),
    );
    expect(extra).toMatchObject({ method: 'Say', uses: 1, source: 'api' });
    expect((await listed()).length).toBe((await listed('--session', 't-1')).length);

    expect(await act('stub', 'remove', extra?.id ?? '')).toMatchObject({
      code: 0,
      stdout: '1 stub removed\n',
    });
    expect(await client.say('extra', 't-1')).toMatchObject({ code: 5 });
  });

  it('shows a table to people', async () => {
    const { stdout } = await act('stub', 'list', '--method', 'Collect');
    expect(stdout).toMatch(
      /^ID +METHOD +PRIO +SESSION +USES +FROM\n\S+ +talk\.v1\.Talk\/Collect +0 +0 .*talk\.yaml:\d+\n$/,
    );
  });

  it('tells the problems of a file before anything is sent', async () => {
    const file = join(newFolder(), 'bad.yaml');
    writeFileSync(file, 'service: Talk\nmethod: 7\noutput: {}\n');
    const { code, stderr } = await act('stub', 'load', file);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /DT_STUB_INVALID: 2 problems in stub files\n {2}.*bad\.yaml:2: \/method: .*\n {2}.*bad\.yaml:3: \/output: /,
    );
  });

  it('says so when a stub is not there', async () => {
    const { code, stderr } = await act('stub', 'remove', 'nobody');
    expect(code).toBe(5);
    expect(stderr).toContain('DT_ADMIN_REFUSED: no stub here has the id nobody');
  });

  it('needs the token that administration asks for', async () => {
    const { code, stderr } = await run(['stub', 'list', '--admin', served.admin], {
      env: { DOUBLETAKE_ADMIN_TOKEN: 'wrong' },
    });
    expect(code).toBe(5);
    expect(stderr).toContain('DT_ADMIN_REFUSED');
  });

  it('validates files without a server, also against their messages', async () => {
    const file = join(newFolder(), 'answer.yaml');
    writeFileSync(file, 'service: talk.v1.Talk\nmethod: Say\noutput: { data: { nunber: 1 } }\n');
    expect(await run(['stub', 'validate', file])).toMatchObject({ code: 0 });
    const { code, stderr } = await run(['stub', 'validate', file, ...talkSources.slice(0, 2)]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/answer\.yaml:\d+: .*nunber/);
  });

  it('warns of a rule that never matches, as serve does', async () => {
    const file = join(newFolder(), 'rule.yaml');
    writeFileSync(
      file,
      'service: Talk\nmethod: Say\ninput: { equals: { txt: a } }\noutput: { data: { text: b } }\n',
    );
    const { code, stdout, stderr } = await run(['stub', 'validate', file, ...talkSources.slice(0, 2)]);
    expect(code).toBe(0);
    expect(stdout).toBe('1 stub in 1 file: 1 warning\n');
    expect(stderr).toMatch(/^warning .*rule\.yaml:1: .*never matches.*"txt"/);
  });
});

describe('clock', () => {
  it('lets an hour pass at once, and what was waiting happens', async () => {
    const answer = client.say('late');
    await waiting();
    expect(await act('clock', 'advance', '1h')).toMatchObject({
      code: 0,
      stdout: '2026-03-10T10:00:00.000Z (virtual)\n',
    });
    expect(await answer).toMatchObject({ text: 'at last' });
  });

  it('runs to a moment, and never back', async () => {
    expect(await act('clock', 'run-to', '2026-03-11T00:00:00Z')).toMatchObject({
      stdout: '2026-03-11T00:00:00.000Z (virtual)\n',
    });
    const { code, stderr } = await act('clock', 'set', '2026-03-10T00:00:00Z');
    expect(code).toBe(5);
    expect(stderr).toContain('time does not go back');
  });

  it('follows what is due by itself, and stands still when frozen', async () => {
    expect(await act('clock', 'follow', 'auto')).toMatchObject({ code: 0 });
    expect(await client.say('late')).toMatchObject({ text: 'at last' });
    expect(
      await act('clock', 'freeze', '--json').then(({ stdout }) => JSON.parse(stdout) as object),
    ).toMatchObject({
      mode: 'virtual',
      time: '2026-03-11T01:00:00.000Z',
    });
  });
});

function act(...args: readonly string[]): ReturnType<typeof run> {
  return run([...args, '--admin', served.admin], { env });
}

interface ListedStub {
  readonly id: string;
  readonly session?: string;
}

async function listed(...args: readonly string[]): Promise<readonly ListedStub[]> {
  const { stdout } = await act('stub', 'list', '--json', ...args);
  return JSON.parse(stdout) as readonly ListedStub[];
}

/** Resolves when a call waits for the clock. */
async function waiting(): Promise<void> {
  for (;;) {
    const response = await fetch(`${served.admin}/api/entries?kind=ReplyDelayed`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { entries } = (await response.json()) as { entries: readonly unknown[] };
    if (entries.length > 0) return;
  }
}
