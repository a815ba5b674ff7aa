import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kernelThreads } from '../faults/kernel-processes.ts';
import { query, rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';
import { until } from './until.ts';

type Settings = Readonly<Record<string, string>>;

/** Settings with which all nodes take part and no node reads a whole table. */
const SPREAD: Settings = { min_distributed_bytes: '0', whole_table_bytes: '0' };
/**
 * Settings with which every query is distributed, and rows are written where they are computed, however few
 * they are.
 */
const SPREAD_WRITES: Settings = {
  min_distributed_bytes: '0',
  whole_table_bytes: '0',
  tablet_min_size_bytes: '1000',
};
const ROWS = 30_000;
const NODES = 3;
const ON_ONE_NODE: Settings = { enable_distributed_execution: 'false' };

let cluster: EngineCluster;

async function textOf(sql: string, settings: Settings, node: number): Promise<string> {
  const answer = await query(cluster.node(node), sql, {
    statement_timeout: '60000',
    output_format: 'TabSeparatedWithNames',
    ...settings,
  });
  expect(answer.status, `${sql}\n${answer.text}`).toBe(200);
  return answer.text;
}
const run = (sql: string, node = 0) => textOf(sql, {}, node);
const last = (text: string) => text.trim().split('\n').at(-1);
const sorted = (text: string) => text.split('\n').sort().join('\n');

beforeAll(async () => {
  // A merge would take in the tablets that have no partial rows, and leave fewer than the nodes have written.
  cluster = await EngineCluster.start({ nodes: NODES, execution: { merge_committed_tablets: false } });
  const index = (columns: string) => `PRIMARY INDEX ${columns} WITH (index_granularity = 2048)`;
  await run(`CREATE TABLE orders (k BIGINT, day DATE, name TEXT) ${index('k')}`);
  await run(`CREATE TABLE lines (k BIGINT, n INT, amount BIGINT) ${index('k, n')}`);
  await run(`CREATE TABLE persons (name TEXT, city TEXT) ${index('name')}`);
  await run(`CREATE TABLE visits (name TEXT, day DATE, v INT) ${index('name')}`);
  const several = { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '200000' };
  for (const sql of [
    `INSERT INTO orders SELECT i, DATE '2020-01-01' + (i % 900)::INT, 'Person#' || lpad((i % 4000)::TEXT, 6, '0') FROM generate_series(1, 20000) g(i)`,
    `INSERT INTO lines SELECT i / 4, i % 4, i * 7 % 1000 FROM generate_series(4, 80003) g(i)`,
    `INSERT INTO persons SELECT 'Person#' || lpad(i::TEXT, 6, '0'), 'city ' || (i % 50) FROM generate_series(0, 3999) g(i)`,
    `INSERT INTO visits SELECT 'Person#' || lpad((i * 13 % 4100)::TEXT, 6, '0'), DATE '2021-05-01' + (i % 30)::INT, i % 17 FROM generate_series(0, 29999) g(i)`,
  ])
    await textOf(sql, several, 1);
  // These are small tablets with keys from the whole range, and without a key.
  for (let i = 0; i < 6; i++) {
    await run(
      `INSERT INTO orders VALUES (NULL, '2022-01-0${i + 1}', 'nobody'), (${i * 5000 + 3}, NULL, NULL)`,
      i % 3,
    );
    await run(
      `INSERT INTO lines VALUES (NULL, ${i}, ${i}), (${i * 5000 + 3}, 9, 1), (-${i}, 9, 2), (30000, 9, 3)`,
    );
  }
  await run('DELETE FROM lines WHERE k % 1000 = 7 AND n = 2');
}, 300_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

describe('writes by all nodes', () => {
  const write = (sql: string, settings: Settings = {}) => textOf(sql, settings, 0);

  beforeAll(async () => {
    await write(
      'CREATE TABLE source (a BIGINT NOT NULL, b TEXT, c DOUBLE PRECISION) PRIMARY INDEX a WITH (index_granularity = 2048)',
    );
    await write(
      `INSERT INTO source SELECT i, 'b' || (i % 7), i / 4.0 FROM generate_series(1, ${ROWS}) AS t(i)`,
    );
  }, 180_000);

  async function tabletsOf(table: string): Promise<number> {
    const sql = `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = '${table}'`;
    return Number((await rows(cluster.node(0), sql))[0]![0]);
  }

  const factsOf = (table: string, node = 1) =>
    rows(cluster.node(node), `SELECT count(*), sum(a), count(DISTINCT b), sum(c) FROM ${table}`);

  const factsAre = async (node: number, sql: string, ...facts: readonly unknown[]) =>
    expect((await rows(cluster.node(node), sql)).flat().map(String)).toEqual(facts.map(String));

  test('INSERT of a query: each node writes its part, and all parts become visible at once', async () => {
    await write(
      "CREATE TABLE target (a BIGINT NOT NULL, b TEXT DEFAULT 'none', c DOUBLE PRECISION) PARTITION BY b",
    );
    await write('INSERT INTO target (a, c) SELECT a, c FROM source WHERE a > 10', SPREAD_WRITES);
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
  });

  test('INSERT of an aggregate', async () => {
    await write('CREATE TABLE sums (b TEXT, n BIGINT, s BIGINT)');
    await write('INSERT INTO sums SELECT b, count(*), sum(a) FROM source GROUP BY b', SPREAD_WRITES);
    await factsAre(1, 'SELECT count(*), sum(n), sum(s) FROM sums', 7, ROWS, (ROWS * (ROWS + 1)) / 2);
  });

  test('CREATE TABLE AS', async () => {
    await write('CREATE TABLE copied AS SELECT a, b, c FROM source', SPREAD_WRITES);
    expect(await factsOf('copied')).toEqual(await factsOf('source'));
    expect(await tabletsOf('copied')).toBeGreaterThanOrEqual(NODES);
  });

  test('a row that violates a column constraint fails the whole statement, and nothing is stored', async () => {
    await write('CREATE TABLE strict (a BIGINT NOT NULL, b TEXT)');
    const sql = `INSERT INTO strict SELECT CASE WHEN a = ${ROWS} THEN NULL ELSE a END, b FROM source`;
    const answer = await query(cluster.node(0), sql, SPREAD_WRITES);
    expect(answer.status).not.toBe(200);
    expect(answer.text).toContain('NOT_NULL_VIOLATION');
    await factsAre(1, 'SELECT count(*) FROM strict', 0);
    expect(await tabletsOf('strict')).toBe(0);
  });

  test('a query on several nodes counts what it reads once, as on one node', async () => {
    await write('CREATE TABLE other AS SELECT a, b FROM source WHERE a % 2 = 0', SPREAD_WRITES);
    const statistics = async (sql: string, settings: Readonly<Record<string, string>>) => {
      const answer = await query(cluster.node(0), sql, { ...settings, output_format: 'JSON_Compact' });
      expect(answer.status, answer.text).toBe(200);
      const { statistics, data } = answer.json();
      return { ...statistics, answer: data.map(String).sort() };
    };
    const broadcast = { ...SPREAD_WRITES, broadcast_limit_bytes: '1000000000' };
    for (const sql of [
      'SELECT sum(c) FROM source',
      'SELECT b, count(*) FROM source GROUP BY b',
      'SELECT sum(s.c), count(DISTINCT o.b) FROM source s JOIN other o USING (a)',
      'SELECT count(*) FROM source x, source y WHERE x.a = y.c',
    ]) {
      const alone = await statistics(sql, { enable_distributed_execution: 'false' });
      expect(alone.rows_read, sql).toBe(sql.includes('JOIN') ? ROWS * 1.5 : ROWS);
      for (const settings of [SPREAD_WRITES, { ...SPREAD_WRITES, broadcast_limit_bytes: '0' }, broadcast]) {
        const { rows_read, bytes_read, answer } = await statistics(sql, settings);
        expect(answer, sql).toEqual(alone.answer);
        expect(rows_read, `${sql} with ${JSON.stringify(settings)}`).toBe(alone.rows_read);
        // Each node rounds its share of a tablet's bytes.
        expect(Math.abs(bytes_read - alone.bytes_read), sql).toBeLessThanOrEqual(10);
      }
    }
    const twice = 'SELECT count(*) FROM source x JOIN source y ON x.a = y.a + 1';
    expect((await statistics(twice, SPREAD_WRITES)).rows_read).toBe(ROWS);
    // The nodes have their shares in memory when this changes the estimates of the rows in them.
    await run('VACUUM lines');
    for (const columns of ['b', 'b, c', 'a, b, c'])
      expect((await statistics(`SELECT count((${columns})) FROM source`, SPREAD_WRITES)).rows_read).toBe(
        ROWS,
      );
  });

  test('max_threads limits the threads of a statement on each node', async () => {
    const sql = 'SELECT count(*) FROM lines WHERE md5(repeat(amount::TEXT, 2000)) > md5(n::TEXT)';
    // The rows of a node are read in one thread from memory, and in several from files.
    const fromFiles: Settings = { ...SPREAD, enable_scan_cache: 'false' };
    const threads = async (settings: Settings) => {
      const statement = Promise.withResolvers<void>();
      const used = [1, 2].map((node) => kernelThreads(cluster.node(node), () => statement.promise));
      const answer = await textOf(sql, { ...fromFiles, ...settings }, 0).finally(statement.resolve);
      return { used: await Promise.all(used), answer };
    };
    const unlimited = await threads({});
    expect(unlimited.used).toEqual([2, 2]);
    // Each node opens a database for such tasks.
    await textOf(sql, { ...fromFiles, max_threads: '1' }, 0);
    expect(await threads({ max_threads: '1' })).toEqual({ used: [1, 1], answer: unlimited.answer });
  });

  test('sequences give every value once, whichever nodes ask for them at the same time', async () => {
    await write('CREATE TABLE numbered (id BIGSERIAL, node INT)');
    await write('CREATE SEQUENCE tickets');
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
  });
});

const JOINS = [
  'SELECT count(*), sum(amount), sum(l.k), count(day) FROM lines l JOIN orders o ON l.k = o.k',
  'SELECT o.k, count(l.k), sum(amount) FROM orders o LEFT JOIN lines l ON l.k = o.k AND n > 1 GROUP BY o.k',
  'SELECT l.k, o.day, n FROM lines l FULL JOIN orders o ON l.k = o.k WHERE coalesce(o.k, l.k, -1) % 50 < 1',
  'SELECT count(*), sum(k) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE l.k = o.k AND amount > 990)',
  'SELECT count(*), min(k) FROM orders o WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.k = o.k AND n = 2)',
  'SELECT k, sum(amount) FROM lines GROUP BY k HAVING sum(amount) > 3700',
  'SELECT day, count(DISTINCT o.k) FROM orders o JOIN lines l ON o.k = l.k WHERE amount < 30 GROUP BY day',
  'SELECT k, n, rank() OVER (PARTITION BY k ORDER BY amount DESC) FROM lines WHERE k % 40 = 3',
  'SELECT city, count(*), sum(v) FROM persons p JOIN visits s ON p.name = s.name GROUP BY city',
  'SELECT count(*) FROM visits WHERE name NOT IN (SELECT name FROM persons)',
  'SELECT k FROM orders WHERE k IS NOT NULL EXCEPT SELECT k FROM lines WHERE n = 1',
  'SELECT count(*), count(k), sum(k) FROM lines',
];

async function expectAnswers(nodes: readonly number[]): Promise<void> {
  for (const [i, sql] of JOINS.entries()) {
    const expected = await textOf(sql, ON_ONE_NODE, nodes[0]!);
    const given = await textOf(sql, SPREAD, nodes[i % nodes.length]!);
    expect(sorted(given), sql).toBe(sorted(expected));
  }
}

test('tables with the same keys are joined and grouped without an exchange', async () => {
  const plans = await Promise.all(JOINS.slice(0, 2).map((sql) => textOf(`EXPLAIN ${sql}`, { ...SPREAD }, 2)));
  for (const plan of plans) {
    expect(plan).toMatch(/co-located by k/);
    expect(plan).not.toMatch(/input stage \d+ (?:hash|broadcast)/);
  }
  const texts = await textOf(`EXPLAIN ${JOINS[8]}`, SPREAD, 1);
  expect(texts).toMatch(/co-located by name/);
});

test('co-located joins are correct from files and from memory, on every node, and while the tables change', async () => {
  for (let round = 0; round < 2; round++) await expectAnswers([0, 1, 2]);
  await run(`UPDATE orders SET day = '2019-12-31' WHERE k < 500`);
  await run(`INSERT INTO lines SELECT k, 5, 500 FROM orders WHERE k % 3 = 0`, 2);
  await run(`DELETE FROM orders WHERE k BETWEEN 6000 AND 7999`, 1);
  await expectAnswers([0, 1, 2]);
}, 180_000);

test('both tables of a join are read at one version, whatever is committed meanwhile', async () => {
  const settings = { enable_multi_query_requests: 'true' };
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; i < 25; i++) {
      const key = 100_000 + i * 7;
      const both = `BEGIN; INSERT INTO orders VALUES (${key}, '2023-01-01', 'x'); INSERT INTO lines VALUES (${key}, 0, 1), (${key}, 1, 1); COMMIT`;
      await textOf(both, settings, i % 3);
    }
    isOver = true;
  })();
  const sql =
    'SELECT count(*) FROM (SELECT o.k, count(l.k) AS n FROM orders o LEFT JOIN lines l ON o.k = l.k WHERE o.k >= 100000 GROUP BY o.k) WHERE n <> 2';
  let reads = 0;
  do {
    expect(last(await textOf(sql, SPREAD, reads % 3))).toBe('0');
    reads += 1;
  } while (!isOver);
  await writing;
  await expectAnswers([1]);
}, 180_000);

test('a lost node costs no row, and neither does one that comes back', async () => {
  await cluster.kill(2);
  await expectAnswers([0, 1]);
  await until('two nodes are left', 60_000, async () => {
    const nodes = await textOf(
      `SELECT count(*) FROM information_schema.nodes WHERE status = 'RUNNING'`,
      {},
      0,
    );
    return last(nodes) === '2';
  });
  await expectAnswers([1, 0]);
  await cluster.startNode(2);
  await cluster.untilWhole();
  await expectAnswers([2, 0, 1]);
}, 240_000);

test('partial rows of an aggregating index, and rows that have none, are read on all nodes', async () => {
  await run(
    'CREATE AGGREGATING INDEX by_n ON lines (n, amount % 10, count(*), sum(amount), max(k), avg(amount))',
    2,
  );
  await textOf(
    'INSERT INTO lines SELECT -i, i % 4, i FROM generate_series(1, 20000) g(i)',
    { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '60000' },
    1,
  );
  await run('DELETE FROM lines WHERE k = 4001', 0);
  await run('INSERT INTO lines VALUES (7, 3, 1000000), (NULL, NULL, NULL)', 2);
  for (const sql of [
    'SELECT n, count(*), sum(amount), max(k), avg(amount) FROM lines GROUP BY n ORDER BY n',
    'SELECT count(*), sum(amount) FROM lines WHERE amount % 10 = 3',
    "SELECT x.name, count(*), sum(amount) FROM lines l JOIN (VALUES (1, 'one'), (3, 'three')) AS x(n, name) ON l.n = x.n GROUP BY 1 ORDER BY 1",
  ]) {
    const raw = await textOf(sql, { ...SPREAD, enable_aggregating_indexes: 'false' }, 0);
    for (const [node, settings] of [SPREAD, { ...SPREAD, nodes_per_query: '3' }, ON_ONE_NODE].entries()) {
      expect(await textOf(sql, settings, node), sql).toBe(raw);
      expect(await textOf(`EXPLAIN ${sql}`, settings, node), sql).toMatch(
        /by_n on lines: \d+ partial rows and \d+ rows of tablets without any are read instead of/,
      );
    }
  }
});

test('filters of a skip index exclude granules of scans on all nodes', async () => {
  await run('CREATE TABLE seen (k BIGINT, id TEXT) PRIMARY INDEX k WITH (index_granularity = 2048)', 1);
  await run('CREATE INDEX seen_id ON seen USING BLOOM_FILTER (id)', 2);
  await textOf(
    'INSERT INTO seen SELECT i, md5(i::TEXT) FROM generate_series(1, 40000) g(i)',
    { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '200000' },
    0,
  );
  const find = (id: string) =>
    `SELECT count(*), sum(k) FROM seen WHERE ${id} IN (md5('77'), md5('39000'), 'none')`;
  const expected = await textOf(find('coalesce(id)'), SPREAD, 0);
  for (const [node, settings] of [SPREAD, { ...SPREAD, nodes_per_query: '3' }, ON_ONE_NODE].entries()) {
    const plan = await textOf(`EXPLAIN ${find('id')}`, settings, node);
    expect(plan).toMatch(
      /granules [1-4] of \d+ \(\d+ pruned by primary index and min\/max, 1\d by skip index seen_id\)/,
    );
    expect(await textOf(find('id'), settings, node)).toBe(expected);
  }
});

test('INSERT … ON CONFLICT on all nodes at the same time inserts each key once and loses no update', async () => {
  await run('CREATE TABLE hits (page INT PRIMARY KEY, n BIGINT)', 1);
  const hit = 'ON CONFLICT (page) DO UPDATE SET n = hits.n + excluded.n';
  const statements = Array.from({ length: NODES * 4 }, (_, i) =>
    i % 4 === 3
      ? 'INSERT INTO hits VALUES (100, 0) ON CONFLICT DO NOTHING'
      : `INSERT INTO hits VALUES (${i % 2}, 1) ${hit}`,
  );
  const committed = async (sql: string, node: number): Promise<void> => {
    const { status, text } = await query(cluster.node(node), sql);
    // The statement met conflicts for 10 s; nothing of it is stored.
    if (status === 409) return committed(sql, node);
    expect(status, text).toBe(200);
  };
  await Promise.all(statements.map((sql, i) => committed(sql, i % NODES)));
  expect(await rows(cluster.node(2), 'SELECT page, n::INT FROM hits ORDER BY page')).toEqual([
    [0, 6],
    [1, 3],
    [100, 0],
  ]);
}, 120_000);

test('INSERT … SELECT … ON CONFLICT compares and changes rows on all nodes', async () => {
  const spread = { ...SPREAD, tablet_min_size_bytes: '10000', tablet_max_size_bytes: '20000' };
  const insert = (rest: string) => `INSERT INTO stock SELECT ${rest}`;
  const answers: string[] = [];
  for (const settings of [spread, ON_ONE_NODE]) {
    await run('CREATE OR REPLACE TABLE stock (k BIGINT PRIMARY KEY, n BIGINT, t TEXT)');
    await textOf(insert("i * 2, i, 'old' FROM generate_series(1, 5000) g(i)"), settings, 0);
    const updated = "k * 3, max(n), 'new' FROM lines WHERE k < 3000 GROUP BY k";
    const set = 'n = stock.n + excluded.n, t = excluded.t WHERE stock.k % 4 = 0';
    await textOf(insert(`${updated} ON CONFLICT (k) DO UPDATE SET ${set}`), settings, 1);
    const added = "k * 5, 0, 'none' FROM lines WHERE k % 1000 > 900 GROUP BY k";
    await textOf(insert(`${added} ON CONFLICT DO NOTHING`), settings, 2);
    answers.push(
      await textOf(
        'SELECT t, count(*), count(DISTINCT k), sum(k), sum(n) FROM stock GROUP BY t ORDER BY t',
        settings,
        0,
      ),
    );
  }
  expect(answers[0]).toBe(answers[1]);
  expect(answers[0]!.split('\n').filter((line) => line !== '')).toHaveLength(4);
}, 120_000);
