import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../src/core/kernel/json.ts';
import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import { compileJson, renderJson } from '../../../../../src/core/services/rpc/templates/compile-json.ts';
import { emptyData, requestTime } from './support.ts';

const environment = { now: requestTime, randomness: randomnessAt('json', 1) };
const data = { ...emptyData, Request: { name: 'Ann', n: 5 } };

function renderedJson(source: Json): Json | undefined {
  const result = renderJson(compileJson(source), data, environment);
  return result.ok ? result.value : undefined;
}

describe('a JSON value with templates', () => {
  test('is rendered in its texts, and in nothing else', () => {
    const source = { '{{key}}': ['{{.Request.name}}', 7, null, { deep: 'n={{.Request.n}}' }], plain: 'x' };
    expect(renderedJson(source)).toEqual({ '{{key}}': ['Ann', 7, null, { deep: 'n=5' }], plain: 'x' });
  });

  test('keeps the order of its keys', () => {
    const source = { z: '{{.Request.n}}', a: 1, m: '{{.Request.name}}' };
    expect(Object.keys(renderedJson(source) as object)).toEqual(['z', 'a', 'm']);
  });

  test('gives texts, also where a template gives a number', () => {
    expect(renderedJson({ count: '{{add .Request.n 1}}' })).toEqual({ count: '6' });
  });

  test('shares the parts that hold none, and is not changed itself', () => {
    const source = { fixed: { a: [1] }, name: '{{.Request.name}}' };
    const value = renderedJson(source) as typeof source;
    expect(value.fixed).toBe(source.fixed);
    expect(source.name).toBe('{{.Request.name}}');
  });

  test('may have a key named __proto__, which stays a key', () => {
    const source = JSON.parse('{"__proto__": "{{.Request.name}}", "a": "{{.Request.n}}"}') as Json;
    const value = renderedJson(source);
    expect(JSON.stringify(value)).toBe('{"__proto__":"Ann","a":"5"}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('draws its chance in the order of the value', () => {
    const twice = compileJson(['{{uuid}}', '{{uuid}}']);
    const result = renderJson(twice, data, { now: requestTime, randomness: randomnessAt('order', 1) });
    const chance = randomnessAt('order', 1);
    expect(result).toEqual({ ok: true, value: [chance.uuid(), chance.uuid()] });
  });
});

describe('a JSON value with templates at fault', () => {
  test('lists all problems, each with its pointer and offset', () => {
    const { problems, isStatic } = compileJson({
      a: ['x', 'ab {{nope}}'],
      'b/~': '{{',
      fine: '{{.Request.n}}',
    });
    expect(isStatic).toBe(false);
    expect(problems).toEqual([
      { pointer: '/a/1', problem: 'function "nope" not defined (at offset 5)', offset: 5 },
      { pointer: '/b~1~0', problem: 'the action is not closed with }} (at offset 0)', offset: 0 },
    ]);
  });

  test('renders to its first problem', () => {
    const result = renderJson(compileJson({ a: '{{nope}}' }), data, environment);
    expect(result).toMatchObject({ ok: false, pointer: '/a' });
  });

  test('says where rendering failed', () => {
    const result = renderJson(compileJson({ list: ['x', '{{div 1 0}}'] }), data, environment);
    expect(result).toEqual({
      ok: false,
      pointer: '/list/1',
      problem: 'template "{{div 1 0}}" at offset 2: div: division by zero',
    });
  });

  test('is refused when it nests too deep, without overflowing the stack', () => {
    let source: Json = '{{.Request.n}}';
    for (let depth = 0; depth < 50_000; depth += 1) source = [source];
    expect(compileJson(source).problems).toMatchObject([{ problem: 'nests deeper than 200 levels' }]);
  });
});
