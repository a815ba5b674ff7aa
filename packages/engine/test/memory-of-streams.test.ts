import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { query, rows } from './http.ts';
import { bind, execute, parse, RawClient, sync } from './postgres-client.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const KB = 1024;
const TABLE_ROWS = 20_000;
// Each test sends a fixed number of statements, however slow the machine is.
vi.setConfig({ testTimeout: 180_000 });
/** Makes a process collect its heap and log the memory that is left, when it gets the signal. */
const PROBE = `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGPWR', () => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.stderr.write(JSON.stringify({ msg: 'live memory', bytes: heapUsed + arrayBuffers }) + '\\n');
});`;

let node: TesseraProcess;
let sent: number;

async function run(sql: string): Promise<void> {
  const { status, text } = await query(node, sql);
  expect(status, text).toBe(200);
}

beforeAll(async () => {
  node = await startTessera({
    args: ['--postgres-port', '0'],
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROBE)}` },
  });
  await run('CREATE TABLE t (id bigint NOT NULL, n double, label text) PRIMARY INDEX id');
  await run(
    `INSERT INTO t SELECT i, i / 4.0, 'row ' || i FROM generate_series(0, ${TABLE_ROWS - 1}) AS g(i)`,
  );
});
afterAll(() => node[Symbol.asyncDispose]());
beforeEach(() => {
  sent = 0;
});

/** The bytes that the node process needs: its heap without garbage, and its buffers. */
async function nodeBytes(): Promise<number> {
  const reports = () => node.log.filter(({ msg }) => msg === 'live memory');
  const before = reports().length;
  node.child.kill('SIGPWR');
  await vi.waitFor(() => expect(reports().length).toBeGreaterThan(before), { timeout: 20_000 });
  return Number(reports().at(-1)!.bytes);
}

/** The memory of the kernel processes that is not shared with files. */
function kernelBytes(): number {
  const pids = execFileSync('ps', ['--ppid', String(node.child.pid), '-o', 'pid='], { encoding: 'utf8' });
  return pids
    .trim()
    .split(/\s+/)
    .map((pid) => /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')))
    .reduce((sum, found) => sum + Number(found?.[1] ?? 0) * KB, 0);
}

interface Growth {
  readonly node: number;
  readonly kernels: number;
}

/**
 * Expects that the processes grow by fewer bytes for each of `count` statements, after `warmUp` others. What background work
 * takes for a moment does not count.
 */
async function expectFlat(
  warmUp: number,
  count: number,
  limits: Growth,
  statement: (i: number) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < warmUp; i++) await statement(sent++);
  const before = { node: await nodeBytes(), kernels: kernelBytes() };
  for (let i = 0; i < count; i++) await statement(sent++);
  const check = async () => {
    expect(((await nodeBytes()) - before.node) / count).toBeLessThan(limits.node);
    expect((kernelBytes() - before.kernels) / count).toBeLessThan(limits.kernels);
  };
  await vi.waitFor(check, { timeout: 20_000, interval: 500 });
}

/** A key of the table, a different one for each of the first statements. */
const key = (i: number): number => (i * 7919) % TABLE_ROWS;

it('a stream of INSERTs of single rows takes no memory that stays, and its tablets are merged', async () => {
  const limits = { node: 20 * KB, kernels: 50 * KB };
  await expectFlat(100, 400, limits, (i) => run(`INSERT INTO t VALUES (${-i}, 1.5, 'new ${i}')`));
  const tablets = `SELECT number_of_tablets::int FROM information_schema.tables WHERE table_name = 't'`;
  await expect.poll(async () => (await rows(node, tablets))[0]![0], { timeout: 20_000 }).toBeLessThan(20);
});

it('streams of UPDATE and DELETE of single rows take no memory that stays, however many rows were deleted', async () => {
  // The deletion vectors contain 4,000 rows that are not adjacent.
  await run('DELETE FROM t WHERE id % 5 = 0');
  const limits = { node: 80 * KB, kernels: 400 * KB };
  // A kernel process takes memory in steps of 16 MiB, of which a few must not count as growth.
  await expectFlat(50, 200, limits, (i) => run(`UPDATE t SET n = n + 1 WHERE id = ${key(i)}`));
  await expectFlat(20, 200, limits, (i) => run(`DELETE FROM t WHERE id = ${key(i)}`));
});

it('a stream of queries that differ in their literals takes no memory that stays', async () => {
  // The history of queries keeps some of the newest in memory.
  const limits = { node: 16 * KB, kernels: 30 * KB };
  await expectFlat(200, 500, limits, (i) => run(`SELECT ${i} + 1, 'text ${i}'`));
});

it('streams of prepared statements and of connections take no memory that stays', async () => {
  const prepared = async (client: RawClient, i: number) => {
    const messages = [parse(`SELECT $1::int + ${i}`), bind([String(i)]), execute(), sync];
    expect(await client.ask(...messages)).toContain(`D ${2 * i}`);
  };
  using client = await RawClient.open(node.postgres);
  await expectFlat(200, 500, { node: 16 * KB, kernels: 30 * KB }, (i) => prepared(client, i));
  await expectFlat(20, 80, { node: 80 * KB, kernels: 100 * KB }, async (i) => {
    using other = await RawClient.open(node.postgres);
    await prepared(other, i);
  });
});
