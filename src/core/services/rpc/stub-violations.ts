import { isJsonObject } from '../../kernel/json.ts';
import { pointerSegments } from '../../kernel/json-pointer.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import type { BrokenRule } from './stub-schema.ts';
import {
  pathText,
  preview,
  shortText,
  type Problems,
  type StubPath,
  type StubPlace,
} from './stub-problems.ts';

/** Says in sentences which rules of the schema a stub breaks. */
export function addBrokenRules(rules: readonly BrokenRule[], place: StubPlace, problems: Problems): void {
  for (const rule of rules) {
    const path = pathOf(rule, place.stub);
    const says = sentence(rule, path);
    if (says !== undefined) problems.add(place, path, says);
  }
}

function sentence(rule: BrokenRule, path: StubPath): string | undefined {
  const where = path.length === 0 ? 'a stub' : pathText(path);
  const got = preview(rule.data);
  switch (rule.keyword) {
    case 'type':
      return `${where} must be ${typeNames(rule)}, got ${got}`;
    case 'required':
      return `${pathText([...path, text(rule.params['missingProperty'])])} is missing`;
    case 'additionalProperties':
      return unknownProperty(rule, path);
    case 'minProperties':
      return `${where} must have at least 1 property, got {}`;
    case 'minItems':
      return `${where} must have at least 1 item, got []`;
    case 'minLength':
      return `${where} must not be empty`;
    case 'minimum':
    case 'maximum':
      return `${where} must be ${range(rule)}, got ${got}`;
    case 'pattern':
      return `${where} must be numbers with the units ms, s, m, h, such as "1m30s", got ${got}`;
    case 'format':
      return `${where} must be a UUID, got ${got}`;
    case 'enum':
      return `${where} must be ${alternatives(rule.params['allowedValues'])}, got ${got}`;
    case 'not':
      // What is no object breaks this rule too, and has been told so.
      if (!isJsonObject(rule.data)) return undefined;
      return 'has input and inputs, and may have only one of them';
    // What broke inside `then` has its own rule.
    case 'if':
      return undefined;
    default:
      return `${where} ${rule.message ?? 'is not valid'}, got ${got}`;
  }
}

function unknownProperty(rule: BrokenRule, path: StubPath): string {
  const name = String(path.at(-1));
  const known = Object.keys(
    isJsonObject(rule.parentSchema?.['properties']) ? rule.parentSchema['properties'] : {},
  );
  const within = path.length === 1 ? '' : ` in ${pathText(path.slice(0, -1))}`;
  const meant = nearestName(name, known);
  if (pathText(path) === 'output.trailers')
    return `unknown property "trailers" in output, but with --compat gripmock`;
  const hint =
    meant === undefined ? `, expected one of ${known.join(', ')}` : `, did you mean ${shortText(meant)}?`;
  return `unknown property ${shortText(name)}${within}${hint}`;
}

const names: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function typeNames(rule: BrokenRule): string {
  const types = rule.params['type'] as string | readonly string[];
  const list = typeof types === 'string' ? [types] : types;
  return list.map((type) => names[type] ?? type).join(' or ');
}

function range(rule: BrokenRule): string {
  const { minimum, maximum } = rule.parentSchema ?? {};
  return maximum === undefined ? `${text(minimum)} or more` : `from ${text(minimum)} to ${text(maximum)}`;
}

function alternatives(values: unknown): string {
  return Array.isArray(values) ? values.map(preview).join(' or ') : preview(values);
}

function text(value: unknown): string {
  return String(value);
}

/** The path of the broken place; for an unknown property, of that property. Indices of lists become numbers. */
function pathOf(rule: BrokenRule, stub: unknown): StubPath {
  const path: (string | number)[] = [];
  let value = stub;
  for (const segment of pointerSegments(rule.instancePath)) {
    path.push(Array.isArray(value) ? Number(segment) : segment);
    value = (value as Record<string, unknown>)[segment];
  }
  return rule.keyword === 'additionalProperties' ? [...path, text(rule.params['additionalProperty'])] : path;
}
