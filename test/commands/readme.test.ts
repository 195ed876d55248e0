import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bufCurl, newFolder, run, serve, type Served } from './running-process.ts';

// The tour of the README, as a newcomer would paste it: its files, its commands, in its order.
const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
const commands = [...readme.matchAll(/^npx (doubletake|buf) (.*)$/gm)].map(([, program = '', line = '']) => ({
  program,
  line,
}));
const folder = newFolder();
let served: Served;

beforeAll(async () => {
  for (const [, language, text = ''] of readme.matchAll(/^```(proto|yaml)\n([\s\S]*?)^```$/gm)) {
    const [, path] = /^(?:\/\/|#) ((?:protos|stubs)\/\S+)\n/.exec(text) ?? [];
    if (path === undefined || language === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  served = await serve(words(tourLine('serve')).slice(1), { cwd: folder });
});

afterAll(async () => {
  await served.stop();
});

describe('the tour of the README', () => {
  it('calls what it serves: the first is answered, the second is a miss', async () => {
    const calls = commands.filter(({ program }) => program === 'buf').map(({ line }) => line);
    expect(calls).toHaveLength(2);
    const answered = await called(calls[0] ?? '');
    const missed = await called(calls[1] ?? '');
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello Ada') as string });
    expect(missed.stderr).toContain('No matching stub found');
  });

  it('sees the blank behind the name', async () => {
    const { code, stdout } = await pasted('explain');
    expect(code).toBe(0);
    expect(stdout).toMatch(/name +"Ada " +equals "Ada" +✗ trailing space/);
  });

  it('shows the call that was answered, and that its stub was used', async () => {
    expect((await pasted('show')).stdout).toContain('"message": "Hello Ada"');
    expect(JSON.parse((await pasted('state')).stdout)).not.toEqual({});
  });

  it.each(['log', 'show', 'state', 'check'])('ends well with %s', async (name) => {
    expect(await pasted(name)).toMatchObject({ code: 0, stderr: '' });
  });

  it('names only commands and options that there are', async () => {
    const helps = new Map<string, string>();
    for (const { program, line } of commands) {
      if (program !== 'doubletake') continue;
      const [name = '', subcommand = ''] = words(line);
      const parts = ['stub', 'clock'].includes(name) ? [name, subcommand] : [name];
      const key = parts.join(' ');
      const { code, stdout } = await run([...parts, '--help']);
      expect({ key, code }).toEqual({ key, code: 0 });
      helps.set(key, stdout);
      for (const option of line.match(/--[a-z-]+/g) ?? []) expect(helps.get(key)).toContain(option);
    }
    expect(helps.size).toBeGreaterThan(6);
  });
});

function tourLine(name: string): string {
  return (
    commands.find(({ program, line }) => program === 'doubletake' && line.startsWith(`${name} `))?.line ??
    name
  );
}

function pasted(name: string): ReturnType<typeof run> {
  return run(words(tourLine(name)), { cwd: folder });
}

function called(line: string): ReturnType<typeof bufCurl> {
  const [, data = '', method = ''] = /-d '([^']*)' http:\/\/127\.0\.0\.1:4770\/(\S+)/.exec(line) ?? [];
  return bufCurl(served.grpc, method, [JSON.parse(data) as object]);
}

function words(line: string): readonly string[] {
  return line.split(/\s+/);
}
