import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, run, serve, talkSources } from './running-process.ts';
import { talkClient } from './talk-client.ts';

describe('SIGTERM', () => {
  it('lets a stream that is under way end, answers nothing new, and ends with 0', async () => {
    const take = join(newFolder(), 'run.take');
    const served = await serve([...talkSources, '--take', take]);
    const client = talkClient(served.grpc);
    const chat = client.chat();
    const received: string[] = [];
    await new Promise<void>((resolve, reject) => {
      chat.on('error', reject);
      chat.on('end', resolve);
      chat.on('data', ({ text }) => {
        received.push(text);
        if (text !== 'first') return;
        // The talk is half over when the server is told to stop.
        served.signal('SIGTERM');
        chat.write({ text: 'b' });
        chat.end();
      });
      chat.write({ text: 'a' });
    });
    expect(received).toEqual(['first', 'second']);
    client.close();
    expect(await served.ended).toMatchObject({ code: 0 });
    expect(await run(['check', take])).toMatchObject({ code: 0 });
    expect(existsSync(`${take}-wal`)).toBe(false);
  });

  it('ends a call that would wait too long with UNAVAILABLE, and that is in the take', async () => {
    const take = join(newFolder(), 'run.take');
    const served = await serve([...talkSources, '--take', take, '--clock', 'virtual', '--drain', '50ms']);
    const client = talkClient(served.grpc);
    const answer = client.say('late');
    await running(served.admin, 'CallOpened');
    expect(await served.stop()).toMatchObject({ code: 0 });
    expect(await answer).toMatchObject({ code: 14 });
    client.close();
    const { stdout } = await run(['log', take, '--kind', 'CallCancelled']);
    expect(stdout).toContain('by shutdown → UNAVAILABLE');
  });

  it('ends at once when it comes a second time', async () => {
    const served = await serve([...talkSources, '--clock', 'virtual']);
    const client = talkClient(served.grpc);
    const answer = client.say('late');
    await running(served.admin, 'CallOpened');
    served.signal('SIGTERM');
    // The second one counts when it is plainly another one, so it is sent until it does.
    const insisting = setInterval(() => served.signal('SIGTERM'), 20);
    const ended = await served.ended.finally(() => clearInterval(insisting));
    expect(ended).toMatchObject({ code: 143 });
    await answer;
    client.close();
  });
});

describe('kill -9', () => {
  it('loses nothing that was answered, and the next start goes on where it was', async () => {
    const take = join(newFolder(), 'run.take');
    const first = await serve([...talkSources, '--take', take]);
    const client = talkClient(first.grpc);
    expect(await client.say('once')).toMatchObject({ text: 'only once' });
    first.signal('SIGKILL');
    await first.ended;
    client.close();
    expect(await run(['check', take])).toMatchObject({ code: 0 });

    const second = await serve([...talkSources, '--take', take]);
    const again = talkClient(second.grpc);
    // The stub has answered as often as it may, and loading the same file again does not start its count again.
    expect(await again.say('once')).toMatchObject({ code: 5 });
    again.close();
    await second.stop();
    const { stdout } = await run(['log', take, '--kind', 'StubsLoaded', '--json']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(await run(['check', take])).toMatchObject({ code: 0 });
  });
});

/** Resolves when the log holds an entry of the kind. */
async function running(admin: string, kind: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${admin}/api/entries?kind=${kind}`);
    const { entries } = (await response.json()) as { entries: readonly unknown[] };
    if (entries.length > 0) return;
  }
}
