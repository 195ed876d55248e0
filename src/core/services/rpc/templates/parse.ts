import type { Template } from './template.ts';

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

/** Whether `text` is a template; any other text renders to itself. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** Reads a template; `offset` says where it stopped making sense, in UTF-16 code units. Cache what it gives. */
export function parseTemplate(text: string): ParsedTemplate {
  return { ok: true, template: { source: text, body: [{ kind: 'text', text }], slots: 1 } };
}
