import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/core/kernel/json.ts';
import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import type { TemplateData } from '../../../../../src/core/services/rpc/templates/data.ts';
import { parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import { renderTemplate } from '../../../../../src/core/services/rpc/templates/render.ts';

/**
 * What Go 1.26 makes of the same templates over the same data. Whole numbers of the data were given to Go as `int`,
 * headers as `map[string]string`, and the functions that Go's templates lack as those of its library.
 */
interface GoTemplates {
  readonly data: JsonObject;
  readonly cases: readonly GoCase[];
}

interface GoCase {
  readonly template: string;
  readonly output?: string;
  /** Where Go finds it at fault. */
  readonly fails?: 'parse' | 'render';
}

const fixture = new URL('../../../../fixtures/go-templates.json', import.meta.url);
const table = JSON.parse(readFileSync(fixture, 'utf8')) as GoTemplates;
const requestTime = Date.UTC(2026, 2, 3, 16, 4, 5, 67);
const data = { ...table.data, RequestTime: requestTime } as unknown as TemplateData;

function rendered(template: string): string | undefined {
  const parsed = parseTemplate(template);
  if (!parsed.ok) return undefined;
  const result = renderTemplate(parsed.template, data, {
    now: requestTime,
    randomness: randomnessAt('go', 1),
  });
  return result.ok ? result.text : undefined;
}

describe('a template gives what Go gives', () => {
  const cases = table.cases.filter((entry) => entry.output !== undefined);

  test.each(cases)('$template', ({ template, output }) => {
    expect(rendered(template)).toBe(output);
  });
});

describe('a template that Go refuses is a problem', () => {
  const cases = table.cases.filter((entry) => entry.fails !== undefined);

  test.each(cases)('$template', ({ template }) => {
    expect(rendered(template)).toBeUndefined();
  });

  test('and what Go cannot parse is not parsed here either', () => {
    const parsed = cases.filter(({ fails, template }) => fails === 'parse' && parseTemplate(template).ok);
    expect(parsed).toEqual([]);
  });
});
