import type { Json, JsonObject } from '../../../kernel/json.ts';
import { jsonPointer } from '../../../kernel/json-pointer.ts';
import type { TemplateData, TemplateEnvironment } from './data.ts';
import { templateValueNestingMax } from './limits.ts';
import { hasTemplate, parseTemplate } from './parse.ts';
import { renderTemplate } from './render.ts';
import type { Template } from './template.ts';

export type { TemplateData, TemplateEnvironment } from './data.ts';

/** A JSON value whose texts may be templates; keys never are. */
export interface CompiledJson {
  /** Rendering gives `source` itself each time, not a copy. */
  readonly isStatic: boolean;
  readonly source: Json;
  /** Templates that cannot be read; while there are any, rendering gives the first. */
  readonly problems: readonly TemplateProblem[];
  /** What to render where; absent when static. */
  readonly part: CompiledPart | undefined;
}

type CompiledPart =
  | { readonly kind: 'text'; readonly pointer: string; readonly template: Template }
  | { readonly kind: 'list'; readonly source: readonly Json[]; readonly parts: readonly Place<number>[] }
  | { readonly kind: 'object'; readonly source: JsonObject; readonly parts: readonly Place<string>[] };

type Place<Key> = readonly [key: Key, part: CompiledPart];

/** A template in a JSON value that cannot be read. */
export interface TemplateProblem {
  /** A JSON pointer (RFC 6901) to the text. */
  readonly pointer: string;
  readonly problem: string;
  /** Where in the text, in UTF-16 code units. */
  readonly offset: number;
}

export type RenderedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

/** Parses every template in `source` once. Keep what it gives for as long as the value is used. */
export function compileJson(source: Json): CompiledJson {
  const problems: TemplateProblem[] = [];
  const part = compile(source, '', 0, problems);
  return { isStatic: part === undefined && problems.length === 0, source, problems, part };
}

/**
 * Renders in the order of the value, so draws of chance have an order. A template gives a text, also where it is the
 * whole text and gives a number: the JSON form of messages takes numeric texts for numeric fields.
 */
export function renderJson(
  compiled: CompiledJson,
  data: TemplateData,
  environment: TemplateEnvironment,
): RenderedJson {
  const [broken] = compiled.problems;
  if (broken !== undefined) return { ok: false, pointer: broken.pointer, problem: broken.problem };
  if (compiled.part === undefined) return { ok: true, value: compiled.source };
  return renderPart(compiled.part, data, environment);
}

function compile(
  value: Json,
  pointer: string,
  depth: number,
  problems: TemplateProblem[],
): CompiledPart | undefined {
  if (typeof value === 'string')
    return hasTemplate(value) ? compileText(value, pointer, problems) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= templateValueNestingMax) {
    problems.push({ pointer, problem: `nests deeper than ${templateValueNestingMax} levels`, offset: 0 });
    return undefined;
  }
  if (Array.isArray(value)) return compileList(value, pointer, depth, problems);
  return compileObject(value as JsonObject, pointer, depth, problems);
}

function compileText(text: string, pointer: string, problems: TemplateProblem[]): CompiledPart | undefined {
  const parsed = parseTemplate(text);
  if (parsed.ok) return { kind: 'text', pointer, template: parsed.template };
  problems.push({ pointer, problem: parsed.problem, offset: parsed.offset });
  return undefined;
}

function compileList(
  source: readonly Json[],
  pointer: string,
  depth: number,
  problems: TemplateProblem[],
): CompiledPart | undefined {
  const parts: Place<number>[] = [];
  for (const [index, item] of source.entries()) {
    const part = compile(item, `${pointer}/${index}`, depth + 1, problems);
    if (part !== undefined) parts.push([index, part]);
  }
  return parts.length === 0 ? undefined : { kind: 'list', source, parts };
}

function compileObject(
  source: JsonObject,
  pointer: string,
  depth: number,
  problems: TemplateProblem[],
): CompiledPart | undefined {
  const parts: Place<string>[] = [];
  for (const [key, item] of Object.entries(source)) {
    const part = compile(item, pointer + jsonPointer([key]), depth + 1, problems);
    if (part !== undefined) parts.push([key, part]);
  }
  return parts.length === 0 ? undefined : { kind: 'object', source, parts };
}

function renderPart(part: CompiledPart, data: TemplateData, environment: TemplateEnvironment): RenderedJson {
  if (part.kind === 'list') return renderList(part, data, environment);
  if (part.kind === 'object') return renderObject(part, data, environment);
  const rendered = renderTemplate(part.template, data, environment);
  if (rendered.ok) return { ok: true, value: rendered.text };
  return { ok: false, pointer: part.pointer, problem: rendered.problem };
}

function renderList(
  list: CompiledPart & { readonly kind: 'list' },
  data: TemplateData,
  environment: TemplateEnvironment,
): RenderedJson {
  const value = [...list.source];
  for (const [index, part] of list.parts) {
    const rendered = renderPart(part, data, environment);
    if (!rendered.ok) return rendered;
    value[index] = rendered.value;
  }
  return { ok: true, value };
}

function renderObject(
  object: CompiledPart & { readonly kind: 'object' },
  data: TemplateData,
  environment: TemplateEnvironment,
): RenderedJson {
  // The copy owns every key already, so that assigning to one named `__proto__` replaces that key and nothing else.
  const value: Record<string, Json> = { ...object.source };
  for (const [key, part] of object.parts) {
    const rendered = renderPart(part, data, environment);
    if (!rendered.ok) return rendered;
    value[key] = rendered.value;
  }
  return { ok: true, value };
}
