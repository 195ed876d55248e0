import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Randomness } from '../../kernel/randomness.ts';
import type { RpcOutcome, Violation } from './events.ts';
import { upsertBytes } from './loading.ts';
import type { Scene } from './reply.ts';
import type { RpcState } from './state.ts';
import { validateStubs } from './stub-validation.ts';
import type { Effect, Stub } from './stub.ts';
import { getStub } from './stubs.ts';
import { compileJson, renderJson, type CompiledJson } from './templates/compile-json.ts';

type Planned =
  | { readonly ok: true; readonly outcomes: readonly RpcOutcome[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

const compiledEffects = new WeakMap<readonly Effect[], readonly CompiledJson[]>();

/**
 * What the effects of a stub that answers `call` come to: all of them, or one `EffectRefused` that says why none is
 * applied. Every effect is rendered and validated before the first counts.
 */
export function decideEffects(
  state: RpcState,
  call: number,
  stub: Stub,
  { data, environment }: Scene,
): readonly RpcOutcome[] {
  const effects = stub.definition.effects ?? [];
  if (effects.length === 0) return [];
  const planned = compiled(effects).map((json, index): Planned => {
    const rendered = renderJson(json, data, environment);
    if (!rendered.ok) return refuse(`/effects/${index}${rendered.pointer}`, rendered.problem);
    const effect = rendered.value as unknown as Effect;
    return effect.action === 'delete'
      ? planDelete(state, call, stub, effect.id)
      : planUpsert(state, call, stub, effect.stub, `/effects/${index}/stub`, environment.randomness);
  });
  const violations = planned.flatMap((plan) => (plan.ok ? [] : plan.violations));
  if (violations.length > 0) return [{ kind: 'EffectRefused', call, stub: stub.id, violations }];
  return planned.flatMap((plan) => (plan.ok ? plan.outcomes : []));
}

function compiled(effects: readonly Effect[]): readonly CompiledJson[] {
  let known = compiledEffects.get(effects);
  if (known === undefined) {
    known = effects.map((effect) => compileJson(effect as unknown as Json));
    compiledEffects.set(effects, known);
  }
  return known;
}

function refuse(pointer: string, message: string): Planned {
  return { ok: false, violations: [{ pointer, message }] };
}

/** Reaches only stubs of the matched stub's session; what is not there needs no deleting. */
function planDelete(state: RpcState, call: number, by: Stub, id: string): Planned {
  const target = getStub(state.stubs, id);
  if (target === undefined || target.session !== by.session) return { ok: true, outcomes: [] };
  return { ok: true, outcomes: [{ kind: 'EffectApplied', call, action: 'delete', stub: id }] };
}

function planUpsert(
  state: RpcState,
  call: number,
  by: Stub,
  rendered: JsonObject,
  pointer: string,
  randomness: Randomness,
): Planned {
  const validated = validateStubs(withNumbers(rendered), { compat: state.gripmock ? ['gripmock'] : [] });
  if (!validated.ok) {
    const violations = validated.violations.map((found) => ({ ...found, pointer: pointer + found.pointer }));
    return { ok: false, violations };
  }
  const [definition] = validated.definitions;
  if (definition === undefined) return refuse(pointer, 'expected one stub, got none');
  const id = definition.id ?? randomness.uuid();
  const bytes = upsertBytes({ ...definition, id }, by.session, by.id);
  return { ok: true, outcomes: [{ kind: 'EffectApplied', call, action: 'upsert', stub: id, bytes }] };
}

/** A template renders text; where a stub wants a whole number, text that is one becomes it. */
function withNumbers(stub: JsonObject): JsonObject {
  const { priority, options, output } = stub;
  return {
    ...stub,
    ...(priority === undefined ? {} : { priority: wholeNumber(priority) }),
    ...(isJsonObject(options) && options['times'] !== undefined
      ? { options: { ...options, times: wholeNumber(options['times']) } }
      : {}),
    ...(isJsonObject(output) && output['code'] !== undefined
      ? { output: { ...output, code: wholeNumber(output['code']) } }
      : {}),
  };
}

function wholeNumber(value: Json): Json {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
