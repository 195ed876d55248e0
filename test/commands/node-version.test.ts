import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { program } from './running-process.ts';

describe('the start on an old Node', () => {
  it.each(['20.20.2', '22.17.9', '8.1.0'])(
    'says on %s what it needs and what it found, and ends with 5',
    (version) => {
      const { status, stderr, stdout } = startedOn(version);
      expect({ status, stdout }).toEqual({ status: 5, stdout: '' });
      expect(stderr).toContain(
        `DT_NODE_TOO_OLD: doubletake needs Node.js 22.18 or later, and this is ${version} `,
      );
    },
  );

  it.each(['22.18.0', '24.0.0', '100.1.2'])('goes on on %s', (version) => {
    expect(startedOn(version)).toMatchObject({ status: 0, stdout: `${packageJson.version}\n` });
  });

  it('needs what package.json says', () => {
    expect(packageJson.engines.node).toBe('>=22.18');
  });

  it('is written so that an old Node can read it', () => {
    const code = readFileSync(program, 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
    expect(code).not.toMatch(/\b(const|let|class|async|await)\b|=>|\?\.|\?\?|`|^import\s|^export\s/m);
  });
});

function startedOn(version: string): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const fake = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${fake}`, program, '--version'], {
    encoding: 'utf8',
  });
}
