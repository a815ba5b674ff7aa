import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilBusy } from '../faults/slow-queries.ts';
import { upload } from '../http.ts';
import { writeIceberg } from '../iceberg-writer.ts';
import { type Lake, startLake } from './lake.ts';
import { LakeQueries, ON_ALL, ON_ONE, type Send, type Settings } from './lake-queries.ts';

const NODES = 3;

let lake: Lake;
beforeAll(async () => {
  lake = await startLake(NODES);
}, 180_000);
afterAll(() => lake?.[Symbol.asyncDispose]());

const queries = new LakeQueries(() => lake);
const { answer } = queries;
const run: LakeQueries['run'] = (sql, settings) => queries.run(sql, settings);
const result: LakeQueries['result'] = (...args) => queries.result(...args);
const isTheSame: LakeQueries['isTheSame'] = (sql, send) => queries.isTheSame(sql, send);

it('Parquet below a prefix is read by all nodes', async () => {
  for (let i = 0; i < 7; i++) {
    const columns =
      i % 2 === 0 ? "x AS a, 'b' || (x % 5) AS b" : "'b' || (x % 5) AS b, x::int AS a, 1 AS more";
    await run(
      `COPY (SELECT ${columns} FROM generate_series(${i * 1000}, ${i * 1000 + 999}) AS t(x)) TO 's3://lake/files/p/${i}.parquet'`,
    );
  }
  const files = "READ_PARQUET('s3://lake/files/p/*.parquet')";
  await isTheSame(`SELECT b, count(*), sum(a) FROM ${files} GROUP BY b ORDER BY b`);
  await isTheSame(`SELECT count(*) FROM ${files}`);
  await isTheSame(`SELECT a FROM ${files} WHERE a BETWEEN 2995 AND 3005 ORDER BY a`);
  await isTheSame(`SELECT count(*), sum(x.a) FROM ${files} x JOIN ${files} y ON x.a = y.a + 1`);
}, 300_000);

it('Folders named key=value are pruned, and the files in the others are read by all nodes', async () => {
  for (let i = 0; i < 6; i++)
    await run(
      `COPY (SELECT x AS a, md5(x::text) AS b FROM generate_series(${i * 1000}, ${i * 1000 + 999}) AS t(x)) TO 's3://lake/files/hive/day=2024-01-0${1 + (i % 3)}/half=${i % 2 === 0 ? '__HIVE_DEFAULT_PARTITION__' : '2'}/${i}.parquet'`,
    );
  const files = "READ_PARQUET('s3://lake/files/hive/')";
  await isTheSame(`SELECT day, half, count(*), sum(a), max(b) FROM ${files} GROUP BY ALL ORDER BY ALL`);
  await isTheSame(`SELECT count(*), sum(a) FROM ${files} WHERE day > '2024-01-01' AND a % 3 = 0`);
  const pruned = `SELECT count(*) FROM ${files} WHERE day = '2024-01-02' AND half IS NULL`;
  for (const settings of [ON_ALL, ON_ONE]) {
    expect(await result(pruned, settings)).toMatchObject({ data: [['1000']], rows_read: 1000 });
    const explained = await answer(`EXPLAIN ${pruned}`, settings);
    expect(explained.json().data[0][0]).toMatch(/files 1 of 6 \(5 pruned by partition/);
  }
}, 300_000);

it('CSV files in folders named key=value are read by all nodes', async () => {
  for (let i = 0; i < 6; i++)
    await run(
      `COPY (SELECT x AS a, md5(x::text) AS b FROM generate_series(${i * 1000}, ${i * 1000 + 999}) AS t(x)) TO 's3://lake/files/hive-csv/day=2024-01-0${1 + (i % 3)}/${i}.csv'`,
    );
  const files = "READ_CSV('s3://lake/files/hive-csv/', HEADER => TRUE, INFER_SCHEMA => TRUE)";
  await isTheSame(`SELECT day, count(*), sum(a), max(b) FROM ${files} GROUP BY ALL ORDER BY ALL`);
  await isTheSame(`SELECT count(*), sum(a) FROM ${files} WHERE day > '2024-01-01' AND a % 3 = 0`);
}, 300_000);

it('Iceberg and Delta Lake tables are read by all nodes without deleted rows, even when a node is killed meanwhile', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-ice-'));
  try {
    await mkdir(join(directory, 'data'));
    const data = async (name: string, sql: string) => {
      await run(`COPY (${sql}) TO 's3://lake/files/ice/data/${name}.parquet'`);
      await writeFile(
        join(directory, `data/${name}.parquet`),
        Buffer.from(await lake.get(`ice/data/${name}.parquet`)),
      );
    };
    for (let i = 0; i < 4; i++)
      await data(
        String(i),
        `SELECT x AS id, 'n' || x AS name FROM generate_series(${i * 1000}, ${i * 1000 + 999}) AS t(x)`,
      );
    await data(
      'positions',
      "SELECT 's3a://lake/files/ice/data/1.parquet' AS file_path, x AS pos FROM generate_series(0, 9) AS t(x)",
    );
    await data('keys', 'SELECT 2500::bigint AS id');
    const file = (name: string, content: 0 | 1 | 2, rows: number) => ({
      path: `data/${name}.parquet`,
      content,
      rows,
      equalityIds: [1],
    });
    const fields = [
      { id: 1, name: 'id', type: 'long' },
      { id: 2, name: 'name', type: 'string' },
    ];
    await writeIceberg({
      directory,
      location: 's3a://lake/files/ice',
      metadata: { schemas: [{ 'schema-id': 0, fields }] },
      commits: [
        { snapshot: 1n, time: 1, files: ['0', '1', '2', '3'].map((name) => file(name, 0, 1000)) },
        { snapshot: 2n, time: 2, files: [file('positions', 1, 10), file('keys', 2, 1)] },
      ],
    });
    for (const name of await readdir(join(directory, 'metadata')))
      await lake.put(
        `ice/metadata/${name}`,
        new Uint8Array(await readFile(join(directory, 'metadata', name))),
      );
    const adds = ['0', '1', '2', '3'].map((name) => ({
      add: { path: `data/${name}.parquet`, partitionValues: {}, size: 0, dataChange: true },
    }));
    for (const { add } of adds) add.size = (await stat(join(directory, add.path))).size;
    const schemaString = JSON.stringify({
      type: 'struct',
      fields: fields.map((one) => ({ ...one, nullable: true })),
    });
    const actions = [
      { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
      { metaData: { schemaString, partitionColumns: [], configuration: {} } },
      ...adds,
    ];
    await lake.put(
      'ice/_delta_log/00000000000000000000.json',
      actions.map((action) => `${JSON.stringify(action)}\n`).join(''),
    );
    const facts = 'count(*), sum(id), min(name), max(length(name))';
    await isTheSame(`SELECT ${facts} FROM READ_ICEBERG('s3://lake/files/ice')`);
    await isTheSame(`SELECT ${facts} FROM READ_DELTA('s3://lake/files/ice/')`);
    const counts = (of: string) => result(`SELECT count(*)::int FROM ${of}`, ON_ALL);
    expect((await counts("READ_ICEBERG('s3://lake/files/ice')")).data).toEqual([[3989]]);
    expect((await counts("READ_ICEBERG('s3://lake/files/ice', SNAPSHOT_ID => 1)")).data).toEqual([[4000]]);
    const slow =
      "SELECT count(*), sum(list_sum(list_transform(range(0, 1500), lambda x: (x * id) % 7)))::bigint FROM READ_ICEBERG('s3://lake/files/ice')";
    const { data: alone } = await result(slow, ON_ONE);
    const found = answer(slow, ON_ALL);
    await untilBusy(lake.cluster, 2);
    await lake.cluster.kill(2);
    expect((await found).json().data).toEqual(alone);
    await lake.cluster.startNode(2);
    await lake.cluster.untilWhole();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 300_000);

it('Row groups of one large Parquet file are read by all nodes', async () => {
  await run(
    "COPY (SELECT x AS a, md5(x::text) AS b FROM generate_series(1, 260000) AS t(x)) TO 's3://lake/files/large.parquet'",
  );
  const file = "READ_PARQUET('s3://lake/files/large.parquet')";
  await isTheSame(`SELECT count(*), sum(a), min(b), max(b) FROM ${file}`);
  await isTheSame(`SELECT a, b FROM ${file} WHERE a IN (1, 122880, 122881, 245761, 260000) ORDER BY a`);
}, 300_000);

it('External tables are read by all nodes with their declared types', async () => {
  await run(
    "CREATE EXTERNAL TABLE outside (a BIGINT, b TEXT) URL = 's3://lake/files/p/' OBJECT_PATTERN = '*.parquet' TYPE = (PARQUET)",
  );
  await isTheSame('SELECT count(*), sum(a), count(DISTINCT b) FROM outside WHERE a % 3 = 1');
  const files = 'SELECT count(*), count(DISTINCT $source_file_name) FROM outside';
  expect((await result(files, ON_ALL)).data).toEqual((await result(files, ON_ONE)).data);
}, 300_000);

it('INSERT of rows from files: each node writes what it read', async () => {
  await run('CREATE TABLE inside (a BIGINT NOT NULL, b TEXT) PRIMARY INDEX a');
  await run("INSERT INTO inside SELECT a, b FROM READ_PARQUET('s3://lake/files/p/*.parquet')", ON_ALL);
  const facts = 'SELECT count(*), sum(a), count(DISTINCT b) FROM';
  const { data } = await result(`${facts} READ_PARQUET('s3://lake/files/p/*.parquet')`, ON_ONE);
  expect((await result(`${facts} inside`, ON_ONE)).data).toEqual(data);
  const tablets = "SELECT number_of_tablets FROM information_schema.tables WHERE table_name = 'inside'";
  expect(Number((await result(tablets, {})).data[0]![0])).toBeGreaterThanOrEqual(NODES);
}, 300_000);

const LINES = Array.from(
  { length: 20_000 },
  (_, i) =>
    `${i},${i % 3 === 0 ? `"a ""quoted""${'\n'}text, ${i}"` : `plain ${i}`},${i % 7 === 0 ? '' : i / 4}`,
);
const FACTS =
  'count(*), count(f2), sum(f0::bigint), sum(f2::double precision), min(f1), max(f1), sum(length(f1))';

it('Byte ranges of CSV are read by all nodes, however its text is quoted', async () => {
  await lake.put('c/a.csv', `${LINES.join('\n')}\n`);
  await lake.put('c/b.csv', LINES.slice(0, 10).join('\n'));
  await isTheSame(`SELECT ${FACTS} FROM READ_CSV('s3://lake/files/c/*.csv')`);
  await isTheSame(
    "SELECT * FROM READ_CSV('s3://lake/files/c/*.csv') WHERE f0 IN ('0', '9', '19998') ORDER BY ALL",
  );
  const crlf = LINES.filter((line) => !line.includes('\n'));
  await lake.put('crlf.csv', `n,t,v\r\n${crlf.join('\r\n')}\r\n`);
  await isTheSame(
    "SELECT count(*), sum(n::bigint), sum(v::double precision), max(t) FROM READ_CSV('s3://lake/files/crlf.csv', HEADER => TRUE)",
  );
}, 300_000);

/** Lines of a CSV file with a header; more than the kernel looks at to infer types. */
const typedLines = (rows: number, day: (n: number) => string, more: readonly string[] = []) =>
  [
    'n,day,at,is_even,v,t',
    ...Array.from({ length: rows }, (_, n) =>
      [
        n % 50 === 7 ? '' : n,
        day(n),
        `2024-02-03 04:05:${String(n % 60).padStart(2, '0')}`,
        n % 2 === 0,
        n % 3 === 0 ? n : n / 8,
        n % 40 === 0 ? `"a ""quoted"" line\n#${n},"` : `#${n % 9}`,
      ].join(','),
    ),
    ...more,
  ].join('\n');
const isoDay = (n: number) => `2024-01-${String(1 + (n % 28)).padStart(2, '0')}`;
const europeanDay = (n: number) => `${String(1 + (n % 28)).padStart(2, '0')}/11/2024`;

it('The types of CSV are inferred from its beginning, and its byte ranges are read by all nodes', async () => {
  const facts =
    'count(*), sum(n), min(day), max(day), max(at), count(*) FILTER (WHERE is_even), sum(v), min(t), count(DISTINCT t)';
  const file = new Blob([typedLines(30_000, europeanDay)]);
  const send: Send = (sql, settings, node = 0) =>
    upload(lake.cluster.node(node), sql, { f: file }, { ...settings, output_format: 'JSON_Compact' });
  const read = "READ_CSV('upload://f', HEADER => TRUE, INFER_SCHEMA => TRUE)";
  await isTheSame(`SELECT ${facts} FROM ${read}`, send);
  await isTheSame(`SELECT * FROM 'upload://f' WHERE n IN (0, 3, 20479, 20480, 29999) ORDER BY n`, send);
  // The kernel looks at ten files, and the last of these has other numbers.
  for (let i = 0; i < 12; i++)
    await lake.put(
      `typed/${String(i).padStart(2, '0')}.csv`,
      typedLines(200, europeanDay, i === 9 ? ['1.5,,,,,'] : []),
    );
  await isTheSame(
    `SELECT ${facts} FROM READ_CSV('s3://lake/files/typed/*.csv', HEADER => TRUE, INFER_SCHEMA => TRUE)`,
  );
  // A mebibyte has fewer records than the kernel looks at.
  const wide = Array.from({ length: 21_000 }, (_, n) => `${n === 15_000 ? 'x' : n},${'-'.repeat(90)}`);
  await lake.put('wide.csv', ['n,t', ...wide, ''].join('\n'));
  await isTheSame(
    "SELECT min(n), max(n), sum(length(t)) FROM READ_CSV('s3://lake/files/wide.csv', HEADER => TRUE, INFER_SCHEMA => TRUE)",
  );
  await lake.put('typed-late.csv', typedLines(30_000, isoDay, ['none,,,,,']));
  await lake.put('days/0.csv', typedLines(100, europeanDay));
  await lake.put('days/1.csv', typedLines(100, isoDay));
  for (const path of ['typed-late.csv', 'days/*.csv'])
    for (const query of ['SELECT sum(n)', 'SELECT min(day), max(day)', 'SELECT count(t)'])
      await queries.isToldTheSame(
        `${query} FROM READ_CSV('s3://lake/files/${path}', HEADER => TRUE, INFER_SCHEMA => TRUE)`,
      );
}, 300_000);

it('Compressed CSV is read by all nodes, whole files at a time', async () => {
  for (const [i, lines] of [LINES.slice(0, 5000), LINES.slice(5000)].entries())
    await lake.put(`z/${i}.csv.gz`, gzipSync(`n,t,v\n${lines.join('\n')}\n`));
  await isTheSame(
    "SELECT count(*), sum(n::bigint), sum(v::double precision), max(t) FROM READ_CSV('s3://lake/files/z/*.csv.gz', HEADER => TRUE)",
  );
}, 300_000);

it('Files that cannot be divided are read whole, with the same rows and the same errors', async () => {
  await lake.put('h/a.csv', 'a,b\n1,2\n');
  await lake.put('h/b.csv', 'b,a\n1,2\n');
  await lake.put('bad.csv', `${LINES.join('\n')}\n1,2\n`);
  await lake.put('cast.csv', `${LINES.join('\n')}\nnone,b,1\n`);
  for (const sql of [
    "SELECT a, b FROM READ_CSV('s3://lake/files/h/*.csv', HEADER => TRUE) ORDER BY a",
    "SELECT count(*) FROM READ_CSV('s3://lake/files/bad.csv')",
    "SELECT sum(f0::bigint) FROM READ_CSV('s3://lake/files/cast.csv')",
    "SELECT a FROM READ_PARQUET('s3://lake/files/crlf.csv')",
    "SELECT a FROM READ_PARQUET('s3://lake/files/nothing/*.parquet')",
    "SELECT a FROM READ_PARQUET('s3://lake/other/*.parquet')",
  ])
    await queries.isToldTheSame(sql);
}, 300_000);

it('Uploads are served to the other nodes by the node that received them', async () => {
  const file = new Blob([`${LINES.join('\n')}\n`]);
  const send: Send = (sql, settings, node = 0) =>
    upload(lake.cluster.node(node), sql, { f: file }, { ...settings, output_format: 'JSON_Compact' });
  await isTheSame(`SELECT ${FACTS} FROM READ_CSV('upload://f')`, send);
}, 300_000);

it('Row groups of an uploaded Parquet file are read by all nodes, even when a node is killed meanwhile', async () => {
  const rows = 'SELECT x AS a, md5(x::text) AS b FROM generate_series(1, 260000) AS t(x)';
  await run(`COPY (${rows}) TO 's3://lake/files/uploaded.parquet'`);
  const file = new Blob([await lake.get('uploaded.parquet')]);
  const send: Send = (sql, settings, node = 0) =>
    upload(lake.cluster.node(node), sql, { f: file }, { ...settings, output_format: 'JSON_Compact' });
  const from = "READ_PARQUET('upload://f')";
  await isTheSame(`SELECT count(*), sum(a), min(b), max(b) FROM ${from}`, send);
  await isTheSame(`SELECT a, b FROM ${from} WHERE a IN (1, 122880, 122881, 260000) ORDER BY a`, send);
  const slow = `SELECT count(*), sum(list_sum(list_transform(range(0, 200), lambda x: (x * a) % 7)))::bigint FROM ${from}`;
  const { data } = await result(slow, ON_ONE, 0, send);
  const found = send(slow, ON_ALL);
  await untilBusy(lake.cluster, 2);
  await lake.cluster.kill(2);
  expect((await found).json().data).toEqual(data);
  await lake.cluster.startNode(2);
  await lake.cluster.untilWhole();
}, 300_000);

const COPIED = 'SELECT count(*), sum(n), sum(v), count(t), min(w), max(w) FROM';
const tabletsOf = async (table: string): Promise<number> => {
  const sql = `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = '${table}'`;
  return Number((await result(sql, {})).data[0]![0]);
};

it('COPY FROM: each node reads parts of the files and writes their rows', async () => {
  await lake.put('copied.csv', `n,t,v\n${LINES.join('\n')}\n`);
  const columns = "(n BIGINT NOT NULL, t TEXT, v DOUBLE PRECISION, w TEXT DEFAULT 'none')";
  for (const [name, from, options] of [
    ['csv', "'s3://lake/files/copied.csv'", 'TYPE = CSV HEADER = TRUE'],
    ['plain', "'s3://lake/files/c/a.csv'", 'TYPE = CSV'],
    ['parquet', "'s3://lake/files/p/*.parquet'", 'TYPE = PARQUET'],
  ] as const) {
    const mapping = name === 'parquet' ? '(n a, t b)' : '';
    for (const [table, settings] of [
      [`${name}_all`, ON_ALL],
      [`${name}_one`, ON_ONE],
    ] as const) {
      await run(`CREATE TABLE ${table} ${columns}`);
      const answered = await answer(`COPY ${table} ${mapping} FROM ${from} WITH (${options})`, settings);
      expect(answered.status, answered.text).toBe(200);
    }
    const all = await result(`${COPIED} ${name}_all`, ON_ONE);
    expect(all.data, name).toEqual((await result(`${COPIED} ${name}_one`, ON_ONE)).data);
    expect(await tabletsOf(`${name}_all`), name).toBeGreaterThanOrEqual(NODES);
  }
}, 300_000);

it('COPY FROM that fails on a value names the value, as on one node, and stores nothing', async () => {
  await run('CREATE TABLE refused (n BIGINT NOT NULL, t TEXT, v DOUBLE PRECISION)');
  const errors: unknown[] = [];
  for (const settings of [ON_ALL, ON_ONE]) {
    const found = await answer("COPY refused FROM 's3://lake/files/cast.csv'", settings);
    errors.push(found.json().errors);
  }
  expect(errors[0]).toEqual(errors[1]);
  expect(JSON.stringify(errors[0])).toContain('line 26668');
  expect((await result('SELECT count(*) FROM refused', {})).data).toEqual([['0']]);
}, 300_000);

/** An expression that takes long per row. */
const SLOW =
  'SELECT count(*), sum(list_sum(list_transform(range(0, 200), lambda x: (x * f0::bigint) % 7)))::bigint';

it('The parts of a node that is killed while it reads are read by other nodes', async () => {
  const sql = `${SLOW} FROM READ_CSV('s3://lake/files/c/*.csv')`;
  const { data } = await result(sql, ON_ONE);
  const found = answer(sql, ON_ALL);
  await untilBusy(lake.cluster, 2);
  await lake.cluster.kill(2);
  expect((await found).json().data).toEqual(data);
}, 300_000);

it('An upload is read by the remaining nodes if others are killed while they read it', async () => {
  const file = new Blob([`${LINES.join('\n')}\n`]);
  const send = (settings: Settings) =>
    upload(
      lake.cluster.node(0),
      `${SLOW} FROM READ_CSV('upload://f')`,
      { f: file },
      { ...settings, output_format: 'JSON_Compact' },
    );
  const alone = await send(ON_ONE);
  const found = send(ON_ALL);
  await untilBusy(lake.cluster, 1);
  await lake.cluster.kill(1);
  expect((await found).json().data).toEqual(alone.json().data);
}, 300_000);
