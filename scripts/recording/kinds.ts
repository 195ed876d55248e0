import type { Json, JsonObject } from '../../src/core/kernel/json.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import type { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';

const service = 'kinds.v1.Kinds';

/** Every kind of field at its edges, through matching, templates and answers; chance, time and large payloads. */
export const kinds: Recording = {
  name: 'kinds',
  async play(recorder) {
    await recorder.loadProtos('scripts/recording/protos');
    await recorder.loadStubs([...echoes, ...rules, ...templates, ...plain]);
    for (const message of messages) await recorder.call(`${service}/Give`, message);
    for (const word of templateWords)
      await recorder.call(`${service}/Give`, { words: [word], string: 'Grüße' });
    await recorder.pass(86_400_000 * 400);
    for (const word of templateWords) await recorder.call(`${service}/Give`, { words: [word] });
    await giveLargeOnes(recorder);
    await streams(recorder);
    await others(recorder);
  },
};

const edges: JsonObject = {
  double: 5e-324,
  float: 3.4028234663852886e38,
  int32: -2147483648,
  int64: '-9223372036854775808',
  uint32: 4294967295,
  uint64: '18446744073709551615',
  sint32: -1,
  sint64: '9007199254740993',
  fixed32: 1,
  fixed64: '9007199254740993',
  sfixed32: -2,
  sfixed64: '-9007199254740993',
};

const messages: readonly JsonObject[] = [
  {},
  edges,
  { double: 0.1, float: 0.1 },
  { double: 'NaN', float: '-Infinity' },
  { double: '-0' },
  { int64: '9007199254740993' },
  { int64: '9007199254740992' },
  { bool: true, bytes: 'AP-_8A', colour: 2, string: 'Δ 𝄞 \u0000 é é' },
  { inner: { inner: { inner: { words: ['deep'] } } }, maybeString: '', maybeInt64: '0' },
  { numbers: ['3', '1', '2'], words: ['b', 'a', 'b'] },
  { numbers: ['1', '2', '3'], words: ['a', 'b', 'b'] },
  {
    texts: { b: '1', a: '2', '10': '3', '9': '4', __proto: '5' },
    weights: { '-1': 0.5, '9007199254740993': 1e300 },
  },
  { halves: { true: { string: 'yes' }, false: {} } },
  { chosenNumber: '9' },
  { chosenNothing: {} },
  { moment: '2024-02-29T23:59:59.999999999Z', span: '-3.000000001s' },
  { struct: { z: 1, a: [null, true, 'x', { '2': 2, '1': 1 }] }, value: [1, { b: null }] },
  { any: { '@type': 'type.googleapis.com/kinds.v1.Old', name: 'packed', marks: ['-1', '1'] } },
  { wrappedInt64: '9007199254740993', wrappedString: '' },
];

const rules: readonly StubDefinition[] = [
  rule('an empty one equals defaults', { equals: { double: 0, maybeInt64: null, words: [] } }, -1),
  rule('exact beyond 2^53', { equals: { int64: '9007199254740993' } }),
  rule('floats of their width', { equals: { float: 0.1, double: 0.1 } }),
  rule('not a number', { equals: { double: 'NaN' } }),
  rule('bytes of either alphabet', { equals: { bytes: 'AP+/8A==' } }),
  rule('deep inside', { contains: { inner: { inner: { inner: { words: ['deep'] } } } } }),
  rule('any order', { ignoreArrayOrder: true, equals: { numbers: ['1', '2', '3'], words: ['b', 'b', 'a'] } }),
  rule('maps', { equals: { texts: { '9': '4', '10': '3', a: '2', b: '1', __proto: '5' } } }),
  rule('one of a choice', { equals: { chosenNumber: '9' } }),
  rule('patterns', { matches: { moment: '^2024-02-29T', span: '^-3' } }),
  rule('one of several', {
    anyOf: [{ glob: { wrappedInt64: '900*993' } }, { equals: { colour: 'COLOUR_RED' } }],
  }),
];

function rule(name: string, input: NonNullable<StubDefinition['input']>, priority = 0): StubDefinition {
  return { service, method: 'Give', priority, input, output: { data: { string: name } } };
}

const echoes: readonly StubDefinition[] = [
  { service, method: 'Give', input: { equals: { uint64: '18446744073709551615' } }, output: { data: edges } },
  {
    service: 'Kinds',
    method: 'Give',
    input: { contains: { struct: { z: 1 } } },
    output: {
      data: { struct: { copy: '{{json .Request.struct}}', constructor: 1, toString: [] }, value: 'x' },
    },
  },
  {
    service,
    method: 'Give',
    input: { matches: { any: { name: 'pack' } } },
    output: {
      code: 9,
      error: 'packed by {{.Request.any.name}}',
      details: [
        { type: 'type.googleapis.com/kinds.v1.Old', name: '{{uuid}}', marks: [1, -1] },
        { type: 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.5s' },
        { type: 'type.googleapis.com/google.protobuf.Struct', value: { b: 1, a: 2 } },
      ],
      headers: { 'x-first': 'a;b', 'x-id': '{{uuid}}' },
    },
  },
];

const templateTexts: Readonly<Record<string, string>> = {
  uuid: '{{uuid}} {{uuid}} {{uuid2base64 uuid}} {{uuid2int64 uuid}}',
  faker: '{{faker.Person.FirstName}} {{faker.Person.LastName}}, {{faker.Geo.Street}}, {{faker.Geo.City}}',
  now: '{{now.Format "Mon Jan _2 15:04:05.000 2006 MST"}} {{now | unix}} {{.RequestTime.Format "2006-01-02T15:04:05Z07:00"}}',
  numbers:
    '{{add 0.1 0.2}} {{div 1.0 3.0}} {{mul 1e20 10.0}} {{round 2.5}} {{printf "%.3f|%e|%08d|%x" 2.0005 1e21 42 255}}',
  texts:
    '{{.Request.string | upper}} {{title .Request.string}} {{printf "%q %v" .Request.string .Request.words}}',
  loops:
    '{{range $i, $w := .Request.words}}{{$i}}={{$w}};{{end}}{{len .Request.string}} {{.AttemptNumber}} {{.StubID}}',
};
const templateWords = Object.keys(templateTexts);

const templates: readonly StubDefinition[] = templateWords.map((word) => ({
  service,
  method: 'Give',
  input: { contains: { words: [word] } },
  output: { headers: { 'x-word': word }, data: { string: templateTexts[word] ?? '', int64: '{{unix now}}' } },
}));

const largeText = 'A large payload is kept once, by its digest. '.repeat(120);

const plain: readonly StubDefinition[] = [
  {
    service,
    method: 'Give',
    input: { glob: { string: 'large *' } },
    output: { data: { string: largeText } },
  },
  {
    service,
    method: 'Give',
    input: { equals: { string: 'divide' } },
    output: { data: { double: '{{div 1 0}}' } },
  },
  { service, method: 'Now', output: { data: '{{now.Format "2006-01-02T15:04:05Z07:00"}}' } },
  { service, method: 'Anything', output: { data: { id: '{{uuid}}', list: [1, null, { b: 1, a: 2 }] } } },
  {
    service,
    method: 'Older',
    input: { equals: { level: 7 } },
    output: { data: { name: '{{.Request.name}}', note: { text: 'a group' } } },
  },
  {
    service,
    method: 'Scatter',
    output: {
      delay: '1m0.5s',
      stream: [
        { int64: '{{.MessageIndex}}', string: '{{uuid}}' },
        { string: '{{faker.Person.Name}}' },
        { moment: '{{now.Format "2006-01-02T15:04:05Z07:00"}}' },
      ],
      code: 8,
      error: 'no more',
    },
  },
  {
    service,
    method: 'Gather',
    input: { equals: { string: 'third' } },
    output: { data: { words: ['{{len .Requests}}'] } },
  },
  {
    service,
    method: 'Exchange',
    input: { matches: { string: '.' } },
    output: { stream: [{ string: '{{uuid}}' }, { string: '{{.Request.string}}' }] },
  },
];

async function giveLargeOnes(recorder: Recorder): Promise<void> {
  // The same large message twice, in and out, and one that is just large enough to be kept apart.
  for (const padding of [largeText, largeText, 'x'.repeat(4_096)]) {
    await recorder.call(`${service}/Give`, { string: 'large one', inner: { string: padding } });
  }
  await recorder.call(`${service}/Give`, { string: 'divide' });
  await recorder.call(`${service}/Give`, { string: 'no stub has this' });
}

async function streams(recorder: Recorder): Promise<void> {
  await recorder.call(`${service}/Scatter`, {});
  await recorder.call(`${service}/Scatter`, {}, { timeoutMs: 90_000 });
  await recorder.pass(300_000);
  await say(recorder, 'Gather', ['first', 'second', 'third']);
  await say(recorder, 'Exchange', ['one', 'two', '']);
}

async function say(recorder: Recorder, method: string, texts: readonly string[]): Promise<void> {
  const talk = await recorder.converse(`${service}/${method}`);
  for (const string of texts) await talk.say({ string });
  await talk.finish();
}

async function others(recorder: Recorder): Promise<void> {
  const calls: readonly (readonly [string, Json])[] = [
    ['Now', {}],
    ['Anything', { b: 1, a: null }],
    ['Older', { name: 'unset level is 7' }],
    ['Older', { name: 'another level', level: 8 }],
  ];
  for (const [method, message] of calls) await recorder.call(`${service}/${method}`, message);
}
