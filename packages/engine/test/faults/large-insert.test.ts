import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { startTessera } from '../tessera-process.ts';

const MB = 1 << 20;
const LIMIT_BYTES = 1024 * MB;
/** Rows of about 120 bytes each, more than 1 GB in total, in the worst order for sorting. */
const ROWS = 10_000_000;
/** The peaks also count the programs' files, which the processes share. */
const ALLOWED_BYTES = LIMIT_BYTES + 320 * MB;

/** The peak memory of each process below `pid`, and of `pid` itself. */
async function peaks(pid: number): Promise<number[]> {
  const children = execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' });
  const all = [pid, ...children.trim().split(/\s+/).map(Number)];
  const statuses = await Promise.all(
    all.map((one) => readFile(`/proc/${one}/status`, 'utf8').catch(() => '')),
  );
  return statuses.map((status) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
}

it('an INSERT of more rows than fit into memory succeeds in bounded memory', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tessera-large-insert-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const config = join(directory, 'tessera.yaml');
  await writeFile(config, `schema_version: "1.0"\nengine: {max_server_memory_usage: ${LIMIT_BYTES}}\n`);
  const node = stack.use(await startTessera({ args: ['--config', config] }));
  await query(node, 'CREATE TABLE t (k bigint, a text, b text, c text) PRIMARY INDEX k');
  const answer = await query(
    node,
    `INSERT INTO t SELECT k, repeat(k::text, 2), repeat(k::text, 2), repeat(k::text, 2)
     FROM (SELECT hash(x)::bigint AS k FROM generate_series(1, ${ROWS}) g(x))`,
  );
  expect(answer.status, answer.text).toBe(200);
  const memory = (await peaks(node.child.pid!)).reduce((sum, bytes) => sum + bytes, 0);
  expect(memory).toBeLessThan(ALLOWED_BYTES);
  expect(await rows(node, 'SELECT count(*)::int FROM t')).toEqual([[ROWS]]);
}, 240_000);
