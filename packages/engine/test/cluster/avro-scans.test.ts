import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilBusy } from '../faults/slow-queries.ts';
import { upload } from '../http.ts';
import { type AvroRow, avroFile } from './avro-file.ts';
import { type Lake, startLake } from './lake.ts';
import { LakeQueries, ON_ALL, ON_ONE, type Send } from './lake-queries.ts';

let lake: Lake;
beforeAll(async () => {
  lake = await startLake(3);
}, 180_000);
afterAll(() => lake?.[Symbol.asyncDispose]());
const queries = new LakeQueries(() => lake);

const ROWS = Array.from(
  { length: 30_000 },
  (_, i): AvroRow => [i, `text ${i % 1000}`, i % 7 === 0 ? null : i / 4],
);
const FACTS = 'count(*), count(v), sum(n), sum(v), min(t), max(t), sum(length(t))';

it('Blocks of one large Avro file, and several files, are read by all nodes', async () => {
  await lake.put('a/0.avro', avroFile(ROWS, { codec: 'deflate' }));
  await queries.isTheSame(`SELECT ${FACTS} FROM READ_AVRO('s3://lake/files/a/0.avro')`);
  await lake.put('a/1.avro', avroFile(ROWS.slice(0, 500), { sync: Buffer.alloc(16, 7) }));
  await lake.put('a/2.avro', avroFile([]));
  const files = "READ_AVRO('s3://lake/files/a/*.avro')";
  await queries.isTheSame(`SELECT ${FACTS} FROM ${files}`);
  await queries.isTheSame(`SELECT n, t, v FROM ${files} WHERE n IN (0, 99, 100, 499, 29999) ORDER BY ALL`);
  await queries.isTheSame(`SELECT count(*) FROM ${files} x JOIN ${files} y ON x.n = y.n + 1`);
}, 300_000);

it('External tables of Avro files, and COPY FROM Avro files, use all nodes', async () => {
  await queries.run(
    "CREATE EXTERNAL TABLE outside (n BIGINT, t TEXT) URL = 's3://lake/files/a/' OBJECT_PATTERN = '*.avro' TYPE = (AVRO)",
  );
  await queries.isTheSame('SELECT count(*), sum(n), count(DISTINCT t) FROM outside WHERE n % 3 = 1');
  for (const [table, settings] of [
    ['all_nodes', ON_ALL],
    ['one_node', ON_ONE],
  ] as const) {
    await queries.run(`CREATE TABLE ${table} (n BIGINT NOT NULL, t TEXT, v DOUBLE PRECISION)`);
    await queries.run(`COPY ${table} FROM 's3://lake/files/a/*.avro' WITH (TYPE = AVRO)`, settings);
  }
  const { data } = await queries.result(`SELECT ${FACTS} FROM one_node`);
  expect((await queries.result(`SELECT ${FACTS} FROM all_nodes`)).data).toEqual(data);
  const tablets = "SELECT number_of_tablets FROM information_schema.tables WHERE table_name = 'all_nodes'";
  expect(Number((await queries.result(tablets)).data[0]![0])).toBeGreaterThanOrEqual(3);
}, 300_000);

it('Bytes that look like a sync marker, damaged files and files with other columns give the result of a single node', async () => {
  const sync = Buffer.from('a sync marker ..');
  const fooling = ROWS.map(([n, t, v]): AvroRow => [n, `${t}${sync.toString('latin1').repeat(n % 5)}`, v]);
  await lake.put('fooling.avro', avroFile(fooling, { rowsPerBlock: 5_000, sync }));
  const broken = avroFile(ROWS);
  await lake.put('broken.avro', broken.subarray(0, broken.length - 100));
  const flipped = avroFile(ROWS);
  flipped.fill(0, 200_000, 200_040);
  await lake.put('flipped.avro', flipped);
  await lake.put('other/0.avro', avroFile(ROWS));
  const other = avroFile(ROWS).toString('latin1').replace('"name":"v"', '"name":"w"');
  await lake.put('other/1.avro', Buffer.from(other, 'latin1'));
  await lake.put('none.avro', 'no Avro file');
  for (const path of ['fooling.avro', 'broken.avro', 'flipped.avro', 'other/*.avro', 'none.avro'])
    await queries.isToldTheSame(`SELECT ${FACTS} FROM READ_AVRO('s3://lake/files/${path}')`);
}, 300_000);

/** Computes long with each row. */
const SLOW = 'SELECT count(*), sum(list_sum(list_transform(range(0, 700), lambda x: (x * n) % 7)))::bigint';

it('An upload is read even if a node that reads it is killed', async () => {
  const file = new Blob([avroFile(ROWS)]);
  const send: Send = (sql, settings, node = 0) =>
    upload(lake.cluster.node(node), sql, { f: file }, { ...settings, output_format: 'JSON_Compact' });
  await queries.isTheSame(`SELECT ${FACTS} FROM READ_AVRO('upload://f')`, send);
  const sql = `${SLOW} FROM READ_AVRO('upload://f')`;
  const { data } = await queries.result(sql, ON_ONE, 0, send);
  const found = send(sql, ON_ALL);
  await untilBusy(lake.cluster, 2);
  await lake.cluster.kill(2);
  expect((await found).json().data).toEqual(data);
}, 300_000);
