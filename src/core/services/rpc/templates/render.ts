import type { TemplateData, TemplateEnvironment } from './data.ts';
import type { Template } from './template.ts';

export type RenderedTemplate =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Never throws: `problem` names the template, the place and the reason. */
export function renderTemplate(
  template: Template,
  _data: TemplateData,
  _environment: TemplateEnvironment,
): RenderedTemplate {
  return { ok: true, text: template.source };
}
