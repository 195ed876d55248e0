import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/core/kernel/json.ts';
import type { TemplateData } from '../../../../../src/core/services/rpc/templates/data.ts';
import { dataFields } from '../../../../../src/core/services/rpc/templates/data.ts';
import { fakerMembers } from '../../../../../src/core/services/rpc/templates/faker-members.ts';
import { templateFunctions } from '../../../../../src/core/services/rpc/templates/functions.ts';
import * as limits from '../../../../../src/core/services/rpc/templates/limits.ts';
import { render, rendered, requestTime } from './support.ts';

const page = readFileSync(new URL('../../../../../docs/templates.md', import.meta.url), 'utf8');
const shown = JSON.parse(/```json\n([^`]*)```/.exec(page)?.[1] ?? '') as JsonObject;
const data = { ...shown, RequestTime: requestTime } as unknown as TemplateData;

/** The cells of each row of the tables whose head has these columns; code without its backquotes. */
function rows(...columns: readonly string[]): string[][] {
  const head = `| ${columns.join(' | ')} |`;
  const lines = page.split('\n');
  return lines.flatMap((line, index) => (line === head ? cellsBelow(lines, index + 2) : []));
}

function cellsBelow(lines: readonly string[], from: number): string[][] {
  const end = lines.findIndex((line, index) => index >= from && !line.startsWith('|'));
  return lines.slice(from, end).map(cellsOf);
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function code(cell: string | undefined): string {
  return /^`(.*)`$/s.exec(cell ?? '')?.[1] ?? '';
}

const examples = [
  ...rows('template', 'gives').map(([template, gives]) => ({ template: code(template), gives: code(gives) })),
  ...rows('function', 'template', 'gives').map(([, template, gives]) => ({
    template: code(template),
    gives: code(gives),
  })),
];

describe('what the page shows is what templates give', () => {
  test('the data is as the page has it', () => {
    expect(shown['RequestTime']).toBe(new Date(requestTime).toISOString());
    expect(examples.length).toBeGreaterThan(80);
  });

  test.each(examples)('$template', ({ template, gives }) => {
    expect(rendered(template, data).trim()).toBe(gives);
  });
});

describe('what the page calls a problem is one', () => {
  const problems = rows('template', 'problem').map(([template, problem]) => ({
    template: code(template),
    problem: code(problem),
  }));

  test.each(problems)('$template', ({ template, problem }) => {
    const result = render(template, data);
    expect(result.ok ? '' : result.problem).toContain(problem);
  });
});

test('every function has its row, and there are no others', () => {
  const named = rows('function', 'template', 'gives').map(([name]) => /^`(\w+)`/.exec(name ?? '')?.[1] ?? '');
  expect(named.sort()).toEqual([...templateFunctions.keys()].sort());
});

test('every field of the data is on the page', () => {
  const table = rows('field', 'is').flat().join(' ');
  expect([...dataFields.keys()].filter((name) => !table.includes(`\`.${name}\``))).toEqual([]);
});

test('every name of fake data that the page lists exists', () => {
  const keys = rows('group', 'names').flatMap(([group, names]) =>
    code(names)
      .split(' ')
      .map((name) => `${code(group).slice('faker.'.length)}.${name}`),
  );
  expect(keys).toHaveLength(68);
  expect(keys.filter((key) => !fakerMembers.has(key.toLowerCase()))).toEqual([]);
});

test('the limits on the page are those of the code', () => {
  const values = rows('limit', 'value').map(([, value]) => value);
  expect(values).toEqual([
    limits.templateStepsMax.toLocaleString('en'),
    `${limits.templateOutputBytesMax / 2 ** 20} MiB`,
    String(limits.templateNestingMax),
    limits.templateVariablesMax.toLocaleString('en'),
    String(limits.templateValueNestingMax),
    '1,000',
  ]);
});
