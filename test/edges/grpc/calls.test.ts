import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LogFailure } from '../../../src/core/simulator/ports.ts';
import { callOnce, metadata, openCall, replyOf, text } from './clients.ts';
import { ended, headersSent, makeEchoSimulator, message, paths } from './echo-service.ts';
import { serve } from './running-server.ts';

describe('a call', () => {
  it('that is unary is one input, and its answer goes out', async () => {
    const simulator = makeEchoSimulator();
    const { client, server } = await serve(simulator);
    const reply = await callOnce(client(), paths.say, [text('hello')]);
    expect(reply).toMatchObject({ messages: ['hello'], status: { code: 0 } });
    expect(simulator.log.map(({ input }) => input)).toMatchObject([
      { kind: 'CallOpened', method: paths.say, session: '', bytes: new Uint8Array(text('hello')) },
    ]);
    expect(simulator.log[0]?.input).toMatchObject({
      headers: expect.arrayContaining([
        [':authority', server.address],
        ['content-type', 'application/grpc'],
        ['te', 'trailers'],
      ]),
    });
  });

  it('that streams from the server is one input, and its messages go out in order', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened'
        ? [...['a', 'b', 'c'].map((part) => message(call, text(part))), ended(call)]
        : undefined,
    );
    const { client } = await serve(simulator);
    expect(await callOnce(client(), paths.tell, [text('go')])).toMatchObject({
      messages: ['a', 'b', 'c'],
      status: { code: 0 },
    });
    expect(simulator.log).toHaveLength(1);
  });

  it('that streams from the client is an input for its opening, each message and the half-close', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const reply = await callOnce(client(), paths.gather, [text('a'), text('b')]);
    expect(reply).toMatchObject({ messages: ['\u0002'], status: { code: 0 } });
    expect(simulator.log.map(({ input }) => input)).toMatchObject([
      { kind: 'CallOpened', method: paths.gather },
      { kind: 'MessageReceived', call: 1, bytes: new Uint8Array(text('a')) },
      { kind: 'MessageReceived', call: 1, bytes: new Uint8Array(text('b')) },
      { kind: 'CallHalfClosed', call: 1 },
    ]);
    expect(simulator.log[0]?.input).not.toHaveProperty('bytes');
  });

  it('that streams both ways is answered message by message, before the half-close', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const call = openCall(client(), paths.chat);
    const reply = replyOf(call);
    for (const part of ['a', 'b', 'c']) {
      const answered = new Promise((resolve) => {
        call.once('data', resolve);
      });
      call.write(text(part));
      await answered;
    }
    call.end();
    expect(await reply).toMatchObject({ messages: ['a', 'b', 'c'], status: { code: 0 } });
    expect(simulator.log.map(({ input }) => input.kind)).toEqual([
      'CallOpened',
      'MessageReceived',
      'MessageReceived',
      'MessageReceived',
      'CallHalfClosed',
    ]);
  });

  it('of an unknown method is an input too, opened without waiting for a message', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const reply = await callOnce(client(), '/nobody.Home/Knock', [text('hello')]);
    expect(reply.status).toMatchObject({ code: 12, details: 'no method /nobody.Home/Knock' });
    expect(simulator.log[0]?.input).toMatchObject({ kind: 'CallOpened', method: '/nobody.Home/Knock' });
  });

  it('of a method that became known while the server runs is taken by its kind', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' && input.method === '/new.Service/Method'
        ? [message(call, input.bytes), ended(call)]
        : undefined,
    );
    const { client } = await serve(simulator);
    const channel = client();
    simulator.learn({ '/new.Service/Method': 'unary' });
    expect(await callOnce(channel, '/new.Service/Method', [text('now')])).toMatchObject({
      messages: ['now'],
      status: { code: 0 },
    });
  });

  it('shows nothing before its entry is durable', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    simulator.pause();
    const reply = callOnce(client(), paths.say, [text('hello')]);
    const seen: unknown[] = [];
    const watched = reply.then((value) => seen.push(value));
    // Another connection's whole round trip is the proof that there was time enough.
    const other = await serve(makeEchoSimulator());
    await callOnce(other.client(), paths.say, [text('other')]);
    expect(seen).toEqual([]);
    simulator.resume();
    await watched;
    expect(seen).toMatchObject([{ messages: ['hello'] }]);
  });

  it('is UNAVAILABLE, with the reason, when its entry could not be kept', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const channel = client();
    simulator.failNext(new LogFailure('DT_LOG_FULL', 'the disk is full'));
    expect((await callOnce(channel, paths.say, [text('lost')])).status).toMatchObject({
      code: 14,
      details: 'the disk is full',
    });
    simulator.failNext(new LogFailure('DT_LOG_FULL', 'the disk is full'));
    expect((await callOnce(channel, paths.gather, [text('lost')])).status).toMatchObject({ code: 14 });
    expect(await callOnce(channel, paths.say, [text('kept')])).toMatchObject({ messages: ['kept'] });
    expect(simulator.log).toHaveLength(1);
  });

  it('is UNAVAILABLE when a later message of it could not be kept, and the log says so afterwards', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const call = openCall(client(), paths.chat);
    const reply = replyOf(call);
    await simulator.committed(({ input }) => input.kind === 'CallOpened');
    simulator.failNext(new LogFailure('DT_LOG_FULL', 'the disk is full'));
    call.write(text('lost'));
    expect((await reply).status).toMatchObject({ code: 14, details: 'the disk is full' });
    expect(simulator.log.map(({ input }) => input)).toMatchObject([
      { kind: 'CallOpened' },
      { kind: 'CallAborted', call: 1, code: 14 },
    ]);
  });

  it('that stays open lets each outcome out once', async () => {
    const simulator = makeEchoSimulator((input, call) => {
      if (input.kind === 'CallOpened') return [message(call, text('first'))];
      return input.kind === 'ClockAdvanced' ? [message(1, text('second')), ended(1)] : undefined;
    });
    const { client } = await serve(simulator);
    const call = openCall(client(), paths.tell);
    const reply = replyOf(call);
    const first = once(call, 'data');
    call.end(text('go'));
    await first;
    simulator.submit({ kind: 'ClockAdvanced', to: 1000 });
    expect(await reply).toMatchObject({ messages: ['first', 'second'], status: { code: 0 } });
  });

  it('that waits is answered by the entry of another input', async () => {
    const simulator = makeEchoSimulator((input, call) => {
      if (input.kind === 'CallOpened') return [];
      if (input.kind !== 'ClockAdvanced') return undefined;
      return [headersSent(1, [['x-late', 'yes']]), message(1, text(`at ${call}`)), ended(1)];
    });
    const { client } = await serve(simulator);
    const reply = callOnce(client(), paths.say, [text('hello')]);
    await simulator.committed(({ input }) => input.kind === 'CallOpened');
    simulator.submit({ kind: 'ClockAdvanced', to: 1000 });
    expect(await reply).toMatchObject({ messages: ['at 2'], status: { code: 0 } });
  });
});

describe('headers and trailers', () => {
  it('go out as they are given: several values, binary values, a status message in any script', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened'
        ? [
            headersSent(call, [
              ['x-one', 'a'],
              ['X-Two', 'b'],
              ['x-two', 'c'],
              ['x-raw-bin', 'AAEC/w=='],
            ]),
            ended(call, 9, 'nicht möglich: 100 % 日本\n\tlast ', [
              ['x-t', '1'],
              ['x-t', '2'],
              ['x-t-bin', 'AQ'],
            ]),
          ]
        : undefined,
    );
    const { client } = await serve(simulator);
    const { headers, status } = await callOnce(client(), paths.say, [text('x')]);
    expect(headers?.get('x-one')).toEqual(['a']);
    expect(headers?.get('x-two')).toEqual(['b, c']);
    expect(headers?.get('x-raw-bin')).toEqual([Buffer.from([0, 1, 2, 255])]);
    expect(status).toMatchObject({ code: 9, details: 'nicht möglich: 100 % 日本\n\tlast ' });
    expect(status.metadata.get('x-t-bin')).toEqual([Buffer.from([1])]);
    expect(status.metadata.get('x-t')).toEqual(['1, 2']);
  });

  it('that cannot go over the wire end their call alone with INTERNAL and their name', async () => {
    const unsendable = [
      ['x-line', 'a\nb'],
      ['x space', 'a'],
      ['x-umlaut', 'ä'],
      [':path', '/'],
      ['connection', 'close'],
      ['content-length', '7'],
      ['grpc-status', '0'],
      ['x-padded', ' a'],
    ] as const;
    const simulator = makeEchoSimulator((input, call) => {
      if (input.kind !== 'CallOpened') return undefined;
      const index = Number(input.headers.find(([name]) => name === 'x-index')?.[1]);
      const pair = unsendable[index >> 1];
      if (pair === undefined) return undefined;
      return index % 2 === 0
        ? [headersSent(call, [pair]), message(call), ended(call)]
        : [message(call), ended(call, 0, undefined, [pair])];
    });
    const { client } = await serve(simulator);
    const channel = client();
    for (let index = 0; index < unsendable.length * 2; index += 1) {
      const given = metadata([['x-index', String(index)]]);
      const { status } = await callOnce(channel, paths.say, [text('x')], { metadata: given });
      expect(status).toMatchObject({ code: 13 });
      expect(status.details).toContain(JSON.stringify(unsendable[index >> 1]?.[0]));
    }
    const given = metadata([['x-index', '99']]);
    expect((await callOnce(channel, paths.say, [text('x')], { metadata: given })).status.code).toBe(0);
  });

  it('of a request come in wire order, with binary values in base64 and credentials as fingerprints', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const given = metadata([
      ['x-b', '2'],
      ['x-a', '1'],
      ['x-a', '3'],
      ['x-raw-bin', Buffer.from([0, 1, 2, 255])],
      ['authorization', 'Bearer very-secret'],
      ['x-doubletake-session', 'mine'],
      ['x-gripmock-session', 'theirs'],
    ]);
    await callOnce(client(), paths.say, [text('x')], { metadata: given });
    const input = simulator.log[0]?.input;
    if (input?.kind !== 'CallOpened') throw new Error('no call was opened');
    expect(input.session).toBe('mine');
    expect(input.headers.filter(([name]) => name.startsWith('x-'))).toEqual([
      ['x-b', '2'],
      ['x-a', '1'],
      ['x-a', '3'],
      ['x-raw-bin', 'AAEC/w=='],
      ['x-doubletake-session', 'mine'],
      ['x-gripmock-session', 'theirs'],
    ]);
    expect(JSON.stringify(input)).not.toContain('very-secret');
    expect(input.headers).toContainEqual([
      'authorization',
      expect.stringMatching(/^Bearer fp_[0-9a-f]{32}$/),
    ]);
  });
});
