import { describe, expect, it } from 'vitest';
import { filesUnder, importsOf } from './source-files.ts';

const files = filesUnder('src/core', ['.ts']).filter(({ path }) => !path.endsWith('.d.ts'));

describe('the core', () => {
  it('imports nothing of Node', () => {
    const found = files.flatMap(importsOf).filter(({ to }) => to.startsWith('node:') || to === 'process');
    expect(found).toEqual([]);
  });

  it.each([
    ['time', /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)|\bperformance\b|\bTemporal\.Now\b/],
    ['timers', /\b(setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame)\b/],
    ['chance', /\bMath\.random\b|\bcrypto\.(randomUUID|getRandomValues)\b/],
    ['the process', /\bprocess\.|\bglobalThis\.process\b|\bBuffer\b|\brequire\(|\b__dirname\b/],
    ['locale', /\btoLocale\w+|\blocaleCompare\b|\bIntl\./],
    ['code made at run time', /\beval\(|\bnew Function\(/],
    ['the network', /\bfetch\(|\bXMLHttpRequest\b|\bWebSocket\b/],
    ['the console', /\bconsole\./],
  ])('does not reach for %s', (_what, pattern) => {
    const found = files.filter(({ text }) => pattern.test(code(text))).map(({ path }) => path);
    expect(found).toEqual([]);
  });

  it('sees a breach when there is one', () => {
    expect(code(`// Date.now\nconst at = Date.now();`)).toContain('Date.now');
    expect(code(`// Date.now\n/** setTimeout */ const s = 'process.exit';`)).not.toMatch(
      /Date|setTimeout|process/,
    );
  });
});

/** Without comments and without what stands in plain quotes: words about time are no use of it. */
function code(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, `''`);
}
