import type { DescMethod, Message, Registry } from '@bufbuild/protobuf';
import type { Violation } from '../events.ts';
import type { Stub } from '../stub.ts';
import { declaredFields } from './declared-fields.ts';
import type { EqualsRule } from './equals-key.ts';
import {
  compileHeaders,
  type CompiledHeaders,
  type HeaderEqualsRule,
  type HeaderTexts,
} from './header-matcher.ts';
import { compileInput, type CompiledInput } from './input-matcher.ts';
import { Problems } from './problems.ts';

/** A stub worked out against one method that it belongs to. */
export interface CompiledStub {
  readonly stub: Stub;
  readonly method: DescMethod;
  readonly priority: number;
  /** How many fields its rules declare. */
  readonly fields: number;
  /** `any`: no rules on messages; `input`: one message; `script`: the messages of a stream. */
  readonly shape: 'any' | 'input' | 'script';
  /** For `input` one, for `script` one or more. */
  readonly inputs: readonly CompiledInput[];
  readonly headers: CompiledHeaders | undefined;
}

/** The rank among stubs that match the same: priority, then declared fields, then the earlier load. Never 0 for two. */
export function compareRank(a: CompiledStub, b: CompiledStub): number {
  return b.priority - a.priority || b.fields - a.fields || a.stub.order - b.stub.order;
}

export interface Compiled {
  readonly compiled: CompiledStub;
  /** Rules that can never be met; pointers into the stub. */
  readonly problems: readonly Violation[];
}

export function compileStub(stub: Stub, method: DescMethod, registry: Registry): Compiled {
  const { definition } = stub;
  const { input, inputs, headers } = definition;
  const problems = new Problems();
  const compiled: CompiledStub = {
    stub,
    method,
    priority: definition.priority ?? 0,
    fields: declaredFields(definition),
    shape: input !== undefined ? 'input' : inputs === undefined ? 'any' : 'script',
    inputs:
      input === undefined
        ? (inputs ?? []).map((matcher, index) =>
            compileInput(matcher, method.input, registry, problems.at('inputs').at(String(index))),
          )
        : [compileInput(input, method.input, registry, problems.at('input'))],
    headers: headers === undefined ? undefined : compileHeaders(headers, problems.at('headers')),
  };
  return { compiled, problems: problems.found };
}

/** What a call has said, for matching: see `Query`. */
export interface Heard {
  readonly headers: HeaderTexts;
  readonly messages: readonly Message[];
  readonly complete: boolean;
}

/**
 * Whether the stub answers what the call has said.
 *
 *     unary, server stream   the one message matches
 *     client stream          `input`: some message matches; one of `inputs`: every message; n: exactly n, pairwise
 *     bidi                   `input`, one of `inputs`: every message so far; n: at most n, pairwise, n when complete
 *
 * Rules on messages are met by messages: a stream without any meets none.
 */
export function matchesHeard(compiled: CompiledStub, heard: Heard): boolean {
  return headersMatch(compiled, heard.headers) && messagesMatch(compiled, heard.messages, heard.complete);
}

export function headersMatch({ headers }: CompiledStub, texts: HeaderTexts): boolean {
  return headers === undefined || headers.matches(texts);
}

export function messagesMatch(
  { shape, inputs, method }: CompiledStub,
  messages: readonly Message[],
  complete: boolean,
): boolean {
  const [first] = inputs;
  if (shape === 'any') return true;
  if (first === undefined || messages.length === 0) return false;
  if (shape === 'input' && method.methodKind !== 'bidi_streaming') {
    return messages.some((message) => first.matches(message));
  }
  if (inputs.length === 1) return messages.every((message) => first.matches(message));
  const mayBeShorter = method.methodKind === 'bidi_streaming' && !complete;
  const fits = mayBeShorter ? messages.length <= inputs.length : messages.length === inputs.length;
  return fits && messages.every((message, index) => inputs[index]?.matches(message) === true);
}

/** What a call must have for the stub to be worth a look. A stub has one per way in which its `anyOf` can be met. */
export interface Requirement {
  /** Of the message that a singular `input` matches, or the first of a script. */
  readonly equals: readonly EqualsRule[];
  readonly headers: readonly HeaderEqualsRule[];
}

/** Most requirements that one stub is indexed under; with more ways to be met, those common to all are used. */
export const requirementsMax = 16;

/** Nothing when no call can meet the stub's rules. */
export function requirementsOf({ inputs, headers }: CompiledStub): readonly Requirement[] {
  if (inputs.some(({ equals }) => equals === null) || headers?.equals === null) return [];
  const [first] = inputs;
  const ofInput = waysOf(first?.equals ?? [], first?.alternatives ?? [[]], (rule) => rule.key.id);
  const ofHeaders = waysOf(headers?.equals ?? [], headers?.alternatives ?? [[]], (rule) => rule.name);
  if (ofInput.length * ofHeaders.length > requirementsMax) {
    return [{ equals: first?.equals ?? [], headers: headers?.equals ?? [] }];
  }
  return ofInput.flatMap((equals) => ofHeaders.map((header) => ({ equals, headers: header })));
}

/** The base with each alternative, without those that contradict it. */
function waysOf<Rule extends { readonly text: string }>(
  base: readonly Rule[],
  alternatives: readonly (readonly Rule[])[],
  idOf: (rule: Rule) => string,
): readonly (readonly Rule[])[] {
  // A base has no repeats.
  if (alternatives.length === 1 && alternatives[0]?.length === 0) return [base];
  return alternatives.flatMap((alternative) => {
    const contradicts = alternative.some((rule) =>
      base.some((other) => idOf(other) === idOf(rule) && other.text !== rule.text),
    );
    return contradicts ? [] : [withoutRepeats([...base, ...alternative], idOf)];
  });
}

function withoutRepeats<Rule>(rules: readonly Rule[], idOf: (rule: Rule) => string): readonly Rule[] {
  if (rules.length < 2) return rules;
  return [...new Map(rules.map((rule) => [idOf(rule), rule])).values()];
}
