import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/core/kernel/json.ts';
import { noDescriptors } from '../../../../src/core/services/rpc/descriptors.ts';
import type { Headers } from '../../../../src/core/services/rpc/events.ts';
import {
  closestStub,
  funnel,
  selectStub,
  stillMatches,
  type Query,
} from '../../../../src/core/services/rpc/selection.ts';
import type { StubDefinition } from '../../../../src/core/services/rpc/stub.ts';
import {
  addStubs,
  getStub,
  noStubs,
  reindexStubs,
  stubsOfFile,
  stubsOfSession,
  type NewStub,
  type Stubs,
} from '../../../../src/core/services/rpc/stubs.ts';
import { animal, descriptors, method } from './matching/zoo.ts';

const everything = (): boolean => true;

let next = 0;

function stub(definition: Partial<StubDefinition>, own = ''): NewStub {
  next += 1;
  return {
    id: `stub-${next}`,
    session: own,
    source: { from: 'api' },
    definition: { service: 'zoo.Zoo', method: 'Feed', output: {}, ...definition },
  };
}

function loaded(...list: readonly NewStub[]): Stubs {
  return addStubs(noStubs, list, descriptors).stubs;
}

function call(name: string, messages: readonly Json[], more: Partial<Query> = {}): Query {
  return {
    method: method(`/zoo.Zoo/${name}`),
    session: '',
    headers: [],
    messages: messages.map(animal),
    ...more,
  };
}

function winner(list: readonly NewStub[], query: Query): number {
  const selected = selectStub(loaded(...list), query, everything)?.stub.id;
  return list.findIndex(({ id }) => id === selected);
}

describe('of several stubs that match', () => {
  const a = { equals: { name: 'a' } };

  it('the higher priority wins, then more declared fields, then the earlier load', () => {
    const query = call('Feed', [{ name: 'a', tame: true }]);
    expect(winner([stub({ input: a }), stub({ priority: 1 })], query)).toBe(1);
    expect(winner([stub({ input: a }), stub({ input: { equals: { name: 'a', tame: true } } })], query)).toBe(
      1,
    );
    expect(winner([stub({ input: a }), stub({ input: a })], query)).toBe(0);
  });

  it('on a client stream the later matching message wins among equal priorities', () => {
    const query = call('Count', [{ name: 'a', tame: true }, { name: 'b' }]);
    const first = { equals: { name: 'a', tame: true } };
    const second = { equals: { name: 'b' } };
    expect(
      winner([stub({ method: 'Count', input: first }), stub({ method: 'Count', input: second })], query),
    ).toBe(1);
    expect(
      winner(
        [stub({ method: 'Count', input: first, priority: 1 }), stub({ method: 'Count', input: second })],
        query,
      ),
    ).toBe(0);
  });

  it('one that was loaded again keeps its place', () => {
    const [one, other] = [stub({ input: a }), stub({ input: a })];
    const { stubs } = addStubs(loaded(one, other), [one], descriptors);
    expect(selectStub(stubs, call('Feed', [{ name: 'a' }]), everything)?.stub.id).toBe(one.id);
    expect(stubs.nextOrder).toBe(3);
  });
});

describe('a stub', () => {
  it('answers for its service by full name and by the name without its package, and for no other', () => {
    const query = call('Feed', [{}]);
    expect(winner([stub({ service: 'Zoo' })], query)).toBe(0);
    expect(winner([stub({ service: 'zoo' })], query)).toBe(-1);
    expect(winner([stub({ method: 'feed' })], query)).toBe(-1);
  });

  it('of a session is seen by that session alone', () => {
    const list = [stub({}, 's1')];
    expect(winner(list, call('Feed', [{}], { session: 's1' }))).toBe(0);
    expect(winner(list, call('Feed', [{}], { session: 's2' }))).toBe(-1);
    expect(winner(list, call('Feed', [{}]))).toBe(-1);
  });

  it('for an unknown method is kept with a warning, and found when the descriptor comes', () => {
    const waiting = stub({ input: { equals: { nobody: 1 } } });
    const { stubs, warnings } = addStubs(noStubs, [stub({}), waiting], noDescriptors);
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/0/method', '/1/method']);
    expect(selectStub(stubs, call('Feed', [{}]), everything)).toBeUndefined();
    expect(
      selectStub(reindexStubs(stubs, descriptors, ['zoo.Zoo']), call('Feed', [{}]), everything),
    ).toBeDefined();
    expect(getStub(stubs, waiting.id)?.order).toBe(2);
  });

  it('with a rule that nothing can meet is warned of, with its place', () => {
    const lost = {
      ...stub({ input: { equals: { nobody: 1 } } }),
      source: { from: 'file', file: 'a.yaml', line: 3 },
    } as const;
    const { warnings } = addStubs(noStubs, [stub({}), lost], descriptors);
    expect(warnings).toEqual([
      {
        pointer: '/1/input/equals/nobody',
        message: 'never matches: the message zoo.Animal has no field "nobody"',
        file: 'a.yaml',
        line: 3,
      },
    ]);
  });

  it('is listed by file and by session, in the order of first load', () => {
    const stubs = loaded({ ...stub({}, 's'), source: { from: 'file', file: 'b' } }, stub({}, 's'), {
      ...stub({}),
      source: { from: 'file', file: 'b' },
    });
    expect(stubsOfFile(stubs, 'b').map(({ order }) => order)).toEqual([1, 3]);
    expect(stubsOfSession(stubs, 's').map(({ order }) => order)).toEqual([1, 2]);
  });
});

describe('the messages of a stream', () => {
  const [a, b] = [{ equals: { name: 'a' } }, { equals: { name: 'b' } }];
  const A = { name: 'a' };
  const B = { name: 'b' };

  it('all match a single matcher of `inputs`, and there is at least one', () => {
    const list = [stub({ method: 'Count', inputs: [a] })];
    expect(winner(list, call('Count', [A, A]))).toBe(0);
    expect(winner(list, call('Count', [A, B]))).toBe(-1);
    expect(winner(list, call('Count', []))).toBe(-1);
  });

  it('are as many as the matchers of `inputs`, pair by pair', () => {
    const list = [stub({ method: 'Count', inputs: [a, b] })];
    expect(winner(list, call('Count', [A, B]))).toBe(0);
    expect(winner(list, call('Count', [B, A]))).toBe(-1);
    expect(winner(list, call('Count', [A]))).toBe(-1);
    expect(winner(list, call('Count', [A, B, B]))).toBe(-1);
  });

  it('of a conversation match so far, and to the end of the script when the client has finished', () => {
    const list = [stub({ method: 'Talk', inputs: [a, b] })];
    expect(winner(list, call('Talk', [A]))).toBe(0);
    expect(winner(list, call('Talk', [A, A]))).toBe(-1);
    expect(winner(list, call('Talk', [A], { complete: true }))).toBe(-1);
  });

  it('of a conversation are in the script, out of it, or beyond it', () => {
    const script = { ...stub({ method: 'Talk', inputs: [a, b] }), order: 1 };
    const desc = method('/zoo.Zoo/Talk');
    expect(stillMatches(script, desc, animal(B), 1, descriptors)).toBe('yes');
    expect(stillMatches(script, desc, animal(A), 1, descriptors)).toBe('no');
    expect(stillMatches(script, desc, animal(A), 2, descriptors)).toBe('beyond the script');
    const each = { ...stub({ method: 'Talk', input: a }), order: 2 };
    expect(stillMatches(each, desc, animal(A), 7, descriptors)).toBe('yes');
    expect(stillMatches(each, desc, animal(B), 7, descriptors)).toBe('no');
  });
});

describe('the closest stub of a miss', () => {
  function closest(list: readonly NewStub[], message: Json, headers: Headers = []): number {
    const found = closestStub(loaded(...list), call('Feed', [message], { headers }))?.id;
    return list.findIndex(({ id }) => id === found);
  }

  it('is the one of which most rules hold', () => {
    const list = [
      stub({ input: { equals: { name: 'a', tame: true, legs: 2 } } }),
      stub({ input: { equals: { name: 'a', tame: true, legs: 3 }, contains: { home: { number: 0 } } } }),
    ];
    expect(closest(list, { name: 'a', tame: true, legs: 4 })).toBe(1);
  });

  it('is none when fewer than half of the rules hold', () => {
    expect(closest([stub({ input: { equals: { name: 'a' } } })], { name: 'zebra' })).toBe(-1);
    expect(
      closest([stub({ input: { equals: { name: 'a', legs: 2, tame: true } } })], { name: 'b', tame: true }),
    ).toBe(-1);
  });

  it('counts a text that is nearly the one expected for half', () => {
    const list = [stub({ input: { equals: { name: 'Leonardo' } } })];
    expect(closest(list, { name: 'leonardo ' })).toBe(0);
    expect(closest(list, { name: 'Leonarda' })).toBe(0);
    expect(closest(list, { name: 'Michelangelo' })).toBe(-1);
  });

  it('is found by a value that it shares, among more stubs than are looked at', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      stub({ input: { equals: { name: `n${index}`, legs: index } } }),
    );
    expect(closest(many, { name: 'N400 ', legs: 7_000 })).toBe(-1);
    expect(closest(many, { name: 'n400', legs: 7_000 })).toBe(400);
    expect(
      closest([...many, stub({ input: { equals: { home: { street_name: 'X', number: 1 } } } })], {
        name: 'z',
        legs: 7_000,
        home: { streetName: 'X' },
      }),
    ).toBe(500);
  });
});

describe('the funnel', () => {
  it('counts what is left after each step', () => {
    const stubs = loaded(
      stub({ input: { equals: { name: 'a' } } }),
      stub({ input: { equals: { name: 'b' } } }),
      stub({ headers: { equals: { 'x-a': '1' } } }),
      stub({}, 's1'),
      stub({ options: { times: 1 } }),
      stub({ method: 'Watch' }),
    );
    const counted = funnel(
      stubs,
      call('Feed', [{ name: 'a' }]),
      ({ definition }) => definition.options === undefined,
    );
    expect(counted).toEqual({ stubs: 6, ofMethod: 5, visible: 4, available: 3, headers: 2, messages: 1 });
  });
});
