import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/commands/error-codes.ts';
import { exitCodes } from '../../src/commands/exit-codes.ts';
import { commands } from '../../src/commands/program.ts';
import { openTerminal } from '../../src/edges/terminal/terminal.ts';
import { filesUnder, repositoryFolder } from './source-files.ts';

const commandsPage = document('docs/commands.md');
const errorsPage = document('docs/errors.md');

describe('the page of commands', () => {
  it('lists every command with what its help says, and no other', () => {
    const rows = tableRows(commandsPage, '| command | does |');
    expect(rows.map(([name, does]) => [codeIn(name), does])).toEqual(
      Object.entries(commands).map(([name, { summary }]) => [name, summary]),
    );
  });

  it.each(Object.keys(commands))('shows every option and subcommand of %s', async (name) => {
    const command = await defined(name);
    const section = sectionOf(commandsPage, name);
    for (const part of [command, ...command.commands]) {
      const missing = part.options.flatMap(({ long }) =>
        typeof long === 'string' && !section.includes(`\`${long}`) ? [long] : [],
      );
      expect(missing).toEqual([]);
    }
    const unnamed = command.commands.filter((part) => !section.includes(`\`${part.name()}`));
    expect(unnamed.map((part) => part.name())).toEqual([]);
  });

  it.each(Object.keys(commands))('%s and its subcommands have an example in their help', async (name) => {
    const command = await defined(name);
    for (const part of [command, ...command.commands]) {
      let help = '';
      part.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).toMatch(/Examples?:\n {2}doubletake /);
    }
  });

  it('lists the exit codes of the program', () => {
    const rows = tableRows(commandsPage, '| code | when |');
    expect(rows.map(([code]) => Number(code))).toEqual(Object.values(exitCodes));
  });
});

describe('the page of errors', () => {
  it('lists every code of the table, with the same words', () => {
    const rows = tableRows(errorsPage, '| code | meaning | what to do |');
    expect(rows.map(([code, meaning, remedy]) => [codeIn(code), { meaning, remedy }])).toEqual(
      Object.entries(errorCodes),
    );
  });

  it('names every code that the source names, and no other', () => {
    const source = [...filesUnder('src', ['.ts']), ...filesUnder('bin', ['.js'])].flatMap(({ text }) =>
      codesIn(text),
    );
    expect([...new Set(codesIn(errorsPage))].sort()).toEqual([...new Set(source)].sort());
  });
});

describe('the documents', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'GLOSSARY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

  it('link only to what is there', () => {
    const all = [...pages.map((path) => ({ path, text: document(path) })), ...filesUnder('docs', ['.md'])];
    const dead = all.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(join(repositoryFolder, dirname(path), target)))
        .map((target) => `${path} -> ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('are all in the index', () => {
    const index = document('docs/README.md');
    const left = filesUnder('docs', ['.md'])
      .map(({ path }) => path.slice('docs/'.length))
      .filter(
        (path) => path !== 'README.md' && !path.startsWith('decisions/') && !index.includes(`](${path})`),
      );
    expect(left).toEqual([]);
  });

  it('number the decisions without gaps', () => {
    const numbers = filesUnder('docs/decisions', ['.md'])
      .map(({ path }) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1])
      .flatMap((number) => (number === undefined ? [] : [Number(number)]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

async function defined(name: string): Promise<Command> {
  const file = await commands[name]?.load();
  const command = new Command(name);
  file?.define(command, { terminal: openTerminal(process), end: () => {} });
  return command;
}

function document(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}

/** The cells of the table under a heading row. */
function tableRows(page: string, head: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const start = lines.indexOf(head);
  expect(start, `the table ${head}`).toBeGreaterThanOrEqual(0);
  const after = lines.slice(start + 2);
  const end = after.findIndex((line) => !line.startsWith('|'));
  return after.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

function sectionOf(page: string, name: string): string {
  const [, after = ''] = page.split(`\n## ${name}\n`);
  return after.split('\n## ')[0] ?? '';
}

function codeIn(cell: string | undefined): string {
  return (cell ?? '').replaceAll('`', '');
}

function codesIn(text: string): readonly string[] {
  return text.match(/\bDT_[A-Z_]+/g) ?? [];
}
