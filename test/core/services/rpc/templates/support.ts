import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import type { TemplateData } from '../../../../../src/core/services/rpc/templates/data.ts';
import { parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import {
  renderTemplate,
  type RenderedTemplate,
} from '../../../../../src/core/services/rpc/templates/render.ts';

/** 2026-03-03T16:04:05.067Z. */
export const requestTime = 1_772_553_845_067;

export const emptyData: TemplateData = {
  Request: {},
  Requests: [],
  Headers: {},
  MessageIndex: 0,
  RequestTime: requestTime,
  StubID: '5e415114-ed4f-4900-828a-14f5f3f80f5b',
  AttemptNumber: 1,
  MaxAttempts: 0,
  Session: '',
};

/** Parses and renders at one entry of one log. */
export function render(text: string, data: Partial<TemplateData> = {}, seq = 1): RenderedTemplate {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return { ok: false, problem: parsed.problem };
  const environment = { now: requestTime, randomness: randomnessAt('templates', seq) };
  return renderTemplate(parsed.template, { ...emptyData, ...data }, environment);
}

/** What the template gives, or its problem in brackets. */
export function rendered(text: string, data: Partial<TemplateData> = {}, seq = 1): string {
  const result = render(text, data, seq);
  return result.ok ? result.text : `[${result.problem}]`;
}
