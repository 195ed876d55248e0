import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startProgress } from '../../../src/edges/terminal/progress.ts';
import { openTerminal, type OutputStream } from '../../../src/edges/terminal/terminal.ts';

describe('a terminal', () => {
  it('writes results to standard output and notes to standard error', () => {
    const { terminal, written } = fakeTerminal();
    terminal.line('result');
    terminal.note('news');
    expect(written()).toEqual({ stdout: 'result\n', stderr: 'news\n' });
  });

  it('has no colour and no end of line to meet when it is a pipe', () => {
    const { terminal } = fakeTerminal();
    expect(terminal.paint('red', 'x')).toBe('x');
    expect(terminal.columns).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('progress', () => {
  it('shows nothing in the first second', () => {
    const { bar, text } = fakeBar([0, 999]);
    bar.at(1);
    bar.end();
    expect(text()).toBe('');
  });

  it('shows a bar after a second, and takes it away at the end', () => {
    const { bar, text } = fakeBar([0, 1_000, 1_000]);
    bar.at(500_000);
    bar.end();
    expect(text()).toBe('\r\u001b[Kreading ████████████░░░░░░░░░░░░ 50 % of 1,000,000\r\u001b[K');
  });

  it('shows nothing where there is no terminal', () => {
    const stream = new PassThrough() as OutputStream & PassThrough;
    startProgress(stream, 'reading', 10, () => 1e9).at(5);
    expect(stream.read()).toBeNull();
  });
});

function fakeTerminal() {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const written = () => ({ stdout: String(stdout.read()), stderr: String(stderr.read()) });
  return { terminal: openTerminal({ stdout, stderr }), written };
}

function fakeBar(moments: number[]) {
  const stream: OutputStream & PassThrough = Object.assign(new PassThrough(), { isTTY: true });
  const bar = startProgress(stream, 'reading', 1_000_000, () => moments.shift() ?? 0);
  return { bar, text: () => String(stream.read() ?? '') };
}
