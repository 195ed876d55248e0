import type { Json, JsonObject } from '../../../kernel/json.ts';
import type { TemplateData, TemplateEnvironment } from './data.ts';
import { templateValueNestingMax } from './limits.ts';
import { hasTemplate, parseTemplate } from './parse.ts';
import { renderTemplate } from './render.ts';
import type { Template } from './template.ts';

/** A JSON value whose texts may be templates; keys never are. */
export interface CompiledJson {
  /** Rendering gives the same value each time: the one that was compiled, not a copy. */
  readonly isStatic: boolean;
  readonly value: Json;
  /** What to render where; empty when static. */
  readonly part: CompiledPart | undefined;
}

type CompiledPart =
  | { readonly kind: 'text'; readonly pointer: string; readonly template: Template }
  | {
      readonly kind: 'list';
      readonly value: readonly Json[];
      readonly parts: readonly (readonly [number, CompiledPart])[];
    }
  | {
      readonly kind: 'object';
      readonly value: JsonObject;
      readonly parts: readonly (readonly [string, CompiledPart])[];
    };

/** A template in a JSON value that cannot be read. */
export interface TemplateProblem {
  /** A JSON pointer (RFC 6901) to the text. */
  readonly pointer: string;
  readonly problem: string;
  /** Where in the text, in UTF-16 code units. */
  readonly offset: number;
}

export type JsonCompilation =
  | { readonly ok: true; readonly compiled: CompiledJson }
  | { readonly ok: false; readonly problems: readonly TemplateProblem[] };

export type RenderedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

/** Parses every template in `value` once; all problems are listed. */
export function compileJson(value: Json): JsonCompilation {
  const problems: TemplateProblem[] = [];
  const part = compile(value, '', 0, problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, compiled: { isStatic: part === undefined, value, part } };
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
  if (compiled.part === undefined) return { ok: true, value: compiled.value };
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
  value: readonly Json[],
  pointer: string,
  depth: number,
  problems: TemplateProblem[],
): CompiledPart | undefined {
  const parts: [number, CompiledPart][] = [];
  for (const [index, item] of value.entries()) {
    const part = compile(item, `${pointer}/${index}`, depth + 1, problems);
    if (part !== undefined) parts.push([index, part]);
  }
  return parts.length === 0 ? undefined : { kind: 'list', value, parts };
}

function compileObject(
  value: JsonObject,
  pointer: string,
  depth: number,
  problems: TemplateProblem[],
): CompiledPart | undefined {
  const parts: [string, CompiledPart][] = [];
  for (const [key, item] of Object.entries(value)) {
    const part = compile(item, `${pointer}/${escapePointer(key)}`, depth + 1, problems);
    if (part !== undefined) parts.push([key, part]);
  }
  return parts.length === 0 ? undefined : { kind: 'object', value, parts };
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function renderPart(part: CompiledPart, data: TemplateData, environment: TemplateEnvironment): RenderedJson {
  if (part.kind === 'text') {
    const rendered = renderTemplate(part.template, data, environment);
    if (rendered.ok) return { ok: true, value: rendered.text };
    return { ok: false, pointer: part.pointer, problem: rendered.problem };
  }
  if (part.kind === 'list') {
    const items = [...part.value];
    for (const [index, item] of part.parts) {
      const rendered = renderPart(item, data, environment);
      if (!rendered.ok) return rendered;
      items[index] = rendered.value;
    }
    return { ok: true, value: items };
  }
  // The copy owns all keys already, so that assigning to a key named `__proto__` replaces that key.
  const properties: Record<string, Json> = { ...part.value };
  for (const [key, item] of part.parts) {
    const rendered = renderPart(item, data, environment);
    if (!rendered.ok) return rendered;
    properties[key] = rendered.value;
  }
  return { ok: true, value: properties };
}
