import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, startKernel } from '@tessera/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFile, column, commit, deletionVector, encoded, framed, metaData, stats } from './delta-writer.ts';
import { testForeignIceberg } from './foreign-iceberg.ts';
import { query, rows } from './http.ts';
import { writeIceberg } from './iceberg-writer.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';
import { testTextFolders } from './text-folders.ts';

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

  it('are columns of external tables only if declared with the same name', async () => {
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

  it('with different names are refused if Hive partitioning is requested, and add no columns otherwise', async () => {
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

testTextFolders({
  write: async (path, content) => {
    const target = join(directory, path);
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, content);
  },
  parquet,
  directory: () => directory,
  node: () => node,
});

describe('COPY TO with PARTITION BY', () => {
  it('writes folders that READ_PARQUET can read', async () => {
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

  it('refuses values that it cannot write, and leaves nothing behind when it fails', async () => {
    const to = (by: string, options = '') =>
      `COPY (SELECT 1 AS a, 2 AS b) TO '${directory}/out/none' ${by} TYPE = PARQUET ${options}`;
    expect(await failure(to('PARTITION BY (c)'))).toMatchObject({ name: 'UNDEFINED_NAME' });
    expect(await failure(to('PARTITION BY (a, b)'))).toMatchObject({ name: 'INVALID_ARGUMENT' });
    expect(await failure(to('PARTITION BY (a, a)'))).toMatchObject({ name: 'DUPLICATE_COLUMN' });
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

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const int64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
};

describe('READ_ICEBERG', () => {
  const [FIRST, SECOND, THIRD] = [3051729675574597004n, 3055729675574597004n, 3055729675574599004n];
  const DAY = Date.UTC(2024, 0, 1);
  const day = (n: number) => 19_723 + n;
  /** `{a: 1, b: 2}` as the kernel's option FIELD_IDS. */
  const ids = (text: string) => `, FIELD_IDS {${text}}`;
  const IDS = ids('id: 1, name: 2, moment: 3, s: {__duckdb_field_id: 4, x: 5, y: 6}');
  const bounds = (low: number, high: number) => ({
    nulls: [[1, 0]] as const,
    low: [[1, int64(low)]] as const,
    high: [[1, int64(high)]] as const,
  });
  let table: string;
  let events: string;

  beforeAll(async () => {
    table = join(directory, 'warehouse/events');
    const data = (n: number, from: number, to: number) =>
      parquet(
        `warehouse/events/data/${n}.parquet`,
        `SELECT x::BIGINT AS id, 'n' || x AS name, TIMESTAMP '2024-01-01 06:00:00' + to_days(${n}::INT) AS moment, {'x': x::INT, 'y': 'y' || x} AS s FROM range(${from}, ${to}) t(x)`,
        IDS,
      );
    for (const n of [0, 1, 2]) await data(n, n * 100, n * 100 + 100);
    // Written with the old names and types of the columns, and without a column that was added later.
    await parquet(
      'warehouse/events/data/old.parquet',
      "SELECT x::INT AS key, 'old' || x AS label, TIMESTAMP '2024-01-04 01:00:00' AS moment, {'z': 'y' || x} AS s FROM range(300, 310) t(x)",
      ids('key: 1, label: 2, moment: 3, s: {__duckdb_field_id: 4, z: 6}'),
    );
    await parquet(
      'warehouse/events/data/positions.parquet',
      `SELECT '${table}/data/0.parquet' AS file_path, x::BIGINT AS pos FROM range(0, 10) t(x)`,
      ids('file_path: 2147483546, pos: 2147483545'),
    );
    await parquet(
      'warehouse/events/data/keys.parquet',
      "SELECT 'n150' AS name UNION ALL SELECT 'old305'",
      ids('name: 2'),
    );
    await parquet(
      'warehouse/events/data/late.parquet',
      "SELECT 150::BIGINT AS id, 'n150' AS name",
      ids('id: 1, name: 2'),
    );
    await writeIceberg({
      directory: table,
      partition: { avro: { type: 'int', logicalType: 'date' }, bytes: (value) => int32(Number(value)) },
      metadata: {
        'current-schema-id': 1,
        schemas: [
          {
            'schema-id': 0,
            type: 'struct',
            fields: [
              { id: 1, name: 'key', required: true, type: 'int' },
              { id: 2, name: 'label', required: false, type: 'string' },
            ],
          },
          {
            'schema-id': 1,
            type: 'struct',
            fields: [
              { id: 1, name: 'id', required: true, type: 'long' },
              { id: 2, name: 'name', required: false, type: 'string' },
              { id: 3, name: 'moment', required: false, type: 'timestamp' },
              {
                id: 4,
                name: 's',
                required: false,
                type: {
                  type: 'struct',
                  fields: [
                    { id: 5, name: 'x', required: false, type: 'int' },
                    { id: 6, name: 'y', required: false, type: 'string' },
                  ],
                },
              },
              { id: 7, name: 'added', required: false, type: 'decimal(9, 2)' },
            ],
          },
        ],
        'default-spec-id': 0,
        'partition-specs': [
          { 'spec-id': 0, fields: [{ 'source-id': 3, 'field-id': 1000, name: 'part', transform: 'day' }] },
        ],
      },
      commits: [
        {
          snapshot: FIRST,
          time: DAY,
          files: [
            { path: 'data/0.parquet', rows: 100, partition: day(0), ...bounds(0, 99) },
            { path: 'data/1.parquet', rows: 100, partition: day(1), ...bounds(100, 199) },
          ],
        },
        {
          snapshot: SECOND,
          time: DAY + 86_400_000,
          files: [
            { path: 'data/2.parquet', rows: 100, partition: day(2), ...bounds(200, 299) },
            {
              path: 'data/old.parquet',
              rows: 10,
              partition: day(3),
              low: [[1, int32(300)]],
              high: [[1, int32(309)]],
            },
            { path: 'data/positions.parquet', rows: 10, content: 1, partition: day(0) },
          ],
        },
        {
          snapshot: THIRD,
          time: DAY + 2 * 86_400_000,
          files: [
            { path: 'data/late.parquet', rows: 1, partition: day(1), ...bounds(150, 150) },
            { path: 'data/keys.parquet', rows: 2, content: 2, partition: day(1), equalityIds: [2] },
          ],
        },
      ],
    });
    events = `READ_ICEBERG('${table}')`;
  });

  it('reads the current snapshot without deleted rows, by field id', async () => {
    // Ten rows are deleted by position. The key n150 deletes the row of its partition that was there before.
    expect(await rows(node, `SELECT count(*)::int, min(id)::int, max(id)::int FROM ${events}`)).toEqual([
      [300, 10, 309],
    ]);
    expect(
      await rows(
        node,
        `SELECT id::int, name, s.y, added FROM ${events} WHERE id IN (9, 10, 150, 305) ORDER BY id`,
      ),
    ).toEqual([
      [10, 'n10', 'y10', null],
      [150, 'n150', null, null],
      [305, 'old305', 'y305', null],
    ]);
    expect(await rows(node, `SELECT s.x, s.y FROM ${events} WHERE id IN (11, 301) ORDER BY id`)).toEqual([
      [11, 'y11'],
      [null, 'y301'],
    ]);
  });

  it('prunes manifests and files by partition and by bounds', async () => {
    expect(await tableLine(`SELECT name FROM ${events} WHERE moment < '2024-01-02'`)).toMatch(
      /files 1 of 5 \(3 pruned by partition, 1 by min/,
    );
    expect(await tableLine(`SELECT name FROM ${events} WHERE id = 205`)).toMatch(
      /files 1 of 5 \(0 pruned by partition, 4 by min/,
    );
    expect(await rows(node, `SELECT name FROM ${events} WHERE id > 308`)).toEqual([['old309']]);
    const answer = await query(
      node,
      `SELECT count(*) FROM ${events} WHERE moment >= '2024-01-03' AND id < 250`,
      { output_format: 'JSON_Compact' },
    );
    expect(answer.json()).toMatchObject({ data: [['50']], statistics: { rows_read: 100 } });
  });

  it('reads older snapshots by id and by time', async () => {
    const of = (options: string) =>
      rows(node, `SELECT count(*)::int FROM READ_ICEBERG('${table}', ${options})`);
    expect(await of(`SNAPSHOT_ID => ${FIRST}`)).toEqual([[200]]);
    expect(await of(`SNAPSHOT_ID => ${SECOND}`)).toEqual([[300]]);
    expect(await of("AS_OF_TIMESTAMP => '2024-01-01 23:00:00'")).toEqual([[200]]);
    expect(await of("AS_OF_TIMESTAMP => '2024-01-02T01:00:00+01:00'")).toEqual([[300]]);
    // A snapshot has the columns that the table had then.
    expect(
      await rows(node, `SELECT * FROM READ_ICEBERG('${table}', SNAPSHOT_ID => ${FIRST}) WHERE key = 7`),
    ).toEqual([[7, 'n7']]);
    const error = (options: string) => failure(`SELECT * FROM READ_ICEBERG('${table}', ${options})`);
    expect((await error('SNAPSHOT_ID => 1')).description).toMatch(
      /has no snapshot 1; the last ones are 3051729675574597004/,
    );
    expect((await error("AS_OF_TIMESTAMP => '2023-01-01'")).description).toMatch(
      /had no snapshot at 2023-01-01/,
    );
    expect((await error("AS_OF_TIMESTAMP => 'x'")).description).toMatch(/"x" is not a timestamp/);
    expect(await error(`AS_OF_TIMESTAMP => '2024-01-01', SNAPSHOT_ID => 1`)).toMatchObject({
      name: 'INVALID_ARGUMENT',
    });
  });

  it('names the feature of Iceberg that it cannot read', async () => {
    expect((await failure(`SELECT * FROM READ_ICEBERG('${directory}/sales')`)).description).toMatch(
      /not the folder of an Iceberg table/,
    );
    const broken = join(directory, 'warehouse/broken');
    await writeIceberg({
      directory: broken,
      location: 's3://elsewhere/t',
      metadata: { schemas: [{ 'schema-id': 0, fields: [{ id: 1, name: 'v', type: 'variant' }] }] },
      commits: [],
    });
    expect((await failure(`SELECT * FROM READ_ICEBERG('${broken}')`)).description).toMatch(
      /Iceberg type variant of column v of .*metadata\.json/,
    );
    expect(await failure("SELECT * FROM READ_ICEBERG('upload://t')")).toMatchObject({
      name: 'INVALID_ARGUMENT',
    });
  });

  it('does not leave a location, whatever the metadata says', async () => {
    const inner = join(directory, 'warehouse/inner');
    await parquet('warehouse/inner/data/1.parquet', 'SELECT 7 AS a');
    await writeIceberg({
      directory: inner,
      location: table,
      metadata: { schemas: [{ 'schema-id': 0, fields: [{ id: 1, name: 'a', type: 'int' }] }] },
      commits: [{ snapshot: FIRST, time: DAY, files: [{ path: 'data/1.parquet', rows: 1 }] }],
    });
    await run(`CREATE LOCATION inner_lake WITH SOURCE = LOCAL URL = '${inner}'`);
    expect(await failure("SELECT a FROM READ_ICEBERG(LOCATION => 'inner_lake')")).toMatchObject({
      name: 'FORBIDDEN',
      description: expect.stringContaining('outside of the location'),
    });
  });
});

testForeignIceberg({ node: () => node, directory: () => directory, parquet });

describe('READ_DELTA', () => {
  const at = (table: string) => join(directory, table);
  const FIELDS = [
    column('id', 'long'),
    column('name', 'string'),
    column('city', 'string'),
    column('day', 'date'),
  ];
  const CITY = 'city=S%25C3%25A3o%2520Paulo';
  let from: string;

  beforeAll(async () => {
    const data = (path: string, low: number, high: number) =>
      parquet(`delta/${path}`, `SELECT x::BIGINT AS id, 'n' || x AS name FROM range(${low}, ${high}) t(x)`);
    await data('city=S%C3%A3o%20Paulo/day=2024-01-01/a.parquet', 0, 100);
    await data('b.parquet', 100, 200);
    await data('c.parquet', 200, 300);
    const sao = { city: 'São Paulo', day: '2024-01-01' };
    const a = await addFile(at('delta'), `${CITY}/day=2024-01-01/a.parquet`, sao, stats(100, 0, 99));
    const b = await addFile(
      at('delta'),
      'b.parquet',
      { city: null, day: '2024-01-02' },
      stats(100, 100, 199),
    );
    const protocol = {
      protocol: {
        minReaderVersion: 3,
        minWriterVersion: 7,
        readerFeatures: ['deletionVectors'],
        writerFeatures: ['deletionVectors'],
      },
    };
    await commit(at('delta'), 0, [{ commitInfo: {} }, protocol, metaData(FIELDS.slice(0, 3), ['city']), a]);
    await commit(at('delta'), 1, [metaData(FIELDS, ['city', 'day']), b]);
    const vector = framed(deletionVector([3, 5, 7]));
    await mkdir(join(directory, 'delta/ab'));
    await writeFile(
      join(directory, 'delta/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin'),
      Buffer.concat([Buffer.from([1]), vector]),
    );
    const deletionVectorOfB = {
      storageType: 'u',
      // The example of the specification for this UUID.
      pathOrInlineDv: 'ab^-aqEH.-t@S}K{vb[*k^',
      offset: 1,
      sizeInBytes: vector.length - 8,
      cardinality: 3,
    };
    await commit(at('delta'), 2, [
      { remove: { path: 'b.parquet', dataChange: true } },
      { add: { ...b.add, deletionVector: deletionVectorOfB } },
    ]);
    const inline = deletionVector([0]);
    const c = await addFile(
      at('delta'),
      'c.parquet',
      { city: 'Rio', day: '2024-01-03' },
      {
        ...stats(100, 200, 299),
        deletionVector: {
          storageType: 'i',
          pathOrInlineDv: encoded(inline),
          sizeInBytes: inline.length,
          cardinality: 1,
        },
      },
    );
    await commit(at('delta'), 3, [c, { remove: { path: a.add.path, dataChange: true } }]);
    from = `READ_DELTA('${directory}/delta')`;
  });

  it('reads the latest version without deleted rows', async () => {
    expect(
      await rows(
        node,
        `SELECT city, day::text, count(*)::int, min(id)::int, max(id)::int FROM ${from} GROUP BY ALL ORDER BY day`,
      ),
    ).toEqual([
      [null, '2024-01-02', 97, 100, 199],
      ['Rio', '2024-01-03', 99, 201, 299],
    ]);
    expect(await rows(node, `SELECT name FROM ${from} WHERE id BETWEEN 102 AND 108`)).toEqual([
      ['n102'],
      ['n104'],
      ['n106'],
      ['n108'],
    ]);
  });

  it('prunes files by partition and statistics', async () => {
    expect(await tableLine(`SELECT name FROM ${from} WHERE day > '2024-01-02'`)).toMatch(
      /files 1 of 2 \(1 pruned by partition/,
    );
    expect(await tableLine(`SELECT name FROM ${from} WHERE id < 150`)).toMatch(
      /files 1 of 2 \(0 pruned by partition, 1 by min/,
    );
  });

  it('reads older versions by number and by time', async () => {
    const of = (options: string) =>
      rows(node, `SELECT count(*)::int, max(id)::int FROM READ_DELTA('${directory}/delta/', ${options})`);
    expect(await of('VERSION => 0')).toEqual([[100, 99]]);
    expect(await of('VERSION => 1')).toEqual([[200, 199]]);
    expect(await of("AS_OF_TIMESTAMP => '2024-01-03 12:00:00'")).toEqual([[197, 199]]);
    expect(
      await rows(node, `SELECT DISTINCT city FROM READ_DELTA('${directory}/delta', VERSION => 0)`),
    ).toEqual([['São Paulo']]);
    const error = async (options: string) =>
      (await failure(`SELECT * FROM READ_DELTA('${directory}/delta', ${options})`)).description;
    expect(await error('VERSION => 9')).toMatch(/has no version 9: its log has the versions 0 to 3/);
    expect(await error("AS_OF_TIMESTAMP => '2020-01-01'")).toMatch(/had no version at 2020-01-01/);
  });

  it('reads checkpoints and maps columns by name', async () => {
    await parquet(
      'mapped/x.parquet',
      'SELECT 1::INT AS "col-1", {\'col-3\': \'y\'} AS "col-2"',
      ', FIELD_IDS {"col-1": 1, "col-2": {__duckdb_field_id: 2, "col-3": 3}}',
    );
    await parquet(
      'mapped/y.parquet',
      'SELECT 2::INT AS "col-1", {\'col-3\': \'z\'} AS "col-2"',
      ', FIELD_IDS {"col-1": 1, "col-2": {__duckdb_field_id: 2, "col-3": 3}}',
    );
    const named = (id: number) => ({
      'delta.columnMapping.id': id,
      'delta.columnMapping.physicalName': `col-${id}`,
    });
    const fields = [
      column('renamed', 'integer', named(1)),
      column('s', { type: 'struct', fields: [column('inner', 'string', named(3))] }, named(2)),
    ];
    const { metaData: meta } = metaData(fields, [], { 'delta.columnMapping.mode': 'name' });
    const { add: x } = await addFile(at('mapped'), 'x.parquet', {});
    await parquet(
      'mapped/_delta_log/00000000000000000004.checkpoint.parquet',
      `SELECT NULL::STRUCT(path VARCHAR, partitionValues MAP(VARCHAR, VARCHAR), size BIGINT, stats VARCHAR) AS add, {'minReaderVersion': 2, 'minWriterVersion': 5} AS protocol, NULL::STRUCT(schemaString VARCHAR, partitionColumns VARCHAR[], configuration MAP(VARCHAR, VARCHAR)) AS "metaData"
       UNION ALL SELECT NULL, NULL, {'schemaString': '${meta.schemaString}', 'partitionColumns': []::VARCHAR[], 'configuration': MAP {'delta.columnMapping.mode': 'name'}}
       UNION ALL SELECT {'path': 'x.parquet', 'partitionValues': MAP {}, 'size': ${x.size}, 'stats': NULL}, NULL, NULL`,
    );
    await commit(at('mapped'), 5, [await addFile(at('mapped'), 'y.parquet', {})]);
    const mapped = `READ_DELTA('${directory}/mapped')`;
    expect(await rows(node, `SELECT renamed, s.inner FROM ${mapped} ORDER BY renamed`)).toEqual([
      [1, 'y'],
      [2, 'z'],
    ]);
    expect(
      (await failure(`SELECT * FROM READ_DELTA('${directory}/mapped', VERSION => 3)`)).description,
    ).toMatch(/the versions 4 to 5/);
  });

  it('names the feature of Delta Lake that it cannot read', async () => {
    expect((await failure(`SELECT * FROM READ_DELTA('${directory}/sales')`)).description).toMatch(
      /not the folder of a Delta Lake table/,
    );
    const protocol = {
      protocol: {
        minReaderVersion: 3,
        minWriterVersion: 7,
        readerFeatures: ['variantType', 'columnMapping'],
      },
    };
    await commit(at('variant'), 0, [protocol, metaData([column('v', 'variant')], [])]);
    expect(await failure(`SELECT * FROM READ_DELTA('${directory}/variant')`)).toMatchObject({
      name: 'NOT_SUPPORTED',
      description: expect.stringContaining('feature variantType, which'),
    });
    await commit(at('schemaless'), 0, [
      { protocol: { minReaderVersion: 1 } },
      { metaData: { id: 'a', partitionColumns: [] } },
    ]);
    expect(await failure(`SELECT * FROM READ_DELTA('${directory}/schemaless')`)).toMatchObject({
      name: 'BAD_FILE',
      description: expect.stringContaining('no "fields"'),
    });
    await commit(at('gap'), 0, [{ protocol: { minReaderVersion: 1 } }, metaData([column('v', 'long')], [])]);
    await commit(at('gap'), 2, []);
    expect((await failure(`SELECT * FROM READ_DELTA('${directory}/gap')`)).description).toMatch(
      /the commit of version 1 is missing/,
    );
  });
});
