import { createServer } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, run, serve, talkSources } from './running-process.ts';

const freePorts = ['--grpc-port', '0', '--admin-port', '0', '--http-port', '0'];

describe('a start that cannot be', () => {
  it('lists every problem of every stub file at once, with file and line, and ends with 5', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.yaml'), 'service: X\nmethod: 7\noutput: {}\n');
    writeFileSync(join(folder, 'b.json'), '[\n  {"service": "X"}\n]\n');
    const { code, stdout, stderr } = await run(['serve', ...freePorts, '--stubs', folder, '--json']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('DT_STUB_INVALID');
    expect(stderr).toMatch(/a\.yaml:2: \/method: /);
    expect(stderr).toMatch(/a\.yaml:3: \/output: /);
    expect(stderr).toMatch(/b\.json:2: \/0: /);
  });

  it('lists problems of .proto files together with those of stub files', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'protos'));
    writeFileSync(join(folder, 'protos/a.proto'), 'syntax = "proto3";\nmessage A { Nowhere b = 1; }\n');
    writeFileSync(join(folder, 'a.yaml'), 'service: X\nmethod: 7\noutput: { data: 1 }\n');
    const sources = ['--proto', join(folder, 'protos'), '--stubs', join(folder, 'a.yaml')];
    const { code, stderr } = await run(['serve', ...freePorts, ...sources]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/a\.proto:2: .*Nowhere/);
    expect(stderr).toMatch(/a\.yaml:2: \/method: /);
  });

  it('refuses an answer that does not fit its message, and leaves no take behind', async () => {
    const folder = newFolder();
    const take = join(folder, 'run.take');
    writeFileSync(
      join(folder, 'a.yaml'),
      'service: talk.v1.Talk\nmethod: Say\noutput: { data: { nunber: 1 } }\n',
    );
    const { code, stderr } = await run([
      'serve',
      ...freePorts,
      ...talkSources,
      '--stubs',
      join(folder, 'a.yaml'),
      '--take',
      take,
    ]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/a\.yaml:\d+: .*nunber/);
    expect(await run(['log', take])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('DT_LOG_MISSING') as string,
    });
  });

  it('says which port is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    try {
      for (const option of ['--grpc-port', '--admin-port', '--http-port']) {
        const { code, stderr } = await run(['serve', ...freePorts, option, String(port)]);
        expect(code).toBe(5);
        expect(stderr).toContain(`DT_PORT_IN_USE: port ${port} on 127.0.0.1 is taken`);
        expect(stderr).toContain(`${option} 0 picks a free one`);
      }
    } finally {
      server.close();
    }
  });

  it('refuses to open administration to the network without a token', async () => {
    const { code, stderr } = await run(['serve', ...freePorts, '--host', '0.0.0.0'], {
      env: { DOUBLETAKE_ADMIN_TOKEN: '' },
    });
    expect(code).toBe(5);
    expect(stderr).toContain('DT_ADMIN_UNPROTECTED');
  });

  it('names the process that writes the take', async () => {
    const take = join(newFolder(), 'run.take');
    const first = await serve([...talkSources, '--take', take]);
    try {
      const { code, stderr } = await run(['serve', ...freePorts, ...talkSources, '--take', take]);
      expect(code).toBe(5);
      expect(stderr).toContain('DT_LOG_OWNED');
      expect(stderr).toContain(`process ${first.pid}`);
    } finally {
      await first.stop();
    }
  });

  it('keeps the seed that a take was made with', async () => {
    const take = join(newFolder(), 'run.take');
    await (await serve(['--take', take, '--seed', '7'])).stop();
    const { code, stderr } = await run(['serve', ...freePorts, '--take', take, '--seed', '8']);
    expect(code).toBe(64);
    expect(stderr).toContain('was made with --seed 7, and 8 was asked for');
  });
});

describe('the command line', () => {
  it.each([
    [['lgo'], 'Did you mean log?'],
    [['serve', '--prot', 'x'], 'Did you mean --proto?'],
    [['serve', '--grpc-port', '70000'], 'Expected a whole number of 0 to 65535'],
    [['serve', '--clock', 'sundial'], 'Allowed choices are system, virtual, auto'],
    [['serve', '--tls-cert', 'a.pem'], 'TLS needs both --tls-cert and --tls-key'],
    [['log'], "missing required argument 'take'"],
    [['show', 'x.take', 'last'], 'Expected a whole number of 1 or more'],
    [['clock', 'advance', '5x'], 'Expected a duration such as'],
    [['stub', 'remove'], 'expected the ids of stubs, or --all'],
  ])('%j ends with 64 and says what to do', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it.each([
    [['log', 'nothere.take'], 'DT_LOG_MISSING'],
    [['check', 'nothere.jsonl'], 'DT_LOG_MISSING'],
    [['stub', 'list', '--admin', 'http://127.0.0.1:9'], 'DT_ADMIN_UNREACHABLE'],
  ])('%j ends with 5 and a code', async (args, code) => {
    expect(await run(args)).toMatchObject({ code: 5, stderr: expect.stringContaining(code) as string });
  });

  it('says its version, and helps with what it can do', async () => {
    const [version, help] = await Promise.all([run(['--version']), run(['--help'])]);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Commands:') as string });
  });
});
