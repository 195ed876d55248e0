import type { Message } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import type { HeaderMatcher } from '../stub.ts';
import type { CompiledStub, Heard } from './compiled-stub.ts';
import { equalsKeyOf, inAnyOrder, inOrder } from './equals-key.ts';
import { expectedText } from './expected-text.ts';
import { compileHeaders, equalsRule, type HeaderTexts } from './header-matcher.ts';
import { compileInputWith, type CompiledInput } from './input-matcher.ts';
import { foldedText, isNear } from './nearness.ts';
import { Problems } from './problems.ts';
import type { FieldReader, MessageType } from './value-type.ts';

/** What is known of one message, or of the headers, while stubs are compared with it: each text is made once. */
export interface Subject {
  readonly message: Message | undefined;
  readonly headers: HeaderTexts;
  readonly texts: Map<string, SeenText>;
}

interface SeenText {
  readonly text: string | undefined;
  readonly folded: string | undefined;
}

export function subjectsOf({ messages, headers }: Heard): readonly Subject[] {
  const heard = messages.length === 0 ? [undefined] : messages;
  return heard.map((message) => ({ message, headers, texts: new Map() }));
}

/** How far one rule holds: 1, a half for a text that is nearly the one expected, or 0. */
type Fact = (subject: Subject) => number;

/** By matcher of the stub; those on headers are with the first. */
type Facts = readonly (readonly Fact[])[];

/** From 0, no rule holds, to 1, all do. */
export function nearnessOf(compiled: CompiledStub, subjects: readonly Subject[]): number {
  const matchers = factsOf(compiled);
  let count = 0;
  let sum = 0;
  for (let index = 0; index < matchers.length; index += 1) {
    const facts = matchers[index] ?? [];
    const subject = matchers.length > 1 ? subjects[index] : subjects.at(-1);
    count += facts.length;
    if (subject !== undefined) for (const fact of facts) sum += fact(subject);
  }
  return count === 0 ? 1 : sum / count;
}

const knownFacts = new WeakMap<CompiledStub, Facts>();

function factsOf(compiled: CompiledStub): Facts {
  let facts = knownFacts.get(compiled);
  if (facts === undefined) {
    const { inputs, headers } = compiled;
    const [first = [], ...others] = inputs.map(inputFacts);
    facts = [[...first, ...(headers === undefined ? [] : headerFacts(headers.matcher))], ...others];
    knownFacts.set(compiled, facts);
  }
  return facts;
}

const patternKinds = ['contains', 'matches', 'glob'] as const;

function inputFacts({ matcher, type, types }: CompiledInput): readonly Fact[] {
  const { ignoreArrayOrder = false, equals, anyOf } = matcher;
  const others = patternKinds.flatMap((kind) =>
    Object.entries(matcher[kind] ?? {}).map(([name, json]) => ({
      ignoreArrayOrder,
      [kind]: { [name]: json },
    })),
  );
  const alternatives = anyOf === undefined || anyOf === null ? [] : [{ ignoreArrayOrder, anyOf }];
  return [
    ...equalsFacts(type, [], equals ?? {}, ignoreArrayOrder),
    ...[...others, ...alternatives].map((rule): Fact => {
      const compiled = compileInputWith(rule, type, types);
      return ({ message }) => (message !== undefined && compiled.matches(message) ? 1 : 0);
    }),
  ];
}

/** One for each scalar, at any depth; one for a list, a map, or a value that no rule can describe otherwise. */
function equalsFacts(
  type: MessageType,
  path: readonly FieldReader[],
  rules: JsonObject,
  unordered: boolean,
): readonly Fact[] {
  return Object.entries(rules).flatMap(([name, json]) => {
    const reader = type.names.get(name);
    if (reader === undefined) return [() => 0];
    if (reader.type.kind === 'message' && isJsonObject(json) && Object.keys(json).length > 0) {
      return equalsFacts(reader.type, [...path, reader], json, unordered);
    }
    const order = unordered ? inAnyOrder : inOrder;
    const key = equalsKeyOf(reader, order);
    const id = [...path.map(({ field }) => String(field.number)), key.id].join('.');
    const canBeNear = reader.type.kind === 'leaf' && reader.type.isString;
    const text = expectedText(reader.type, json, order, new Problems());
    return [textFact(id, text, canBeNear, ({ message }) => key.textOf(path.reduce(innerMessage, message)))];
  });
}

function innerMessage(message: Message | undefined, { get }: FieldReader): Message | undefined {
  // The readers of a path are of messages in one another.
  return get(message) as Message | undefined;
}

function textFact(
  id: string,
  expected: string | undefined,
  canBeNear: boolean,
  textOf: (subject: Subject) => string | undefined,
): Fact {
  if (expected === undefined) return () => 0;
  const folded = foldedText(expected);
  return (subject) => {
    let seen = subject.texts.get(id);
    if (seen === undefined) {
      const text = textOf(subject);
      seen = { text, folded: text === undefined || !canBeNear ? undefined : foldedText(text) };
      subject.texts.set(id, seen);
    }
    if (seen.text === undefined) return 0;
    if (seen.text === expected) return 1;
    return canBeNear && isNear(folded, seen.folded) ? 0.5 : 0;
  };
}

function headerFacts(matcher: HeaderMatcher): readonly Fact[] {
  const equals = Object.entries(matcher.equals ?? {}).map(([name, value]): Fact => {
    const rule = equalsRule(name, value);
    return textFact(`:${rule.name}`, rule.text, true, ({ headers }) => headers.text(rule.name));
  });
  const others = patternKinds.flatMap((kind) =>
    Object.entries(matcher[kind] ?? {}).map(([name, value]) => ({ [kind]: { [name]: value } })),
  );
  const alternatives =
    matcher.anyOf === undefined || matcher.anyOf === null ? [] : [{ anyOf: matcher.anyOf }];
  const patterns = [...others, ...alternatives].map((rule): Fact => {
    const compiled = compileHeaders(rule);
    return ({ headers }) => (compiled.matches(headers) ? 1 : 0);
  });
  return [...equals, ...patterns];
}
