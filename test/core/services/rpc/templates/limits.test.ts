import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/core/kernel/json.ts';
import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import type { TemplateData } from '../../../../../src/core/services/rpc/templates/data.ts';
import { parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import { renderTemplate } from '../../../../../src/core/services/rpc/templates/render.ts';
import { emptyData, render, rendered, requestTime } from './support.ts';

function nested(open: string, middle: string, close: string, levels: number): string {
  return open.repeat(levels) + middle + close.repeat(levels);
}

describe('a template is stopped', () => {
  test.each([
    ['an endless range', '{{range 9223372036854775807}}{{end}}', 'more than 100000 steps'],
    [
      'ranges in ranges',
      '{{range 1000}}{{range 1000}}{{range 1000}}{{end}}{{end}}{{end}}',
      'more than 100000 steps',
    ],
    [
      'long output',
      '{{range 30000}}{{"0123456789012345678901234567890123456789"}}{{end}}',
      'gives more than 1048576 bytes',
    ],
    [
      'a doubling text',
      '{{$x := "0123456789"}}{{range 100}}{{$x = print $x $x}}{{end}}',
      'gives more than 1048576 bytes',
    ],
    ['a wide format', '{{printf "%99999999d" 1}}', 'more than 1000 places'],
    ['a precise format', '{{printf "%.99999999f" 1.5}}', 'more than 1000 places'],
    ['a wide format from an argument', '{{printf "%*d" 100000 1}}', 'more than 1000 places'],
    [
      'work on long texts',
      '{{$x := printf "%1000d" 1}}{{range 90000}}{{$y := upper $x}}{{end}}',
      'more than 100000 steps',
    ],
    [
      'a growing replacement',
      '{{$x := printf "%1000d" 1}}{{$y := replace $x " " $x}}{{replace $y " " $x}}',
      'gives more than',
    ],
  ])('by %s', (_, template, problem) => {
    expect(rendered(template)).toContain(problem);
  });

  test('when its output has too many bytes, however few characters', () => {
    const text = 'é'.repeat(600_000);
    expect(rendered('{{.Request.text}}', { Request: { text } })).toContain('gives more than 1048576 bytes');
    expect(rendered('{{.Request.text}}', { Request: { text: text.slice(0, 500_000) } })).toHaveLength(
      500_000,
    );
  });

  test('when it is nested too deep', () => {
    expect(render(`{{${nested('(', '1', ')', 100)}}}`)).toEqual({ ok: true, text: '1' });
    expect(rendered(`{{${nested('(', '1', ')', 101)}}}`)).toContain('nests deeper than 100 levels');
    expect(rendered(nested('{{if true}}', 'x', '{{end}}', 101))).toContain('nests deeper than 100 levels');
    expect(rendered(`{{${nested('(', '1', ')', 100_000)}}}`)).toContain('nests deeper than 100 levels');
  });

  test('when it has too many variables', () => {
    const declare = (count: number): string =>
      Array.from({ length: count }, (_, n) => `{{$v${n} := 1}}`).join('');
    expect(rendered(declare(1_000))).toBe('');
    expect(rendered(declare(1_001))).toContain('more than 1000 variables');
  });

  test('when it prints what nests too deep', () => {
    let value: Json = 1;
    for (let depth = 0; depth < 5_000; depth += 1) value = [value];
    expect(rendered('{{.Request.value}}', { Request: { value } })).toContain('nests deeper than 200 levels');
    expect(rendered('{{json .Request}}', { Request: { value } })).toContain('nests deeper than 200 levels');
  });
});

describe('a template reaches nothing but the data', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'length',
  ];

  test.each(names)('%s is an unknown field', (name) => {
    expect(rendered(`{{.Request.${name}}}`, { Request: { a: 1 } })).toContain('unknown field');
    expect(rendered(`{{.Request.a.${name}}}`, { Request: { a: 'text' } })).toContain('has no field');
    expect(rendered(`{{.Request.a.${name}}}`, { Request: { a: [1] } })).toContain('has no field');
    expect(rendered(`{{$.${name}}}`)).toContain('unknown field');
    expect(rendered(`{{now.${name}}}`)).toContain('has no field');
    expect(rendered(`{{index .Request "${name}"}}`, { Request: { a: 1 } })).toBe('<no value>');
    expect(rendered(`{{extract .Request "${name}"}}`, { Request: { a: 1 } })).toBe('<no value>');
    expect(rendered(`{{.Headers.${name}}}|{{index .Headers "${name}"}}`)).toBe('|');
    expect(rendered(`{{${name}}}`)).toContain('not defined');
  });

  test('a field of such a name is a field', () => {
    const Request = JSON.parse('{"__proto__": {"constructor": "mine"}}') as { [key: string]: Json };
    expect(rendered('{{.Request.__proto__.constructor}} {{json .Request}}', { Request })).toBe(
      'mine {"__proto__":{"constructor":"mine"}}',
    );
  });
});

test('data is asked for once, and only when a template wants it', () => {
  const asked: string[] = [];
  const data: TemplateData = {
    ...emptyData,
    get Request() {
      asked.push('Request');
      return { a: 1, b: 2 };
    },
    get Headers() {
      asked.push('Headers');
      return { 'x-a': 'A' };
    },
    get Requests(): readonly JsonObject[] {
      throw new Error('nobody asked for this');
    },
  };
  const parsed = parseTemplate(
    '{{.Request.a}}{{.Request.b}} {{index .Headers "X-A"}}{{index $.Headers "x-a"}}',
  );
  const environment = { now: requestTime, randomness: randomnessAt('asked', 1) };
  const result = parsed.ok ? renderTemplate(parsed.template, data, environment) : parsed;
  expect(result).toEqual({ ok: true, text: '12 AA' });
  expect(asked).toEqual(['Request', 'Headers']);
});
