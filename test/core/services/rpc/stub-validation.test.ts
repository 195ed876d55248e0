import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationMsMax, formatDuration } from '../../../../src/core/kernel/duration.ts';
import { violationsMax } from '../../../../src/core/services/rpc/stub-problems.ts';
import { stubDepthMax } from '../../../../src/core/services/rpc/stub-rules.ts';
import { stubsPerPayloadMax, validateStubs } from '../../../../src/core/services/rpc/stub-validation.ts';

const least = { service: 'shop.v1.Orders', method: 'GetOrder', output: { data: {} } };
const id = '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10';

function violationsOf(payload: unknown, compat: readonly 'gripmock'[] = []): readonly string[] {
  const result = validateStubs(payload, { compat });
  return result.ok ? [] : result.violations.map(({ pointer, message }) => `${pointer} ${message}`);
}

function warningsOf(payload: unknown): readonly string[] {
  const result = validateStubs(payload, { compat: [] });
  return result.ok ? result.warnings.map(({ pointer, message }) => `${pointer} ${message}`) : ['not valid'];
}

test('any JSON value is either stubs or has violations; it never throws', () => {
  const likeStub = fc.record(
    {
      id: fc.oneof(fc.uuid(), fc.jsonValue()),
      service: fc.oneof(fc.string(), fc.jsonValue()),
      method: fc.oneof(fc.string(), fc.jsonValue()),
      input: fc.oneof(fc.record({ matches: fc.jsonValue() }), fc.jsonValue()),
      headers: fc.oneof(
        fc.record({ anyOf: fc.array(fc.dictionary(fc.string(), fc.jsonValue())) }),
        fc.jsonValue(),
      ),
      output: fc.oneof(fc.record({ data: fc.jsonValue(), delay: fc.jsonValue() }), fc.jsonValue()),
      effects: fc.oneof(fc.array(fc.record({ action: fc.jsonValue(), id: fc.jsonValue() })), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), likeStub, fc.array(likeStub)), (payload) => {
      const result = validateStubs(payload, { compat: [] });
      expect((result.ok ? result.definitions : result.violations).length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

test('every pointer of a violation leads to a value of the payload', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom('id', 'service', 'input', 'output', 'a/b'), fc.jsonValue())),
      (payload) => {
        const result = validateStubs(payload, { compat: [] });
        for (const { pointer } of result.ok ? [] : result.violations)
          expect(valueAt(payload, pointer)).toBe(true);
      },
    ),
  );
});

function valueAt(value: unknown, pointer: string): boolean {
  let current = value;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return false;
    current = (current as Record<string, unknown>)[key];
  }
  return true;
}

test('the definitions are the very values of the payload, one or many', () => {
  const other = { ...least, method: 'PlaceOrder' };
  expect(validateStubs(least, { compat: [] })).toEqual({ ok: true, definitions: [least], warnings: [] });
  const many = validateStubs([least, other], { compat: [] });
  expect(many.ok && many.definitions[1]).toBe(other);
});

test('a payload that is no stub says what came', () => {
  expect(violationsOf(7)).toEqual([' expected a stub or a list of stubs, got 7']);
  expect(violationsOf(null)).toEqual([' expected a stub or a list of stubs, got null']);
  expect(violationsOf([])).toEqual([' expected at least 1 stub, got an empty list']);
  expect(violationsOf(Array.from({ length: stubsPerPayloadMax + 1 }))).toEqual([
    ' expected at most 200000 stubs in one payload, got 200001',
  ]);
});

describe('each rule of the specification, broken once, is one violation at its place', () => {
  const name = 'stub "shop.v1.Orders/GetOrder":';
  const { service: _service, ...withoutService } = least;
  const { method: _method, ...withoutMethod } = least;
  const { output: _output, ...withoutOutput } = least;

  test.each<readonly [unknown, string]>([
    [withoutService, ' stub: service is missing'],
    [withoutMethod, ' stub: method is missing'],
    [withoutOutput, ` ${name} output is missing`],
    [[least, 7], '/1 stub 2: a stub must be an object, got 7'],
    [
      [least, {}, least].slice(0, 2).map((stub, at) => (at === 1 ? withoutService : stub)),
      '/1 stub 2: service is missing',
    ],
    [{ ...least, id: 'greet' }, '/id stub "greet": id must be a UUID, got "greet"'],
    [{ ...least, service: '' }, '/service stub "/GetOrder": service must not be empty'],
    [{ ...least, method: '' }, '/method stub "shop.v1.Orders/": method must not be empty'],
    [{ ...least, service: 7 }, '/service stub: service must be a text, got 7'],
    [{ ...least, priority: 1.5 }, `/priority ${name} priority must be a whole number, got 1.5`],
    [{ ...least, session: null }, `/session ${name} session must be a text, got null`],
    [{ ...least, prioriy: 1 }, `/prioriy ${name} unknown property "prioriy", did you mean "priority"?`],
    [
      { ...least, stream: [] },
      `/stream ${name} unknown property "stream", expected one of id, service, method, priority, input, inputs, headers, options, output, effects, session`,
    ],
    [
      { ...least, input: { equals: {} }, inputs: [] },
      ` ${name} has input and inputs, and may have only one of them`,
    ],
    [{ ...least, input: null }, `/input ${name} input must be an object, got null`],
    [{ ...least, input: {} }, `/input ${name} input must have at least 1 property, got {}`],
    [{ ...least, input: { equals: 7 } }, `/input/equals ${name} input.equals must be an object, got 7`],
    [{ ...least, input: { equals: null } }, `/input/equals ${name} input.equals must be an object, got null`],
    [
      { ...least, input: { contains: 'a' } },
      `/input/contains ${name} input.contains must be an object or null, got "a"`,
    ],
    [
      { ...least, input: { matches: [] } },
      `/input/matches ${name} input.matches must be an object or null, got []`,
    ],
    [
      { ...least, input: { glob: true } },
      `/input/glob ${name} input.glob must be an object or null, got true`,
    ],
    [
      { ...least, input: { ignoreArrayOrder: 1, equals: {} } },
      `/input/ignoreArrayOrder ${name} input.ignoreArrayOrder must be true or false, got 1`,
    ],
    [
      { ...least, input: { equal: {} } },
      `/input/equal ${name} unknown property "equal" in input, did you mean "equals"?`,
    ],
    [
      { ...least, input: { anyOf: [] } },
      `/input/anyOf ${name} input.anyOf must have at least 1 item, got []`,
    ],
    [
      { ...least, input: { anyOf: [{}] } },
      `/input/anyOf/0 ${name} input.anyOf[0] must have at least 1 property, got {}`,
    ],
    [
      { ...least, input: { anyOf: [{ anyOf: [{ equals: {} }] }] } },
      `/input/anyOf/0/anyOf ${name} unknown property "anyOf" in input.anyOf[0], expected one of ignoreArrayOrder, equals, contains, matches, glob`,
    ],
    [{ ...least, inputs: {} }, `/inputs ${name} inputs must be a list, got {}`],
    [
      { ...least, inputs: [{ equals: {} }, {}] },
      `/inputs/1 ${name} inputs[1] must have at least 1 property, got {}`,
    ],
    [{ ...least, headers: {} }, `/headers ${name} headers must have at least 1 property, got {}`],
    [
      { ...least, headers: { equals: { 'x-a': 1 } } },
      `/headers/equals/x-a ${name} headers.equals["x-a"] must be a text, got 1`,
    ],
    [{ ...least, headers: { glob: null } }, `/headers/glob ${name} headers.glob must be an object, got null`],
    [
      { ...least, headers: { anyOf: [] } },
      `/headers/anyOf ${name} headers.anyOf must have at least 1 item, got []`,
    ],
    [
      { ...least, headers: { ignoreArrayOrder: true } },
      `/headers/ignoreArrayOrder ${name} unknown property "ignoreArrayOrder" in headers, expected one of equals, contains, matches, glob, anyOf`,
    ],
    [{ ...least, options: { times: -1 } }, `/options/times ${name} options.times must be 0 or more, got -1`],
    [
      { ...least, options: { time: 1 } },
      `/options/time ${name} unknown property "time" in options, did you mean "times"?`,
    ],
    [{ ...least, output: {} }, `/output ${name} output must have at least 1 property, got {}`],
    [{ ...least, output: { stream: {} } }, `/output/stream ${name} output.stream must be a list, got {}`],
    [{ ...least, output: { error: 5 } }, `/output/error ${name} output.error must be a text, got 5`],
    [{ ...least, output: { code: 17 } }, `/output/code ${name} output.code must be from 0 to 16, got 17`],
    [{ ...least, output: { code: -1 } }, `/output/code ${name} output.code must be from 0 to 16, got -1`],
    [
      { ...least, output: { code: 'OK' } },
      `/output/code ${name} output.code must be a whole number, got "OK"`,
    ],
    [{ ...least, output: { details: [{}] } }, `/output/details/0 ${name} output.details[0].type is missing`],
    [
      { ...least, output: { details: [{ type: 1 }] } },
      `/output/details/0/type ${name} output.details[0].type must be a text, got 1`,
    ],
    [
      { ...least, output: { delay: '5 s' } },
      `/output/delay ${name} output.delay must be numbers with the units ms, s, m, h, such as "1m30s", got "5 s"`,
    ],
    [
      { ...least, output: { headers: { a: null } } },
      `/output/headers/a ${name} output.headers.a must be a text, got null`,
    ],
    [
      { ...least, output: { data: 1, trailers: {} } },
      `/output/trailers ${name} unknown property "trailers" in output, but with --compat gripmock`,
    ],
    [{ ...least, effects: {} }, `/effects ${name} effects must be a list, got {}`],
    [{ ...least, effects: [{}] }, `/effects/0 ${name} effects[0].action is missing`],
    [
      { ...least, effects: [{ action: 'remove' }] },
      `/effects/0/action ${name} effects[0].action must be "upsert" or "delete", got "remove"`,
    ],
    [{ ...least, effects: [{ action: 'upsert' }] }, `/effects/0 ${name} effects[0].stub is missing`],
    [
      { ...least, effects: [{ action: 'upsert', stub: {} }] },
      `/effects/0/stub ${name} effects[0].stub must have at least 1 property, got {}`,
    ],
    [{ ...least, effects: [{ action: 'delete' }] }, `/effects/0 ${name} effects[0].id is missing`],
    [
      { ...least, effects: [{ action: 'delete', id: '' }] },
      `/effects/0/id ${name} effects[0].id must not be empty`,
    ],
    [
      { ...least, effects: [{ action: 'delete', id, stubs: 1 }] },
      `/effects/0/stubs ${name} unknown property "stubs" in effects[0], did you mean "stub"?`,
    ],
  ])('%j', (payload, violation) => {
    expect(violationsOf(payload)).toEqual([violation]);
  });
});

describe('what the specification allows is accepted', () => {
  test.each<readonly [string, object]>([
    ['null matchers', { input: { contains: null, matches: null, glob: null } }],
    ['empty rules', { input: { equals: {}, contains: {} } }],
    ['no rule on inputs', { inputs: [] }],
    ['an id in upper case', { id: id.toUpperCase() }],
    ['a negative priority', { priority: -1 }],
    [
      'free properties of details and of the stub of an effect',
      {
        output: { code: 3, details: [{ type: 'a.b/c', anything: [1] }] },
        effects: [{ action: 'upsert', stub: { anything: 1 } }],
      },
    ],
    ['an id from a template', { effects: [{ action: 'delete', id: '{{.Request.id}}' }] }],
    ['both parts of an effect', { effects: [{ action: 'delete', id, stub: { id } }] }],
  ])('%s', (_name, parts) => {
    expect(violationsOf({ ...least, ...parts })).toEqual([]);
  });

  test.each([[{}], ['2026-01-01T00:00:00Z'], [7], [true], [null], [[1]]])('the data %j', (data) => {
    expect(violationsOf({ ...least, output: { data, stream: [data] } })).toEqual([]);
  });
});

describe('beyond the shape', () => {
  const name = 'stub "shop.v1.Orders/GetOrder":';

  test('a regular expression must compile, wherever it stands', () => {
    const [violation] = violationsOf({ ...least, inputs: [{ anyOf: [{ matches: { a: [{ b: '(' }] } }] }] });
    expect(violation).toMatch('/inputs/0/anyOf/0/matches/a/0/b stub');
    expect(violation).toMatch('must be a regular expression (RE2 syntax), got "(": ');
    expect(violationsOf({ ...least, headers: { matches: { a: '(?=a)' } } })).toHaveLength(1);
    expect(violationsOf({ ...least, input: { matches: { a: '^(a+)+$' } } })).toEqual([]);
  });

  test('a regular expression of more than a kilobyte is refused', () => {
    expect(violationsOf({ ...least, input: { matches: { a: 'é'.repeat(513) } } })).toHaveLength(1);
    expect(violationsOf({ ...least, input: { matches: { a: 'é'.repeat(512) } } })).toEqual([]);
  });

  test('a glob must have an end', () => {
    expect(violationsOf({ ...least, input: { glob: { path: '{a,b' } } })[0]).toMatch(
      '/input/glob/path stub "shop.v1.Orders/GetOrder": input.glob.path must be a glob, got "{a,b"',
    );
  });

  test('a template must parse, in output and in effects', () => {
    const violations = violationsOf({
      ...least,
      output: { data: { a: ['{{'] }, headers: { 'x-a': '{{end}}' }, error: '{{.A' },
      effects: [{ action: 'upsert', stub: { service: '{{if}}' } }],
    });
    expect(violations.map((violation) => violation.split(' ')[0])).toEqual([
      '/output/data/a/0',
      '/output/headers/x-a',
      '/output/error',
      '/effects/0/stub/service',
    ]);
    expect(violations[0]).toMatch(/output\.data\.a\[0\] is not a template: .+/);
  });

  test('a delay has a longest', () => {
    expect(violationsOf({ ...least, output: { delay: formatDuration(durationMsMax) } })).toEqual([]);
    expect(violationsOf({ ...least, output: { delay: '999999h' } })).toEqual([
      `/output/delay ${name} output.delay must be at most 100 years (876000h), got 999999h`,
    ]);
    expect(violationsOf({ ...least, output: { delay: '1s'.repeat(5_000_000) } })).toHaveLength(2);
  });

  test('the id of an effect is a UUID or a template', () => {
    expect(violationsOf({ ...least, effects: [{ action: 'delete', id: 'greet' }] })).toEqual([
      `/effects/0/id ${name} effects[0].id must be a UUID or a template, got "greet"`,
    ]);
    expect(violationsOf({ ...least, effects: [{ action: 'upsert', stub: { id: 'greet' } }] })).toEqual([
      `/effects/0/stub/id ${name} effects[0].stub.id must be a UUID or a template, got "greet"`,
    ]);
  });

  test('one id names one stub of a payload', () => {
    expect(violationsOf([{ ...least, id }, least, { ...least, id }])).toEqual([
      `/2/id stub "${id}": id is already that of stub 1 of the same payload`,
    ]);
  });

  test('numbers that JSON does not have are refused', () => {
    expect(violationsOf({ ...least, output: { data: { a: Number.NaN } } })).toEqual([
      `/output/data/a ${name} output.data.a must be a finite number, got NaN; write "NaN" or "Infinity" as text`,
    ]);
  });

  test('nesting has a limit, and 100,000 levels are one violation', () => {
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), 1);
    // A stub and its output are two levels.
    expect(violationsOf({ ...least, output: { data: nested(stubDepthMax - 2) } })).toEqual([]);
    const violation = [`/output ${name} output nests deeper than 100 levels`];
    expect(violationsOf({ ...least, output: { data: nested(stubDepthMax - 1) } })).toEqual(violation);
    expect(violationsOf({ ...least, output: { data: nested(100_000) } })).toEqual(violation);
    expect(violationsOf({ ...least, input: nested(100_000) })).toContain(
      `/input ${name} input nests deeper than 100 levels`,
    );
  });

  test('keys that name parts of a prototype are keys like others', () => {
    const stub: unknown = JSON.parse(
      `{"service":"a","method":"b","input":{"equals":{"__proto__":{"x":1},"constructor":"c"}},"output":{"data":{"__proto__":"{{"}}}`,
    );
    expect(violationsOf(stub)).toEqual([expect.stringMatching('^/output/data/__proto__ stub "a/b": ')]);
    const top: unknown = JSON.parse('{"service":"a","method":"b","__proto__":{},"output":{"data":1}}');
    expect(violationsOf(top)).toEqual([
      expect.stringMatching('^/__proto__ stub "a/b": unknown property "__proto__"'),
    ]);
  });
});

test('of many violations the first are listed, with how many more there are', () => {
  const violations = violationsOf(Array.from({ length: violationsMax + 37 }, () => ({ ...least, code: 1 })));
  expect(violations).toHaveLength(violationsMax + 1);
  expect(violations.at(-1)).toBe(' and 37 more');
});

test('long values and names are cut short in messages', () => {
  const long = 'x'.repeat(1_000_000);
  const failures = validateFailures({ ...least, output: { code: long, [long]: 1, headers: { [long]: 1 } } });
  expect(failures).toHaveLength(3);
  for (const { message } of failures) expect(message.length).toBeLessThan(300);
});

function validateFailures(payload: unknown): readonly { readonly message: string }[] {
  const result = validateStubs(payload, { compat: [] });
  return result.ok ? [] : result.violations;
}

describe('what is hardly meant is a warning', () => {
  test.each<readonly [object, string]>([
    [{ input: { equals: { a: '{{.Request.a}}' } } }, '/input/equals/a'],
    [{ headers: { contains: { a: '{{.Session}}' } } }, '/headers/contains/a'],
    [{ output: { code: 3, details: [{ type: 'a/b', c: '{{.Request.a}}' }] } }, '/output/details/0/c'],
    [{ headers: { matches: { Authorization: '^Bearer [a-z]+$' } } }, '/headers/matches/Authorization'],
    [{ headers: { contains: { 'x-api-key': 'abc' } } }, '/headers/contains/x-api-key'],
  ])('%j', (parts, pointer) => {
    expect(warningsOf({ ...least, ...parts }).map((warning) => warning.split(' ')[0])).toEqual([pointer]);
  });

  test.each<readonly [object]>([
    [{ headers: { contains: { authorization: 'Bearer ' }, glob: { authorization: 'Basic *' } } }],
    [{ headers: { equals: { authorization: 'Bearer abc' } } }],
    [{ output: { data: '{{.Request.a}}' } }],
  ])('but not %j', (parts) => {
    expect(warningsOf({ ...least, ...parts })).toEqual([]);
  });
});

describe('with the gripmock compatibility', () => {
  const later = {
    ...least,
    output: {
      stream: [{ a: 1, _gripmock: { delay: '1s' } }, { _gripmock: { error: 'gone', code: 8 } }],
      trailers: { a: 'b' },
    },
  };

  test('trailers and the control of a message are known', () => {
    expect(violationsOf(later, ['gripmock'])).toEqual([]);
    expect(violationsOf(later)).toHaveLength(1);
  });

  test('and have rules', () => {
    expect(
      violationsOf(
        { ...least, output: { stream: [{ _gripmock: { delay: '1', code: 17, x: 1 } }], trailers: { a: 1 } } },
        ['gripmock'],
      )
        .map((violation) => violation.split(' ')[0] ?? '')
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual([
      '/output/stream/0/_gripmock/code',
      '/output/stream/0/_gripmock/delay',
      '/output/stream/0/_gripmock/x',
      '/output/trailers/a',
    ]);
  });
});
