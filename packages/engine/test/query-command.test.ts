import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from './programs.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let directory: string;
let server: TesseraProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-query-'));
  const socket = { type: 'unix', path: join(directory, 'http.sock') };
  const config = {
    schema_version: '1.0',
    endpoints: { http: { listeners: [{ type: 'tcp', port: 0 }, socket] } },
  };
  await writeFile(join(directory, 'tessera.json'), JSON.stringify(config));
  server = await startTessera({ args: ['--config', join(directory, 'tessera.json')] });
  await writeFile(join(directory, 'sales.csv'), 'region,amount\nnorth,10\nsouth,20\nnorth,5\n');
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], stdin = ''): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [MAIN, 'query', '-u', server!.url, ...args]);
  child.stdin.end(stdin);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({
      code,
      stdout,
      stderr,
    }),
  );
  return { child, ended };
}
const tessera = (args: readonly string[], stdin?: string) => start(args, stdin).ended;

const TOTALS =
  "SELECT region, sum(amount) AS total FROM READ_CSV('upload://sales', HEADER => true, INFER_SCHEMA => true) GROUP BY region ORDER BY region";

describe('tessera query', () => {
  it('uploads a file and prints the result', async () => {
    const args = ['-f', `sales=${join(directory, 'sales.csv')}`, TOTALS];
    expect(await tessera(args)).toEqual({
      code: 0,
      stdout: 'region\ttotal\nnorth\t15\nsouth\t20\n',
      stderr: '',
    });
  });

  it('takes the statement from a file and the data from standard input', async () => {
    const sql = join(directory, 'totals.sql');
    await writeFile(sql, TOTALS);
    const { stdout } = await tessera(
      ['-f', 'sales=-', '-F', sql, '--format', 'csv'],
      'region,amount\nwest,1\nwest,2\n',
    );
    expect(stdout).toContain('west');
    expect(stdout).toContain('3');
  });

  it('runs a script in one session, and continues after an error on request', async () => {
    const path = join(directory, 'script.sql');
    await writeFile(path, "SET timezone = 'Asia/Tokyo';\nSELECT nix;\nSHOW timezone;\n");
    const stopped = await tessera(['-f', path]);
    expect(stopped).toMatchObject({ code: 1, stdout: '' });
    const { code, stdout, stderr } = await tessera(['-f', path, '--on-error', 'continue']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('Asia/Tokyo') });
    expect(stderr).toContain('Column "nix" does not exist');
    expect(stderr).toContain('1 of 3 statements failed');
  });

  it('sends a compressed file as it is', async () => {
    const path = join(directory, 'sales.csv.zst');
    await writeFile(path, zstdCompressSync('region,amount\neast,7\n'));
    const { code, stdout } = await tessera(['-f', `sales=${path},encoding=zstd`, TOTALS]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'region\ttotal\neast\t7\n' });
  });

  it('prints the result of each of several statements, also over the rows of a file', async () => {
    const several = `SELECT 1 AS a; CREATE TABLE noted (n INT); ${TOTALS}; SELECT 2 AS b`;
    expect(await tessera(['-f', `sales=${join(directory, 'sales.csv')}`, several])).toEqual({
      code: 0,
      stdout: 'a\n1\n\nregion\ttotal\nnorth\t15\nsouth\t20\n\nb\n2\n',
      stderr: '',
    });
    const { stdout } = await tessera(['--format', 'jsonlines', 'SELECT 1; SELECT 2']);
    expect(stdout.match(/FINISH_SUCCESSFULLY/g)).toHaveLength(2);
  });

  it('prints the results before the statement that fails, and its error apart from them', async () => {
    for (const format of ['tsv', 'json-compact']) {
      const sql = 'SELECT 1 AS a;\nSELECT 2 AS b;\nSELECT x;\nSELECT 4';
      const { code, stdout, stderr } = await tessera(['--format', format, sql]);
      expect(code).toBe(1);
      expect(stdout).not.toContain('errors');
      if (format === 'tsv') expect(stdout).toBe('a\n1\n\nb\n2\n\n');
      expect(stderr).toMatch(/^error: Line 3, Column 8: .*\(statement 3 of 4\)\n {2}SELECT x;\n {9}\^\n/);
    }
    const row = await tessera(['--format', 'tsv', `SELECT 1 AS a; SELECT '{"errors":[{}]}' AS b`]);
    expect(row).toMatchObject({ code: 0, stdout: 'a\n1\n\nb\n{"errors":[{}]}\n' });
  });

  it('passes settings on, and names unknown ones', async () => {
    const { code, stderr } = await tessera(['--setting', 'max_result_row=1', 'SELECT 1']);
    expect(code).toBe(1);
    expect(stderr).toContain('Unknown setting max_result_row (did you mean max_result_rows?)');
  });

  it('shows the position of an error', async () => {
    const { code, stdout, stderr } = await tessera([], 'SELECT 1\n  FROM nowhere\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: Line 2, Column 8: .*nowhere.*\n {4}FROM nowhere\n {9}\^+\n$/);
  });

  it('works over the Unix socket', async () => {
    const { code, stdout } = await tessera(['-u', `unix:${join(directory, 'http.sock')}`, 'SELECT 42 AS n']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'n\n42\n' });
  });

  it('cancels the query at Ctrl-C', async () => {
    const running = async () => {
      const page = await (await fetch(`${server!.metricsUrl}/metrics`)).text();
      return Number(/^tessera_running_queries\{\S+\} (\d+)/m.exec(page)?.[1]);
    };
    const sql =
      'SELECT sum(a.n * b.n) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)';
    const { child, ended } = start([sql]);
    await expect.poll(running).toBe(1);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'cancelled\n' });
    await expect.poll(running).toBe(0);
  });
});
