import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { startTessera } from '../tessera-process.ts';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts')).href;
/** Objects without a reference are orphans from an age of a day on. */
const TOMORROW_MS = 25 * 3_600_000;
const ROWS = 2_000_000;
const TEST_MS = 180_000;
/** Settings that produce several tablets, each large enough to be an object. */
const SMALL_TABLETS = { tablet_min_size_bytes: '1000000', tablet_max_size_bytes: '2000000' };

let directory: string;
let dataDirectory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-orphans-'));
  dataDirectory = join(directory, 'data');
  const storage = '{allow_collect_garbage: true, gc_ttl_seconds: 0}';
  await writeFile(join(directory, 'tessera.yaml'), `schema_version: "1.0"\nstorage: ${storage}\n`);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const start = (clockShiftMs: number) =>
  startTessera({
    dataDirectory,
    args: ['--config', join(directory, 'tessera.yaml')],
    env: { NODE_OPTIONS: `--import ${CLOCK}`, TESSERA_TEST_CLOCK_SHIFT_MS: String(clockShiftMs) },
  });

/** The objects of tablets, and partial files of an interrupted write. */
async function objects(): Promise<string[]> {
  const found = await readdir(join(dataDirectory, 'objects', 'tablets'), { recursive: true }).catch(() => []);
  return found.filter((name) => name.endsWith('.parquet'));
}

it(
  'an INSERT that is killed leaves nothing visible, and its tablets are collected a day later',
  async () => {
    const first = await start(0);
    try {
      await query(first, `CREATE TABLE kept AS SELECT x, hash(x) AS h FROM generate_series(1, 100000) g(x)`);
      await query(first, 'CREATE TABLE t (a bigint, b bigint)');
      const before = await objects();
      const insert = query(
        first,
        `INSERT INTO t SELECT x, hash(x)::bigint FROM generate_series(1, ${ROWS}) g(x)`,
        SMALL_TABLETS,
      );
      const lost = expect(insert).rejects.toThrow('fetch failed');
      await expect
        .poll(async () => (await objects()).length, { timeout: 30_000, interval: 5 })
        .toBeGreaterThan(before.length);
      await first.stop('SIGKILL');
      await lost;
      const orphans = (await objects()).length - before.length;
      expect(orphans).toBeGreaterThan(0);

      const sameDay = await start(0);
      expect(await rows(sameDay, 'SELECT count(*)::int FROM t')).toEqual([[0]]);
      await rows(sameDay, 'CALL collect_garbage()');
      expect(await objects()).toHaveLength(before.length + orphans);
      await expect.poll(() => readdir(join(dataDirectory, 'staging'))).toEqual([]);
      await sameDay.stop();

      await using nextDay = await start(TOMORROW_MS);
      const [[, collected] = []] = await rows(nextDay, 'CALL collect_garbage()');
      expect(Number(collected)).toBe(orphans);
      expect(await objects()).toEqual(before);
      const all = 'SELECT count(*)::int, count(DISTINCT h)::int FROM kept';
      expect(await rows(nextDay, all)).toEqual([[100_000, 100_000]]);
    } finally {
      await first.stop('SIGKILL');
    }
  },
  TEST_MS,
);

it(
  'an INSERT that fails in its last row leaves nothing behind',
  async () => {
    await using node = await start(0);
    await query(node, 'CREATE TABLE t (a bigint, b bigint)');
    const insert = query(
      node,
      `INSERT INTO t SELECT x, CASE WHEN x = ${ROWS} THEN 'no number' ELSE hash(x)::text END::bigint
     FROM generate_series(1, ${ROWS}) g(x)`,
      SMALL_TABLETS,
    );
    expect((await insert).text).toContain('no number');
    expect(await objects()).toEqual([]);
    expect(await rows(node, 'SELECT count(*)::int FROM t')).toEqual([[0]]);
  },
  TEST_MS,
);
