import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtures, newFolder, serve, type Served } from './running-process.ts';
import { talkClient, type TalkClient } from './talk-client.ts';

const folder = newFolder();
let served: Served;
let client: TalkClient;

beforeAll(async () => {
  stub('a.yaml', 'one');
  stub('b.yaml', 'other');
  served = await serve(['--proto', join(fixtures, 'protos'), '--stubs', folder, '--watch']);
  client = talkClient(served.grpc);
});

afterAll(async () => {
  client.close();
  await served.stop();
});

describe('serve --watch', () => {
  it('serves what a changed file says', async () => {
    expect(await client.say('a.yaml')).toMatchObject({ text: 'one' });
    stub('a.yaml', 'two');
    await served.told('1 stub loaded again from 1 file\n');
    expect(await client.say('a.yaml')).toMatchObject({ text: 'two' });
    expect(await client.say('b.yaml')).toMatchObject({ text: 'other' });
  });

  it('keeps the old stubs when a changed file has a problem, and tells it', async () => {
    writeFileSync(join(folder, 'b.yaml'), 'service: talk.v1.Talk\nmethod: 7\n');
    await served.told('the stubs that were loaded stay as they are');
    expect(served.stderr()).toMatch(/b\.yaml:2: \/method: /);
    expect(await client.say('b.yaml')).toMatchObject({ text: 'other' });
  });

  it('drops the stubs of a file that is gone', async () => {
    rmSync(join(folder, 'a.yaml'));
    await served.told('1 file gone');
    expect(await client.say('a.yaml')).toMatchObject({ code: 5 });
  });
});

function stub(file: string, text: string): void {
  writeFileSync(
    join(folder, file),
    `service: talk.v1.Talk\nmethod: Say\ninput: { equals: { text: ${file} } }\noutput: { data: { text: ${text} } }\n`,
  );
}
