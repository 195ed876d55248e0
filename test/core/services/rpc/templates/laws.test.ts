import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/core/kernel/json.ts';
import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import { formatTime, parseTimestamp } from '../../../../../src/core/services/rpc/templates/time-text.ts';
import { compileJson, renderJson } from '../../../../../src/core/services/rpc/templates/compile-json.ts';
import { durationText, parseDuration } from '../../../../../src/core/services/rpc/templates/duration-text.ts';
import { fixed, shortestFloat } from '../../../../../src/core/services/rpc/templates/float-text.ts';
import { templateFunctions } from '../../../../../src/core/services/rpc/templates/functions.ts';
import { templateOutputBytesMax } from '../../../../../src/core/services/rpc/templates/limits.ts';
import { hasTemplate, parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import { utf8Length } from '../../../../../src/core/services/rpc/templates/text-sink.ts';
import { compareText } from '../../../../../src/core/services/rpc/templates/values.ts';
import { emptyData, render, rendered, requestTime } from './support.ts';

// Pieces that make something that is nearly, or really, a template.
const pieces = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  ' - ',
  '(',
  ')',
  '|',
  ' ',
  ' ',
  ' ',
  '.',
  '$',
  '$x',
  ':=',
  '=',
  ',',
  '"a"',
  '`b`',
  "'c'",
  '1',
  '-2',
  '3.5',
  '0x',
  '9223372036854775807',
  'true',
  'nil',
  'if ',
  'else',
  'end',
  'range ',
  'with ',
  'break',
  '.Request',
  '.Request.list',
  '.Request.text',
  '.Headers',
  '.Requests',
  '.RequestTime',
  '.Format',
  '.constructor',
  '{{end}}',
  '{{else}}',
  '{{range .Request.list}}',
  '{{range $i, $x := 9}}',
  '{{if .Request.text}}',
  '{{.}}',
  '/*',
  '*/',
  '\n',
  '😀',
  '\ud800',
  '"%*d%[9]v%.9f"',
  '1000000',
  '__proto__',
  '\\',
];
const piece = fc.constantFrom(...pieces, ...templateFunctions.keys());
const operands = [
  '.Request.text',
  '.Request.number',
  '.Request.float',
  '.Request.big',
  '.Request.list',
  '.Request.map',
  '.Request.nothing',
  '.RequestTime',
  '(duration "1h")',
  '(bytes "hi")',
  '(decimal "1.5")',
  '"2s"',
  '0',
  '-1',
  '""',
  '1e308',
  '"%d %s %x"',
  'now',
  'true',
  'nil',
  '.Requests',
  '$',
  'faker.Person',
  '99999',
  '"a"',
  '3',
];
// Lone surrogates too.
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const nearlyTemplate = fc
  .array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string()), { maxLength: 40 })
  .map((pieces) => `{{${pieces.join('')}`);

// What a problem says that no rule of the language gives.
const unforeseen = { problem: expect.stringContaining('could not be evaluated') as string };

const request: JsonObject = {
  text: 'some text',
  number: 7,
  float: 2.5,
  big: '9007199254740993',
  list: [1, 'two', null, { a: 1 }, [true]],
  map: { a: 1, 'b-c': 'x' },
  nothing: null,
};

test('a hostile text never throws, and gives a text within the limit or a problem', () => {
  fc.assert(
    fc.property(nearlyTemplate, (text) => {
      const result = render(text, { Request: request, Requests: [request], Headers: { a: 'b' } });
      expect(result.ok ? utf8Length(result.text) : 0).toBeLessThanOrEqual(templateOutputBytesMax);
      expect(result).not.toMatchObject(unforeseen);
    }),
    { numRuns: 2_000 },
  );
});

test('an expression of any functions over any values never fails but by a problem of its own', () => {
  const operand = fc.constantFrom(...operands);
  const call = fc
    .tuple(
      fc.constantFrom(...templateFunctions.keys()),
      fc.array(operand, { maxLength: 3 }),
      fc.boolean(),
      operand,
    )
    .map(([name, args, isPiped, last]) => `${isPiped ? `${last} | ` : ''}${[name, ...args].join(' ')}`);
  fc.assert(
    fc.property(call, (expression) => {
      const result = render(`{{${expression}}}`, { Request: request, Requests: [request] });
      expect(result).not.toMatchObject(unforeseen);
    }),
    { numRuns: 3_000 },
  );
});

test('a text without {{ renders to itself', () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => !hasTemplate(text)),
      (text) => {
        expect(rendered(text)).toBe(text);
      },
    ),
  );
});

test('a template renders twice to the same bytes at one entry, and to others at another', () => {
  const template =
    '{{uuid}} {{faker.Person.Name}} {{faker.DateTime.PastDate}} {{faker.Number.Int64}} {{now}} {{uuid}}';
  fc.assert(
    fc.property(fc.nat(), (seq) => {
      expect(rendered(template, {}, seq)).toBe(rendered(template, {}, seq));
      expect(rendered(template, {}, seq)).not.toBe(rendered(template, {}, seq + 1));
    }),
    { numRuns: 30 },
  );
});

test('a problem of parsing has an offset within the text', () => {
  fc.assert(
    fc.property(nearlyTemplate, (text) => {
      const parsed = parseTemplate(text);
      const offset = parsed.ok ? 0 : parsed.offset;
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset).toBeLessThanOrEqual(text.length);
    }),
  );
});

test('a JSON value without templates renders to itself, and is not copied', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes('{{'));
      const source = value as Json;
      const environment = { now: requestTime, randomness: randomnessAt('laws', 1) };
      const result = renderJson(compileJson(source), emptyData, environment);
      expect(result.ok && result.value).toBe(source);
    }),
  );
});

test('a value that went through json reads back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = rendered('{{json .Request.value}}', { Request: { value: value as Json } });
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('the shortest text of a float reads back as that float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(shortestFloat(value))).toBe(value);
      expect(Number(fixed(value, undefined))).toBe(value);
    }),
  );
});

test('a float to so many places is the nearest one with so many places', () => {
  const double = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
  fc.assert(
    fc.property(double, fc.integer({ min: 0, max: 9 }), (value, places) => {
      const unit = 10 ** -places;
      expect(Math.abs(Number(fixed(value, places)) - value)).toBeLessThanOrEqual(unit * 0.500001);
    }),
  );
});

test('arithmetic on integers is that of integers, at any size that fits', () => {
  const integer = fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n });
  fc.assert(
    fc.property(integer, integer, (a, b) => {
      expect(rendered(`{{add ${a} "${b}"}} {{sub "${a}" ${b}}}`)).toBe(`${a + b} ${a - b}`);
      fc.pre(b !== 0n);
      expect(rendered(`{{mod ${a} ${b}}} {{div (mul ${a} 4096) 4096}}`)).toBe(`${a % b} ${a}`);
    }),
  );
});

test('times are written as the calendar of the engine has them', () => {
  const ms = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(ms, (at) => {
      fc.pre(new Date(at).getUTCFullYear() > 0);
      const text = formatTime(BigInt(at) * 1_000_000n, '2006-01-02T15:04:05.000Z07:00');
      expect(text).toBe(new Date(at).toISOString());
      expect(parseTimestamp(text)).toBe(BigInt(at) * 1_000_000n);
    }),
  );
});

test('durations are read as they are written', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (nanos) => {
      expect(parseDuration(durationText(nanos))).toBe(nanos);
    }),
  );
});

test('texts are in the order of their UTF-8 bytes', () => {
  const codePoint = fc.nat(0x10ffff).filter((code) => code < 0xd800 || code > 0xdfff);
  const text = fc.array(codePoint, { maxLength: 4 }).map((codes) => String.fromCodePoint(...codes));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
