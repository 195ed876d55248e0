import { describe, expect, test } from 'vitest';
import { call, converse, heard, load, simulate } from '../../support/simulate.ts';

/** The text that a client reads at the end of a call. */
async function textOf(...args: Parameters<typeof call>): Promise<unknown> {
  const ended = (await call(...args)).outcomes.at(-1);
  return ended?.kind === 'CallEnded' ? ended.message : undefined;
}

describe('the message of a miss', () => {
  test('has blocks: the call, its headers, its request, and that nothing comes close', async () => {
    const headers = [
      [':authority', 'localhost'],
      ['user-agent', 'x'],
      ['te', 'trailers'],
      ['content-type', 'application/grpc'],
      ['grpc-accept-encoding', 'gzip'],
      ['x-b', '1'],
      ['x-a', 'one'],
      ['x-b', '2'],
    ] as const;
    expect(await textOf(await simulate(), 'Say', { text: 'Ada' }, { headers })).toBe(
      [
        'No matching stub found',
        'Service: talk.v1.Talk\nMethod: Say',
        'Request headers:\n{\n\t"x-a": "one",\n\t"x-b": "1;2"\n}',
        'Request input:\n{\n\t"number": "0",\n\t"tags": [],\n\t"text": "Ada"\n}',
        'No similar stubs found.',
      ].join('\n\n'),
    );
  });

  test('shows the closest stub: its priority, its times, its header rules and its input rules', async () => {
    const simulator = await simulate([
      {
        priority: 3,
        options: { times: 2 },
        headers: { equals: { 'x-a': '1' } },
        input: { equals: { text: 'Ada' }, contains: { tags: ['x'] }, matches: null },
        output: { data: {} },
      },
    ]);
    const text = await textOf(simulator, 'Say', { text: 'Ada', tags: ['y'] }, { headers: [['x-a', '1']] });
    expect(text).toContain(
      [
        '\n\nClosest match:',
        'priority: 3',
        'times: 2',
        'header rules:',
        'headers.equals:\n{\n\t"x-a": "1"\n}',
        'input rules:',
        'input.equals:\n{\n\t"text": "Ada"\n}',
        'input.contains:\n{\n\t"tags": [\n\t\t"x"\n\t]\n}',
      ].join('\n'),
    );
  });

  test('numbers the messages of a stream', async () => {
    const client = await converse(await simulate(), 'Gather');
    await client.say({ text: 'a' });
    await client.say({ text: 'b' });
    expect(await client.finish()).toEqual([
      [
        5,
        expect.stringContaining(
          'Request input (stream):\n[0]\n{\n\t"number": "0",\n\t"tags": [],\n\t"text": "a"\n}\n[1]\n{\n\t',
        ),
      ],
    ]);
  });

  test('says that a stream without a message was empty', async () => {
    const client = await converse(await simulate(), 'Gather');
    expect(await client.finish()).toEqual([[5, expect.stringContaining('Request input:\n(empty)')]]);
  });
});

test('headers of the transport can be matched when they are named', async () => {
  const simulator = await simulate([
    { headers: { contains: { 'User-Agent': 'curl' } }, output: { data: { text: 'curl' } } },
  ]);
  const answered = async (agent: string) =>
    heard((await call(simulator, 'Say', {}, { headers: [['user-agent', agent]] })).outcomes)[0];
  expect(await answered('a curl of hair')).toEqual({ text: 'curl' });
  expect(await answered('other')).toEqual([5, expect.any(String)]);
});

test('a method of the same name in another service is no answer, nor is one in another case', async () => {
  const simulator = await simulate([
    { service: 'talk.v1.Walk', output: { data: {} } },
    { service: 'talk', output: { data: {} } },
    { service: 'talk.v1.talk', output: { data: {} } },
    { method: 'say', output: { data: {} } },
  ]);
  expect((await call(simulator, 'Say', {})).outcomes.at(-1)).toMatchObject({ code: 5 });
  await load(simulator, [{ service: 'Talk', output: { data: {} } }]);
  expect((await call(simulator, 'Say', {})).outcomes.at(-1)).toMatchObject({ code: 0 });
});
