import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { status, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { newFolder, run, serve, talkSources, type Served } from './running-process.ts';
import { talkClient, type Answer } from './talk-client.ts';

const canLimit = ((): boolean => {
  try {
    return process.platform === 'linux' && execFileSync('prlimit', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

/** No file of the process may grow beyond this. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

describe.runIf(canLimit).each(['process', 'power'])('no more room, with durability %s', (durability) => {
  it('refuses calls with UNAVAILABLE, loses no answer, and goes on when there is room', async () => {
    const take = join(newFolder(), 'run.take');
    const served = await serve([...talkSources, '--take', take, '--durability', durability]);
    const client = talkClient(served.grpc);
    limitFiles(served.pid, statSync(`${take}-wal`).size + 400_000);

    const { answered, refusal } = await untilRefused((text) => client.say(text));
    expect(answered.length).toBeGreaterThan(5);
    expect(refusal).toMatchObject({
      code: 14,
      details: expect.stringContaining('there is no room') as string,
    });
    expect(await readiness(served)).toMatchObject({ status: 503, code: 'DT_LOG_FULL' });
    const meanwhile = await Promise.all(Array.from({ length: 20 }, () => client.say(largeText)));
    expect(meanwhile).toEqual(meanwhile.map(() => expect.objectContaining({ code: 14 }) as object));

    limitFiles(served.pid, 'unlimited');
    expect(await client.say('hello')).toMatchObject({ text: 'hello back' });
    expect(await readiness(served)).toMatchObject({ status: 200 });
    client.close();
    expect(await served.stop()).toMatchObject({ code: 0 });

    expect(await run(['check', take])).toMatchObject({ code: 0 });
    const { stdout } = await run(['log', take, '--kind', 'CallOpened', '--json']);
    const calls = stdout
      .trimEnd()
      .split('\n')
      .map((line) => String((JSON.parse(line) as { seq: number }).seq));
    // Those that were answered, and the one after: nothing that was refused.
    expect(calls.slice(0, -1)).toEqual(answered);
  });
});

const largeText = 'x'.repeat(4_000);

/** The entries of the misses that the calls were, and the first call that was none. */
async function untilRefused(
  say: (text: string) => Promise<Answer | ServiceError>,
): Promise<{ readonly answered: readonly string[]; readonly refusal: Answer | ServiceError }> {
  const answered: string[] = [];
  for (;;) {
    const answer = await say(largeText);
    if (!('code' in answer) || answer.code !== status.NOT_FOUND) return { answered, refusal: answer };
    answered.push(String(answer.metadata.get('doubletake-entry')[0]));
  }
}

async function readiness({ admin }: Served): Promise<object> {
  const response = await fetch(`${admin}/api/health/readiness`);
  return { status: response.status, ...((await response.json()) as object) };
}
