import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rehearseCall } from '../../../../src/core/services/rpc/rehearsal.ts';
import { inspectCall } from '../../../../src/core/services/rpc/inspection.ts';
import { searchStubs } from '../../../../src/core/services/rpc/question.ts';
import { decodeMessage } from '../../../../src/core/services/rpc/codec.ts';
import { findMethod } from '../../../../src/core/services/rpc/descriptors.ts';
import { allHeard, call, converse, heard, simulate } from '../../../support/simulate.ts';
import { encodeLine } from '../../../support/talk-protos.ts';

const text = fc.constantFrom('a', 'b', 'ab');
const stub = fc.record({
  method: fc.constantFrom('Say', 'Tell', 'Gather'),
  priority: fc.integer({ min: 0, max: 2 }),
  input: fc.oneof(
    fc.record({ equals: fc.record({ text }) }),
    fc.record({ contains: fc.record({ text }) }),
    fc.constant({ contains: {} }),
  ),
  options: fc.record({ times: fc.integer({ min: 0, max: 2 }) }),
  output: fc.constantFrom(
    { data: { text: 'said {{uuid}}' } },
    { data: { text: '{{.AttemptNumber}}' }, delay: '1s' },
    { error: 'no', code: 7 },
    { stream: [{ text: '{{faker.Person.FirstName}}' }, { text: 'y' }], delay: '5m' },
  ),
  session: fc.constantFrom('', 'blue'),
});

describe('a rehearsed call', () => {
  it('is what the call is answered when it is made, to the byte, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stub, { maxLength: 6 }),
        fc.array(text, { minLength: 1, maxLength: 3 }),
        async (stubs, texts) => {
          const simulator = await simulate(stubs);
          for (const method of ['Say', 'Tell'] as const) {
            for (const said of texts) {
              const world = simulator.world();
              const rehearsed = rehearseCall(
                world.rpc,
                {
                  method: `/talk.v1.Talk/${method}`,
                  clientStreaming: false,
                  session: 'blue',
                  headers: [],
                  messages: [encodeLine({ text: said })],
                },
                { seed: world.seed, seq: world.seq + 1, at: world.at },
              );
              expect(simulator.world()).toBe(world);
              const { seq } = await call(simulator, method, { text: said }, { session: 'blue' });
              await simulator.runTo(simulator.world().at + 24 * 3600_000);
              expect(heard(rehearsed)).toEqual(await allHeard(simulator, seq));
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('of a client that streams is what the stream is answered', async () => {
    const inputs = [{ equals: { text: 'a' } }, { equals: { text: 'b' } }];
    const simulator = await simulate([{ method: 'Gather', inputs, output: { data: { text: 'both' } } }]);
    const world = simulator.world();
    const messages = ['a', 'b'].map((said) => encodeLine({ text: said }));
    const rehearsed = rehearseCall(
      world.rpc,
      { method: '/talk.v1.Talk/Gather', clientStreaming: true, session: '', headers: [], messages },
      { seed: world.seed, seq: world.seq + 1, at: world.at },
    );
    const gather = await converse(simulator, 'Gather');
    await gather.say({ text: 'a' });
    await gather.say({ text: 'b' });
    expect(heard(rehearsed)).toEqual(await gather.finish());
  });
});

describe('an inspection', () => {
  it('names the stub that a search names, and the last stage leaves over those that match', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stub, { maxLength: 8 }), text, async (stubs, said) => {
        const simulator = await simulate(stubs);
        await call(simulator, 'Say', { text: said });
        const world = simulator.world();
        const method = findMethod(world.rpc.descriptors, '/talk.v1.Talk/Say');
        if (method === undefined) throw new Error('the fixture has no such method');
        const decoded = decodeMessage(method.input, encodeLine({ text: said }));
        if (!decoded.ok) throw new Error(decoded.problem);
        const report = inspectCall(world.rpc, {
          method,
          session: '',
          headers: [],
          messages: [decoded.message],
        });
        const moment = { seed: world.seed, seq: world.seq + 1, at: world.at };
        const found = searchStubs(
          world.rpc,
          { service: 'Talk', method: 'Say', session: '', data: { text: said } },
          moment,
        );
        expect(report.matchedStubId).toBe(found.kind === 'answer' ? found.answer.stubId : undefined);
        const matching = report.candidates.filter(({ excludedBy }) => excludedBy.length === 0);
        expect(report.stages.at(-1)?.after).toBe(matching.length);
        expect(matching[0]?.id).toBe(report.matchedStubId);
        expect(report.stages[0]?.before).toBe(stubs.filter(({ method: of }) => of === 'Say').length);
      }),
      { numRuns: 50 },
    );
  });
});
