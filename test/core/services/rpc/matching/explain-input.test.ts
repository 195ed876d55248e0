import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../../src/core/kernel/json.ts';
import {
  explainInput,
  type FieldResult,
} from '../../../../../src/core/services/rpc/matching/explain-input.ts';
import { compileInput } from '../../../../../src/core/services/rpc/matching/input-matcher.ts';
import type { InputMatcher } from '../../../../../src/core/services/rpc/stub.ts';
import { anyAnimal, anyMatcherFor, Animal, animal, registry } from './zoo.ts';

function explained(matcher: InputMatcher, json: Json): readonly FieldResult[] {
  return explainInput(compileInput(matcher, Animal, registry), animal(json));
}

function failed(matcher: InputMatcher, json: Json): readonly string[] {
  return explained(matcher, json)
    .filter(({ ok }) => !ok)
    .map(({ rule, path, hint }) => `${rule} ${path}: ${hint}`);
}

describe('an explanation', () => {
  it('comes to the verdict of the matcher', () => {
    fc.assert(
      fc.property(
        anyAnimal.chain((json) => fc.tuple(fc.constant(json), anyMatcherFor(json))),
        ([json, matcher]) => {
          const results = explained(matcher, json);
          const holds = (anyOf: number | undefined): boolean =>
            results.every((result) => result.anyOf !== anyOf || result.ok);
          const items = matcher.anyOf ?? [];
          const verdict = holds(undefined) && (items.length === 0 || items.some((_, index) => holds(index)));
          expect(verdict).toBe(compileInput(matcher, Animal, registry).matches(animal(json)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has every leaf, in the names of the message, with what was expected and what came', () => {
    expect(
      explained(
        { equals: { homes: [{ streetName: 'High', number: 5 }] } },
        { homes: [{ streetName: 'High ', rooms: ['x'] }] },
      ),
    ).toEqual([
      {
        rule: 'equals',
        path: 'homes[0].street_name',
        expected: 'High',
        actual: 'High ',
        ok: false,
        hint: 'trailing space',
      },
      { rule: 'equals', path: 'homes[0].number', expected: 5, actual: 0, ok: false },
      {
        rule: 'equals',
        path: 'homes[0].rooms',
        expected: [],
        actual: ['x'],
        ok: false,
        hint: 'not named in the rule, so it must hold its default',
      },
    ]);
  });

  it('names all that fails, with what may have been overlooked', () => {
    expect(
      failed({ equals: { name: 'Tom', tags: ['a', 'b'], nobody: 1 } }, { name: 'TOM', tags: ['b', 'a'] }),
    ).toEqual([
      'equals name: differs in case',
      'equals tags: in another order',
      'equals nobody: zoo.Animal has no such field',
    ]);
    expect(failed({ ignoreArrayOrder: true, equals: { tags: ['a'] } }, { tags: ['a', 'b'] })).toEqual([
      'equals tags: 2 elements instead of 1',
    ]);
    expect(failed({ equals: { name: 5 }, contains: { name: 'x' } }, { name: '5' })).toEqual([
      'equals name: number given as string',
      'contains name: undefined',
    ]);
    expect(failed({ equals: { nickname: 'x' }, matches: { name: 'y' } }, {})).toEqual([
      'equals nickname: default value',
      'matches name: default value',
    ]);
  });

  it('keeps the items of anyOf apart', () => {
    const results = explained(
      { equals: { tame: true }, anyOf: [{ equals: { legs: 4 } }, { glob: { name: 'T*' } }] },
      { name: 'Tom' },
    );
    expect(results.map(({ anyOf, path, ok }) => [anyOf, path, ok])).toEqual([
      [undefined, 'tame', false],
      [0, 'legs', false],
      [1, 'name', true],
    ]);
  });
});
