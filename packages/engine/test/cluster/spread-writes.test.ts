import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';

const NODES = 3;
/**
 * Settings with which every query is distributed, and rows are written where they are computed, however few
 * they are.
 */
const SPREAD = { min_distributed_bytes: '0', whole_table_bytes: '0', tablet_min_size_bytes: '1000' };
const ROWS = 30_000;

let cluster: EngineCluster;
beforeAll(async () => {
  // A merge would leave fewer tablets than the nodes have written.
  cluster = await EngineCluster.start({ nodes: NODES, execution: { merge_committed_tablets: false } });
  await run(
    'CREATE TABLE source (a BIGINT NOT NULL, b TEXT, c DOUBLE PRECISION) PRIMARY INDEX a WITH (index_granularity = 2048)',
  );
  await run(`INSERT INTO source SELECT i, 'b' || (i % 7), i / 4.0 FROM generate_series(1, ${ROWS}) AS t(i)`);
}, 180_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

async function run(sql: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const answer = await query(cluster.node(0), sql, settings);
  expect(answer.status, answer.text).toBe(200);
}

async function tabletsOf(table: string): Promise<number> {
  const sql = `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = '${table}'`;
  return Number((await rows(cluster.node(0), sql))[0]![0]);
}

const factsOf = (table: string, node = 1) =>
  rows(cluster.node(node), `SELECT count(*), sum(a), count(DISTINCT b), sum(c) FROM ${table}`);

const factsAre = async (node: number, sql: string, ...facts: readonly unknown[]) =>
  expect((await rows(cluster.node(node), sql)).flat().map(String)).toEqual(facts.map(String));

it('INSERT of a query: each node writes its part, and all parts become visible at once', async () => {
  await run(
    "CREATE TABLE target (a BIGINT NOT NULL, b TEXT DEFAULT 'none', c DOUBLE PRECISION) PARTITION BY b",
  );
  await run('INSERT INTO target (a, c) SELECT a, c FROM source WHERE a > 10', SPREAD);
  await factsAre(
    2,
    'SELECT count(*), min(a), max(b), sum(c) FROM target',
    ROWS - 10,
    11,
    'none',
    (ROWS * (ROWS + 1)) / 8 - 55 / 4,
  );
  // A single node would have written one tablet.
  expect(await tabletsOf('target')).toBeGreaterThanOrEqual(NODES);
}, 60_000);

it('INSERT of an aggregate', async () => {
  await run('CREATE TABLE sums (b TEXT, n BIGINT, s BIGINT)');
  await run('INSERT INTO sums SELECT b, count(*), sum(a) FROM source GROUP BY b', SPREAD);
  await factsAre(1, 'SELECT count(*), sum(n), sum(s) FROM sums', 7, ROWS, (ROWS * (ROWS + 1)) / 2);
}, 60_000);

it('CREATE TABLE AS', async () => {
  await run('CREATE TABLE copied AS SELECT a, b, c FROM source', SPREAD);
  expect(await factsOf('copied')).toEqual(await factsOf('source'));
  expect(await tabletsOf('copied')).toBeGreaterThanOrEqual(NODES);
}, 60_000);

it('a row that violates a column constraint fails the whole statement, and nothing is stored', async () => {
  await run('CREATE TABLE strict (a BIGINT NOT NULL, b TEXT)');
  const sql = `INSERT INTO strict SELECT CASE WHEN a = ${ROWS} THEN NULL ELSE a END, b FROM source`;
  const answer = await query(cluster.node(0), sql, SPREAD);
  expect(answer.status).not.toBe(200);
  expect(answer.text).toContain('NOT_NULL_VIOLATION');
  await factsAre(1, 'SELECT count(*) FROM strict', 0);
  expect(await tabletsOf('strict')).toBe(0);
}, 60_000);

it('a query on several nodes counts what it reads once, as on one node', async () => {
  await run('CREATE TABLE other AS SELECT a, b FROM source WHERE a % 2 = 0', SPREAD);
  const statistics = async (sql: string, settings: Readonly<Record<string, string>>) => {
    const answer = await query(cluster.node(0), sql, { ...settings, output_format: 'JSON_Compact' });
    expect(answer.status, answer.text).toBe(200);
    return answer.json().statistics;
  };
  const broadcast = { ...SPREAD, broadcast_limit_bytes: '1000000000' };
  for (const sql of [
    'SELECT sum(c) FROM source',
    'SELECT b, count(*) FROM source GROUP BY b',
    'SELECT sum(s.c), count(DISTINCT o.b) FROM source s JOIN other o USING (a)',
    'SELECT count(*) FROM source x, source y WHERE x.a = y.c',
  ]) {
    const alone = await statistics(sql, { enable_distributed_execution: 'false' });
    expect(alone.rows_read, sql).toBe(sql.includes('JOIN') ? ROWS * 1.5 : ROWS);
    for (const settings of [SPREAD, { ...SPREAD, broadcast_limit_bytes: '0' }, broadcast]) {
      const { rows_read, bytes_read } = await statistics(sql, settings);
      expect(rows_read, sql).toBe(alone.rows_read);
      // Each node rounds its share of a tablet's bytes.
      expect(Math.abs(bytes_read - alone.bytes_read), sql).toBeLessThanOrEqual(10);
    }
  }
  const twice = 'SELECT count(*) FROM source x JOIN source y ON x.a = y.a + 1';
  expect((await statistics(twice, SPREAD)).rows_read).toBe(ROWS);
}, 60_000);

it('sequences give every value once, whichever nodes ask for them at the same time', async () => {
  await run('CREATE TABLE numbered (id BIGSERIAL, node INT)');
  await run('CREATE SEQUENCE tickets');
  const inserted = Array.from({ length: 30 }, async (_, i) => {
    const node = i % NODES;
    const answer = await rows(
      cluster.node(node),
      `INSERT INTO numbered (node) SELECT ${node} FROM generate_series(1, 20) RETURNING id`,
    );
    return answer.flat().map(Number);
  });
  const ids = (await Promise.all(inserted)).flat();
  expect(new Set(ids).size).toBe(600);
  const drawn = await Promise.all(
    Array.from({ length: 30 }, (_, i) => rows(cluster.node(i % NODES), "SELECT nextval('tickets')")),
  );
  expect(new Set(drawn.flat(2).map(String)).size).toBe(30);
  await factsAre(
    1,
    'SELECT count(*), count(DISTINCT id), count(DISTINCT node) FROM numbered',
    600,
    600,
    NODES,
  );
}, 60_000);
