import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { query, rows } from './http.ts';
import { MAIN } from './programs.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** Large enough that every batch becomes a tablet in the store instead of a part of the log. */
const BATCH = 20_000;
/** The aggregating index of the test can answer it. */
const COUNTS = 'SELECT batch, count(*)::int FROM t GROUP BY batch ORDER BY batch';

/** Starts a node that is stopped even if the test fails. */
async function start(dataDirectory?: string): Promise<TesseraProcess> {
  const node = await startTessera(dataDirectory === undefined ? {} : { dataDirectory });
  onTestFinished(() => void node.child.kill('SIGKILL'));
  return node;
}

async function run(node: TesseraProcess, sql: string): Promise<void> {
  const answer = await query(node, sql);
  expect(answer.status, `${sql}: ${answer.text}`).toBe(200);
}

async function repair(dataDirectory: string, ...flags: string[]): Promise<string> {
  const args = [MAIN, 'repair', '--data-dir', dataDirectory, ...flags];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

test('a command repairs a table whose objects are missing, and reports what is lost', async () => {
  await using disposal = new AsyncDisposableStack();
  const first = await start();
  const { dataDirectory } = first;
  disposal.defer(() => rm(dataDirectory, { recursive: true, force: true }));
  await run(first, 'CREATE TABLE whole (a int)');
  await run(first, 'INSERT INTO whole VALUES (1)');
  await run(first, 'CREATE TABLE t (batch int, x int, m text) PRIMARY INDEX batch, x');
  await run(first, 'CREATE AGGREGATING INDEX i ON t (batch, md5((x / 3)::text), count(*))');
  for (const batch of [1, 2, 3])
    await run(
      first,
      `INSERT INTO t SELECT ${batch}, x, md5((${batch} + x)::text) FROM generate_series(1, ${BATCH}) g(x)`,
    );
  await run(first, 'DELETE FROM t WHERE batch = 2 AND x <= 100');
  const found = await rows(
    first,
    "SELECT tablet_id FROM information_schema.tablets WHERE table_name = 't' AND deleted_rows = 100",
  );
  const lost = found[0]![0] as string;
  await expect(repair(dataDirectory, '--apply')).rejects.toThrow(/serves from it/);
  await first.stop();

  const tablets = join(dataDirectory, 'objects', 'tablets');
  const folders = await Promise.all(
    (await readdir(tablets)).map(async (id) => ({ id, files: (await readdir(join(tablets, id))).sort() })),
  );
  const table = folders.find(({ files }) => files.includes(`${lost}.parquet`))!.id;
  const index = folders.find(({ id }) => id !== table)!;
  await rename(join(tablets, table, `${lost}.parquet`), join(dataDirectory, 'kept.parquet'));
  // The last one belongs to the lost tablet, whose rows were deleted last; the first one to a tablet that is there.
  await rm(join(tablets, index.id, index.files[0]!));
  await rm(join(dataDirectory, 'tablets'), { recursive: true });
  {
    const damaged = await start(dataDirectory);
    const answer = await query(damaged, 'SELECT count(*), max(m) FROM t');
    expect(answer.text).toContain('OBJECT_NOT_FOUND');
    expect(answer.text).toContain('run tessera repair');
    // The report is available while the node runs.
    const report = await repair(dataDirectory);
    expect(report).toContain(`tessera.public.t (${table}): 1 of 3 tablets lost, with 19900 of 59900 rows.`);
    expect(report).toContain(
      `  tablet ${lost}: 19900 rows; tablets/${table}/${lost}.parquet is missing (the rows)`,
    );
    expect(report).toContain(
      `  tablet ${index.files[0]!.replace('.parquet', '')}: 0 rows; tablets/${index.id}/${index.files[0]} is missing (partial rows`,
    );
    expect((await query(damaged, COUNTS)).text).toContain('OBJECT_NOT_FOUND');
    expect(report).toContain('Nothing was changed.');
    expect(report).not.toContain('whole');
    expect((await query(damaged, 'SELECT count(*), max(m) FROM t')).text).toContain('OBJECT_NOT_FOUND');
    await damaged.stop();
  }
  const applied = await repair(dataDirectory, '--apply');
  expect(applied).toContain('Removed 2 tablets with 19900 rows;');
  expect(applied).toContain('No object is missing now.');
  expect(await repair(dataDirectory)).toContain('No object is missing.');

  const repaired = await start(dataDirectory);
  const withoutIndex =
    "SELECT rows_without_index::int FROM information_schema.indexes WHERE index_name = 'i'";
  expect(await rows(repaired, withoutIndex)).toEqual([[BATCH]]);
  expect(await rows(repaired, COUNTS)).toEqual([
    [1, BATCH],
    [3, BATCH],
  ]);
  await run(repaired, 'DELETE FROM t WHERE batch = 1');
  await run(repaired, 'VACUUM t');
  expect(await rows(repaired, withoutIndex)).toEqual([[0]]);
  expect(await rows(repaired, COUNTS)).toEqual([[3, BATCH]]);
  expect(await rows(repaired, 'SELECT count(*)::int FROM t')).toEqual([[BATCH]]);
  expect(await rows(repaired, 'SELECT a FROM whole')).toEqual([[1]]);
  await repaired.stop();
});

test('a directory without tables is not reported as complete', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-repair-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const flags of [[], ['--apply']])
    await expect(repair(directory, ...flags)).rejects.toThrow(
      /holds no metadata log: there is nothing to repair/,
    );
});
