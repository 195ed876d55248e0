import { fingerprint, isCredentialHeader } from '../../kernel/credentials.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { StubDefinition } from './stub.ts';

/**
 * The same stub with fingerprints in place of the credentials that its header rules name: in `headers`, in their `anyOf`,
 * and in the stubs that its effects make. Applied twice it changes nothing more; a stub without any comes back as it is.
 *
 * `equals` values, and `contains` values that are more than a scheme such as `Bearer`, become fingerprints: what arrives
 * in these headers is a fingerprint too. Patterns (`matches`, `glob`) and templates stay.
 */
export function maskStubCredentials(definition: StubDefinition): StubDefinition {
  const headers =
    definition.headers === undefined ? undefined : maskMatcher(definition.headers as JsonObject);
  const effects = definition.effects?.map((effect) => maskEffect(effect));
  const same =
    headers === definition.headers &&
    (effects ?? []).every((effect, at) => effect === definition.effects?.[at]);
  if (same) return definition;
  return {
    ...definition,
    ...(headers !== undefined && { headers }),
    ...(effects !== undefined && { effects }),
  } as StubDefinition;
}

function maskEffect(effect: JsonObject): JsonObject {
  const { stub } = effect;
  if (!isJsonObject(stub) || !isJsonObject(stub['headers'])) return effect;
  const headers = maskMatcher(stub['headers']);
  return headers === stub['headers'] ? effect : { ...effect, stub: { ...stub, headers } };
}

function maskMatcher(matcher: JsonObject): JsonObject {
  const equals = maskValues(matcher['equals'], (value) => fingerprint(value));
  const contains = maskValues(matcher['contains'], (value) =>
    namesScheme(value) ? value : fingerprint(value),
  );
  const anyOf = maskList(matcher['anyOf']);
  const same = equals === matcher['equals'] && contains === matcher['contains'] && anyOf === matcher['anyOf'];
  if (same) return matcher;
  return {
    ...matcher,
    ...(equals !== undefined && { equals }),
    ...(contains !== undefined && { contains }),
    ...(anyOf !== undefined && { anyOf }),
  };
}

function maskList(list: Json | undefined): Json | undefined {
  if (!Array.isArray(list)) return list;
  const masked = (list as readonly Json[]).map((item) => (isJsonObject(item) ? maskMatcher(item) : item));
  return masked.some((item, at) => item !== list[at]) ? masked : list;
}

function maskValues(rules: Json | undefined, mask: (value: string) => string): Json | undefined {
  if (!isJsonObject(rules)) return rules;
  const masked = Object.entries(rules).map(([name, value]) => [name, maskValue(name, value, mask)] as const);
  return masked.some(([name, value]) => value !== rules[name]) ? Object.fromEntries(masked) : rules;
}

// A template is rendered later; who renders it masks what comes of it.
function maskValue(name: string, value: Json, mask: (value: string) => string): Json {
  if (typeof value !== 'string' || value.includes('{{') || !isCredentialHeader(name)) return value;
  return mask(value);
}

/** True for a text, or a simple pattern, that names an authentication scheme and no credential: `Bearer `, `^Basic .*`. */
export function namesScheme(value: string): boolean {
  return /^\^?(?:bearer|basic|digest|token|negotiate|apikey)?(?: |\\s\+?)*[.*+$]*$/i.test(value);
}
