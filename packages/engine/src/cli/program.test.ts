import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from './query/query-fixture.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the program as a shell would. */
function tessera(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin!.end();
  });
}

let directory: string;
const file = (name: string) => join(directory, name);
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-cli-'));
  await writeFile(file('good.yaml'), 'schema_version: "1.0"\nexecution: {regexp_cache_max_keys: 5}\n');
  await writeFile(file('bad.yaml'), 'schema_version: "1.0"\nexecution:\n  max_threads: four\nloging: {}\n');
});
afterAll(() => rm(directory, { recursive: true }));

describe('tessera', () => {
  it('prints its version, and help with examples', async () => {
    expect(await tessera('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    for (const args of [
      ['--help'],
      ['serve', '--help'],
      ['query', '--help'],
      ['config', 'check', '--help'],
    ]) {
      const { code, stdout } = await tessera(...args);
      expect(code).toBe(0);
      expect(stdout).toContain('Examples:');
    }
  });

  it.each([[['--help']], [['config', 'show', '--defaults']]])(
    '%j ends silently when its output is closed',
    async (args) => {
      const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      const stderr = text(child.stderr);
      const [code] = await once(child, 'exit');
      expect(await stderr).toBe('');
      expect(code).toBe(0);
    },
  );

  it.each([
    [['serve', '--http-prot', '1'], 'Did you mean --http-port?'],
    [['serv'], 'Did you mean serve?'],
    [['serve', '--http-port', '70000'], 'Expected an integer from 0 to 65535.'],
    [['serve', '--node', '3'], 'engine.nodes has one node, number 0'],
    [['serve', '--allow-url', 'ftp://x'], 'expected an http://, https://, s3://'],
    [['query', '-f', 'sql=x', 'SELECT 1'], 'the name "sql" is that of the statement'],
    [['query', '--setting', 'x', 'SELECT 1'], 'Expected name=value.'],
    [['query'], 'the statement is empty'],
    [['query', '-u', 'example.com', 'SELECT 1'], 'expected http://host:port'],
    [['cancel'], "missing required argument 'query id'"],
    [['dev-cluster', '--nodes', '0'], 'Expected an integer from 1 to 64.'],
  ])('%j is reported as wrong usage', async (args, message) => {
    const { code, stderr } = await tessera(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('checks a configuration file', async () => {
    expect(await tessera('config', 'check', file('good.yaml'))).toMatchObject({ code: 0, stderr: '' });
    const bad = await tessera('config', 'check', file('bad.yaml'));
    expect(bad.code).toBe(2);
    expect(bad.stderr).toBe(
      `${file('bad.yaml')}:3: execution.max_threads: expected an integer ≥ 0, got "four"\n${file('bad.yaml')}:4: loging: unknown parameter (did you mean logging?)\n`,
    );
    expect((await tessera('serve', '--config', file('bad.yaml'))).stderr).toBe(bad.stderr);
    expect((await tessera('config', 'check', file('none.yaml'))).stderr).toBe(
      `${file('none.yaml')}: cannot be read: there is no such file or directory\n`,
    );
  });

  it('checks the object store of a configuration', async () => {
    const good = await tessera('storage', 'check', '--data-dir', file('data'));
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toContain('  ok      create an object only if there is none\n');
    expect(good.stdout).toContain('The engine can use this store.\n');
    await writeFile(file('data-that-is-a-file'), '');
    const bad = await tessera('storage', 'check', '--data-dir', file('data-that-is-a-file'));
    expect(bad.code).toBe(1);
  });

  it('shows a configuration', async () => {
    const { stdout } = await tessera('config', 'show', file('good.yaml'));
    expect(stdout).toBe('execution:\n  regexp_cache_max_keys: 5\nschema_version: "1.0"\n');
    const json = JSON.parse((await tessera('config', 'show', '--json')).stdout) as Record<string, unknown>;
    expect(json).toHaveProperty('config.logging.level', 'info');
    expect(json).toHaveProperty('notYetInEffect', []);
  });

  it('queries', async () => {
    await using server = await startServer((seen, response) =>
      seen.body === 'SELECT 42'
        ? response.end('n\n42\n')
        : response.writeHead(400).end('{"errors":[{"description":"no"}]}'),
    );
    expect(await tessera('query', '-u', server.url, 'SELECT 42')).toEqual({
      code: 0,
      stdout: 'n\n42\n',
      stderr: '',
    });
    expect(await tessera('query', '-u', server.url, 'x')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: no\n',
    });
  });
});
