import type { Message } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import type { HeaderMatcher } from '../stub.ts';
import type { CompiledStub, Heard } from './compiled-stub.ts';
import { equalsKeyOf, inAnyOrder, inOrder } from './equals-key.ts';
import { expectedText } from './expected-text.ts';
import { compileHeaders, equalsRule, type HeaderTexts } from './header-matcher.ts';
import { compileInputWith, type CompiledInput } from './input-matcher.ts';
import { isNear } from './nearness.ts';
import { Problems } from './problems.ts';
import type { FieldReader, MessageType } from './value-type.ts';

/** How far one rule holds: 1, a half for a text that is nearly the one expected, or 0. */
type Fact<Subject> = (subject: Subject) => number;

interface Facts {
  readonly ofInputs: readonly (readonly Fact<Message | undefined>[])[];
  readonly ofHeaders: readonly Fact<HeaderTexts>[];
}

/** From 0, no rule holds, to 1, all do. */
export function nearnessOf(compiled: CompiledStub, { headers, messages }: Heard): number {
  const { ofInputs, ofHeaders } = factsOf(compiled);
  let count = ofHeaders.length;
  let sum = 0;
  for (const fact of ofHeaders) sum += fact(headers);
  const isPairwise = ofInputs.length > 1;
  ofInputs.forEach((facts, index) => {
    const message = isPairwise ? messages[index] : messages.at(-1);
    count += facts.length;
    if (message !== undefined) for (const fact of facts) sum += fact(message);
  });
  return count === 0 ? 1 : sum / count;
}

const knownFacts = new WeakMap<CompiledStub, Facts>();

function factsOf(compiled: CompiledStub): Facts {
  let facts = knownFacts.get(compiled);
  if (facts === undefined) {
    const { inputs, headers } = compiled;
    facts = {
      ofInputs: inputs.map(inputFacts),
      ofHeaders: headers === undefined ? [] : headerFacts(headers.matcher),
    };
    knownFacts.set(compiled, facts);
  }
  return facts;
}

function inputFacts({ matcher, type, types }: CompiledInput): readonly Fact<Message | undefined>[] {
  const { ignoreArrayOrder = false, equals, anyOf } = matcher;
  const others = (['contains', 'matches', 'glob'] as const).flatMap((kind) =>
    Object.entries(matcher[kind] ?? {}).map(([name, json]) => ({
      ignoreArrayOrder,
      [kind]: { [name]: json },
    })),
  );
  const alternatives = anyOf === undefined || anyOf === null ? [] : [{ ignoreArrayOrder, anyOf }];
  return [
    ...equalsFacts(type, [], equals ?? {}, ignoreArrayOrder),
    ...[...others, ...alternatives].map((rule): Fact<Message | undefined> => {
      const compiled = compileInputWith(rule, type, types);
      return (message) => (message !== undefined && compiled.matches(message) ? 1 : 0);
    }),
  ];
}

/** One for each scalar, at any depth; one for a list, a map, or a value that no rule can describe otherwise. */
function equalsFacts(
  type: MessageType,
  path: readonly FieldReader[],
  rules: JsonObject,
  unordered: boolean,
): readonly Fact<Message | undefined>[] {
  return Object.entries(rules).flatMap(([name, json]) => {
    const reader = type.names.get(name);
    if (reader === undefined) return [() => 0];
    const isFields = reader.type.kind === 'message' && isJsonObject(json) && Object.keys(json).length > 0;
    if (reader.type.kind === 'message' && isFields) {
      return equalsFacts(reader.type, [...path, reader], json, unordered);
    }
    const order = unordered ? inAnyOrder : inOrder;
    const text = expectedText(reader.type, json, order, new Problems());
    const key = equalsKeyOf(reader, order);
    const canBeNear = reader.type.kind === 'leaf' && reader.type.isString;
    return [(message) => agreement(text, key.textOf(path.reduce<unknown>(read, message)), canBeNear)];
  });
}

function read(message: unknown, reader: FieldReader): unknown {
  return reader.get(message);
}

function agreement(expected: string | undefined, actual: string | undefined, canBeNear: boolean): number {
  if (expected === undefined || actual === undefined) return 0;
  if (expected === actual) return 1;
  return canBeNear && isNear(expected, actual) ? 0.5 : 0;
}

function headerFacts(matcher: HeaderMatcher): readonly Fact<HeaderTexts>[] {
  const equals = Object.entries(matcher.equals ?? {}).map(([name, value]): Fact<HeaderTexts> => {
    const rule = equalsRule(name, value);
    return (headers) => agreement(rule.text, headers.text(rule.name), true);
  });
  const others = (['contains', 'matches', 'glob'] as const).flatMap((kind) =>
    Object.entries(matcher[kind] ?? {}).map(([name, value]) => ({ [kind]: { [name]: value } })),
  );
  const alternatives =
    matcher.anyOf === undefined || matcher.anyOf === null ? [] : [{ anyOf: matcher.anyOf }];
  const compiled = [...others, ...alternatives].map((rule): Fact<HeaderTexts> => {
    const headers = compileHeaders(rule);
    return (texts) => (headers.matches(texts) ? 1 : 0);
  });
  return [...equals, ...compiled];
}
