import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, startKernel } from '@tessera/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let directory: string;
let kernel: Kernel;
let node: TesseraProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-file-tables-'));
  const log = () => undefined;
  kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [directory],
    memoryLimitBytes: 1e9,
    threads: 2,
    bootstrap: ["SET TimeZone = 'UTC'"],
    log: { info: log, warn: log, error: log },
  });
  node = await startTessera({ args: ['--allow-read', directory, '--allow-write', directory] });
});

afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await kernel?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Writes a Parquet file below the directory; `options` are those of the kernel's COPY. */
async function parquet(path: string, sql: string, options = ''): Promise<string> {
  const target = join(directory, path);
  await mkdir(join(target, '..'), { recursive: true });
  const session = await kernel.session();
  try {
    await session.execute(`COPY (${sql}) TO '${target}' (FORMAT parquet${options})`);
  } finally {
    await session.close();
  }
  return target;
}

const run = async (sql: string) => {
  const answer = await query(node, sql);
  expect(answer.status, answer.text).toBe(200);
};
const failure = async (sql: string) => (await query(node, sql)).json().errors[0];
const tableLine = async (sql: string): Promise<string> =>
  String((await rows(node, `EXPLAIN ${sql}`))[0]![0])
    .split('Tables\n')[1]!
    .trim();

describe('folders named key=value', () => {
  beforeAll(async () => {
    for (const [year, city, from] of [
      ['2023', 'S%C3%A3o%20Paulo', 1],
      ['2023', '__HIVE_DEFAULT_PARTITION__', 11],
      ['2024', 'S%C3%A3o%20Paulo', 21],
      ['2024', 'Rio', 31],
    ] as const)
      await parquet(
        `sales/year=${year}/city=${city}/1.parquet`,
        `SELECT x AS a, 'r' || x AS b, 0 AS year FROM range(${from}, ${from + 10}) AS t(x)`,
      );
  });
  const sales = () => `READ_PARQUET('${directory}/sales/**/*.parquet')`;

  it('give columns with inferred types, decoded values and NULL', async () => {
    expect(
      await rows(
        node,
        `SELECT year, city, count(*)::int, sum(a)::int FROM ${sales()} GROUP BY ALL ORDER BY 1, 2`,
      ),
    ).toEqual([
      ['2023', 'São Paulo', 10, 55],
      ['2023', null, 10, 155],
      ['2024', 'Rio', 10, 355],
      ['2024', 'São Paulo', 10, 255],
    ]);
    expect(await rows(node, `SELECT * FROM ${sales()} WHERE a = 31`)).toEqual([['31', 'r31', '2024', 'Rio']]);
    expect(await rows(node, `SELECT count(*)::int FROM READ_PARQUET('${directory}/sales/')`)).toEqual([[40]]);
  });

  it('are pruned by WHERE before a file is opened', async () => {
    expect(await tableLine(`SELECT sum(a) FROM ${sales()} WHERE year = 2024 AND city = 'Rio'`)).toMatch(
      /files 1 of 4 \(3 pruned by partition, 0 by min\/max\); columns year, city, a;/,
    );
    expect(await tableLine(`SELECT a FROM ${sales()} WHERE city IS NULL`)).toMatch(/files 1 of 4/);
    const answer = await query(node, `SELECT sum(a)::int FROM ${sales()} WHERE year < 2024`, {
      output_format: 'JSON_Compact',
    });
    expect(answer.json()).toMatchObject({ data: [[210]], statistics: { rows_read: 20 } });
    expect(await rows(node, `SELECT count(*)::int FROM ${sales()} WHERE year = 1999`)).toEqual([[0]]);
    // In a subquery, a view or a join, conditions reach the folders as well.
    await run(`CREATE VIEW all_sales AS SELECT * FROM ${sales()}`);
    expect(
      await tableLine(
        "SELECT count(*) FROM (SELECT year AS y, city FROM all_sales) s JOIN (SELECT 2024 AS z) t ON s.y = t.z WHERE city >= 'S'",
      ),
    ).toMatch(/files [12] of 4/);
  });

  it('are columns of the same name in external tables, or not at all', async () => {
    await run(
      `CREATE EXTERNAL TABLE outside (a INT, year INT, city TEXT) URL = '${directory}/sales/' OBJECT_PATTERN = '**/*.parquet' TYPE = (PARQUET)`,
    );
    expect(await rows(node, "SELECT max(a), min(year) FROM outside WHERE city = 'Rio'")).toEqual([
      [40, 2024],
    ]);
    const named =
      'SELECT year, count(DISTINCT $source_file_name)::int, bool_and($source_file_size > 100), bool_and($source_file_timestamp IS NOT NULL) FROM outside GROUP BY year ORDER BY year';
    expect(await rows(node, named)).toEqual([
      [2023, 2, true, true],
      [2024, 2, true, true],
    ]);
    const plain = `READ_PARQUET('${directory}/sales/**/*.parquet', HIVE_PARTITIONING => FALSE)`;
    expect(await rows(node, `SELECT * FROM ${plain} WHERE a = 31`)).toEqual([['31', 'r31', 0]]);
    const texts = `READ_PARQUET('${directory}/sales/**/*.parquet', HIVE_TYPES_AUTOCAST => FALSE)`;
    expect(await rows(node, `SELECT DISTINCT year || '' FROM ${texts} WHERE year > '2023'`)).toEqual([
      ['2024'],
    ]);
  });

  it('that do not agree are refused if they are asked for, and no columns otherwise', async () => {
    await parquet('mixed/day=2024-02-29/1.parquet', 'SELECT 1 AS a');
    await parquet('mixed/other/2.parquet', 'SELECT 2 AS a');
    expect(
      await rows(node, `SELECT sum(a)::int FROM READ_PARQUET('${directory}/mixed/*/*.parquet')`),
    ).toEqual([[3]]);
    const asked = `SELECT * FROM READ_PARQUET('${directory}/mixed/*/*.parquet', HIVE_PARTITIONING => TRUE)`;
    expect((await failure(asked)).description).toMatch(
      /other\/2\.parquet: its folders do not have the keys day/,
    );
    expect(await rows(node, `SELECT * FROM READ_PARQUET('${directory}/mixed/day=*/*.parquet')`)).toEqual([
      [1, '2024-02-29'],
    ]);
    await parquet('mixed/day=2024-03-01/1.parquet', 'SELECT 1 AS b');
    expect(
      (await failure(`SELECT a FROM READ_PARQUET('${directory}/mixed/day=*/*.parquet')`)).description,
    ).toMatch(/day=2024-03-01\/1\.parquet: it has no column "?a"?/);
  });
});

describe('COPY TO with PARTITION BY', () => {
  it('writes folders that READ_PARQUET reads back', async () => {
    const sales =
      "SELECT x AS a, x % 5 AS \"a=b\", CASE WHEN x % 3 > 0 THEN 'São ' || (x % 3) END AS city, DATE '2024-01-01' + (x % 2)::INT AS day FROM generate_series(1, 60) t(x)";
    const to = `${directory}/out/sales`;
    await run(`COPY (${sales}) TO '${to}' TYPE = PARQUET PARTITION BY (day, city)`);
    const back = `READ_PARQUET('${to}/')`;
    expect(
      await rows(node, `SELECT count(*)::int, sum(a)::int, count(DISTINCT city)::int FROM ${back}`),
    ).toEqual([[60, 1830, 2]]);
    expect(await rows(node, `SELECT a FROM ${back} EXCEPT SELECT a FROM (${sales}) AS s`)).toEqual([]);
    expect(await tableLine(`SELECT a FROM ${back} WHERE day = '2024-01-02' AND city = 'São 1'`)).toMatch(
      /files 1 of 6/,
    );
    expect(await rows(node, `SELECT count(*)::int FROM ${back} WHERE city IS NULL`)).toEqual([[20]]);
  });

  it('limits the size of files', async () => {
    const to = `${directory}/out/large/`;
    await run(
      `COPY (SELECT x AS a, md5(x::text) AS b, x % 2 AS p FROM generate_series(1, 500000) t(x)) TO '${to}' PARTITION BY p TYPE = PARQUET MAX_FILE_SIZE = '2MB'`,
    );
    const listed = await rows(
      node,
      `SELECT object_name, size_in_bytes::int FROM LIST_OBJECTS('${to}**/*.parquet')`,
    );
    expect(listed.length).toBeGreaterThan(4);
    expect(
      await rows(node, `SELECT p, count(*)::int FROM READ_PARQUET('${to}') GROUP BY p ORDER BY p`),
    ).toEqual([
      ['0', 250000],
      ['1', 250000],
    ]);
  });

  it('refuses what it cannot write, and leaves nothing behind when it fails', async () => {
    const to = (by: string, options = '') =>
      `COPY (SELECT 1 AS a, 2 AS b) TO '${directory}/out/none' ${by} TYPE = PARQUET ${options}`;
    expect(await failure(to('PARTITION BY (c)'))).toMatchObject({ name: 'UNDEFINED_NAME' });
    expect(await failure(to('PARTITION BY (a, b)'))).toMatchObject({ name: 'INVALID_ARGUMENT' });
    expect(await failure(to('PARTITION BY (a, a)'))).toMatchObject({ name: 'SYNTAX_ERROR' });
    expect(await failure(to('PARTITION BY a', 'SINGLE_FILE = TRUE'))).toMatchObject({
      name: 'INVALID_ARGUMENT',
    });
    // A directory stands where a file is to be written, so the statement fails after some files have been written.
    await mkdir(join(directory, 'out/failing/p=9/x_0.parquet'), { recursive: true });
    const failing = `COPY (SELECT x AS a, x AS p FROM generate_series(1, 20) t(x)) TO '${directory}/out/failing' PARTITION BY p TYPE = PARQUET FILE_NAME_PREFIX = 'x'`;
    expect(await failure(failing)).toMatchObject({ name: 'INVALID_ARGUMENT' });
    const left = `SELECT count(*)::int FROM LIST_OBJECTS('${directory}/out/failing/**/*')`;
    expect(await failure(left)).toMatchObject({ name: 'FILE_NOT_FOUND' });
  });
});
