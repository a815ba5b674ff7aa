import { BOOTSTRAP_SCHEMA, type CatalogState, type TableObject } from '@tessera/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

/** Queries over a table with an aggregating index, compared with the same queries over its rows. */
let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};

const RAW = { settings: { enable_aggregating_indexes: 'false' } };

interface Explained {
  readonly tables: readonly { readonly table: string; readonly tablets_in_aggregating_index: number }[];
  readonly aggregating_indexes: readonly {
    readonly index: string;
    readonly used: boolean;
    readonly reason?: string;
    readonly partial_rows: number;
    readonly rows_without_partials: number;
  }[];
}

const explained = async (sql: string): Promise<Explained> =>
  JSON.parse(String((await node.rows(`EXPLAIN (LOGICAL, FORMAT JSON) ${sql}`))[0]![0]));

const useOf = async (sql: string) => (await explained(sql)).aggregating_indexes[0];

/** Runs the query with and without indexes, and expects the same types and rows; returns the rows. */
async function same(sql: string): Promise<unknown[][]> {
  expect(await node.columns(sql), sql).toEqual(await node.columns(sql, RAW));
  const rows = await node.rows(sql);
  expect(rows, sql).toEqual(await node.rows(sql, RAW));
  return rows;
}

const COLUMNS = `d DATE, shop INT, item TEXT NOT NULL, amount INT, price NUMERIC(12, 2), weight DOUBLE, big BIGINT, ok BOOLEAN, tiny SMALLINT`;
const ROWS = (
  from: number,
  to: number,
) => `SELECT DATE '2024-01-01' + (i % 40)::int, CASE WHEN i % 11 = 0 THEN NULL ELSE (i % 5)::int END,
  'item' || i % 3, CASE WHEN i % 7 = 0 THEN NULL ELSE (i * 37 % 1000)::int END, (i % 977) / 100.0, i % 64, i * 1000000007, i % 2 = 0, i % 100
  FROM generate_series(${from}, ${to}) AS g(i)`;

describe('an aggregating index', () => {
  beforeAll(async () => {
    await all(
      `CREATE TABLE sales (${COLUMNS}) PRIMARY INDEX d`,
      `INSERT INTO sales ${ROWS(1, 8000)}`,
      `CREATE AGGREGATING INDEX by_day ON sales (d, shop, item, count(*), sum(amount), avg(price), min(price), max(big),
        sum(big), sum(weight), avg(tiny), count(ok), bool_or(ok), hll_count_build(amount))`,
      `INSERT INTO sales ${ROWS(8001, 16000)}`,
    );
  });

  it('answers the queries that its keys and aggregates allow, with the types and values of the rows', async () => {
    for (const sql of [
      'SELECT count(*) FROM sales',
      'SELECT d, count(*), sum(amount) FROM sales GROUP BY d ORDER BY d',
      'SELECT shop, sum(amount) AS amount, avg(price), min(price), max(big), sum(big) FROM sales GROUP BY shop ORDER BY amount DESC',
      "SELECT extract(month FROM d) AS m, avg(amount), avg(tiny), avg(big) FROM sales WHERE item = 'item1' GROUP BY m ORDER BY m",
      'SELECT item, sum(weight), avg(weight) FROM sales WHERE shop IS NULL GROUP BY 1 ORDER BY 1',
      'SELECT item, count(ok), bool_or(ok), count(DISTINCT shop), max(d), count(shop), count(item) FROM sales GROUP BY item ORDER BY item',
      "SELECT shop, sum(amount) FILTER (WHERE d < DATE '2024-01-20') FROM sales GROUP BY ROLLUP (shop) ORDER BY 1, 2",
      'SELECT s.shop, sum(s.amount) / count(*) FROM sales s GROUP BY s.shop HAVING count(*) > 10 ORDER BY s.shop LIMIT 3',
      'SELECT shop, rank() OVER (ORDER BY sum(big)), sum(count(*)) OVER () FROM sales GROUP BY shop ORDER BY shop',
      "SELECT count(*), sum(amount), min(price), avg(price) FROM sales WHERE d > DATE '2030-01-01'",
      'SELECT hll_count_estimate(hll_count_build(amount)) FROM sales',
      'WITH t AS (SELECT d, sum(amount) AS a FROM sales GROUP BY d) SELECT max(a), count(*) FROM t',
      "SELECT n.name, sum(amount), count(*) FROM sales JOIN (VALUES (1, 'one'), (2, 'two'), (2, 'zwei')) AS n(id, name) ON sales.shop = n.id GROUP BY n.name ORDER BY 1",
      'SELECT item FROM sales GROUP BY ALL ORDER BY 1',
    ]) {
      expect(await useOf(sql), sql).toMatchObject({ index: 'by_day', used: true, rows_without_partials: 0 });
      await same(sql);
    }
  });

  it('does not answer other queries, and EXPLAIN says why', async () => {
    for (const [sql, reason] of [
      ['SELECT sum(amount) FROM sales WHERE price > 3', 'column "price" is not one of its keys'],
      ['SELECT sum(price) FROM sales GROUP BY amount ORDER BY 1', 'column "amount" is not one of its keys'],
      ['SELECT max(weight) FROM sales', 'it has no aggregate for max(weight)'],
      ['SELECT count(DISTINCT amount) FROM sales', 'it has no aggregate for count(DISTINCT amount)'],
      ['SELECT sum(amount) FILTER (WHERE ok) FROM sales', 'column "ok" is not one of its keys'],
      ['SELECT sum(shop) FROM sales', 'it has no aggregate for sum(shop)'],
      ['SELECT d, amount FROM sales ORDER BY 1, 2 LIMIT 3', 'the query does not aggregate the table'],
      [
        'SELECT count(*) FROM (VALUES (1)) AS n(id) LEFT JOIN sales ON sales.shop = n.id',
        'an outer join may fill the columns of the table with NULL',
      ],
    ] as const) {
      expect(await useOf(sql), sql).toMatchObject({ used: false, reason });
      await same(sql);
    }
  });

  it('reads the rows of tablets that it does not summarise, and follows deletes, updates and VACUUM', async () => {
    const sql =
      'SELECT shop, count(*), sum(amount), min(price), avg(big) FROM sales GROUP BY shop ORDER BY shop';
    await same(sql);
    await node.run(
      "INSERT INTO sales (d, shop, item, amount) VALUES ('2024-05-05', 77, 'x', 1), ('2024-05-05', NULL, 'x', NULL)",
    );
    expect(await useOf(sql)).toMatchObject({ used: true, rows_without_partials: 2 });
    expect(await same(sql)).toContainEqual([77, '1', '1', null, null]);
    await node.run('DELETE FROM sales WHERE amount % 10 = 3');
    expect(await useOf(sql)).toMatchObject({ used: true, rows_without_partials: 2 });
    await same(sql);
    await node.run('UPDATE sales SET amount = amount + 1 WHERE shop = 3');
    await same(sql);
    await node.run('VACUUM sales');
    expect(await useOf(sql)).toMatchObject({ used: true, rows_without_partials: 0 });
    await same(sql);
  });

  it('belongs to the transaction that changes rows', async () => {
    const { session } = await node.run('BEGIN');
    if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
    const inside = { transactionId: session.value };
    const sql = 'SELECT item, count(*), sum(amount) FROM sales GROUP BY item ORDER BY item';
    const before = await node.rows(sql);
    await node.run("DELETE FROM sales WHERE item = 'item1'", inside);
    await node.run(`INSERT INTO sales ${ROWS(20_001, 21_000)}`, inside);
    const changed = await node.rows(sql, inside);
    expect(changed).toEqual(await node.rows(sql, { ...inside, ...RAW }));
    expect(await node.rows(sql)).toEqual(before);
    await node.run('ROLLBACK', inside);
    expect(await same(sql)).toEqual(before);
  });
});

it('refuses aggregates, functions and types that it cannot maintain', async () => {
  await node.run('CREATE TABLE odd (a INT, t TIMESTAMPTZ, x DOUBLE)');
  for (const [list, what] of [
    ['a, array_agg(x)', 'The aggregate array_agg'],
    ['a, stddev(x)', 'The aggregate stddev'],
    ['random(), count(*)', 'The function random'],
    ['current_date, count(*)', 'current_date'],
    ["date_trunc('day', t), count(*)", 'timestamptz'],
    ['a, (SELECT 1), count(*)', 'A subquery'],
    ['a, sum(x) OVER ()', 'A window function'],
  ] as const) {
    await expect(node.run(`CREATE AGGREGATING INDEX bad ON odd (${list})`), list).rejects.toMatchObject({
      message: expect.stringContaining(what),
    });
  }
  await node.run('CREATE AGGREGATING INDEX good ON odd (t, a, count(*), max(t), sum(x))');
  await expect(node.run('ALTER TABLE odd DROP COLUMN a')).rejects.toMatchObject({
    name: 'DEPENDENT_OBJECTS',
  });
});

it('is dropped together with its stored rows', async () => {
  await all(
    `CREATE TABLE gone (${COLUMNS})`,
    `INSERT INTO gone ${ROWS(1, 2000)}`,
    'CREATE AGGREGATING INDEX one ON gone (d, count(*))',
    'CREATE AGGREGATING INDEX two ON gone (shop, sum(amount))',
  );
  const stored = () =>
    node.rows(
      "SELECT index_name, number_of_tablets, number_of_rows, rows_without_index FROM information_schema.indexes WHERE table_name = 'gone' ORDER BY 1",
    );
  expect(await stored()).toEqual([
    ['one', '1', '40', '0'],
    ['two', '1', '6', '0'],
  ]);
  const counted = 'SELECT count(*) FROM gone';
  expect((await explained(counted)).aggregating_indexes).toMatchObject([
    { index: 'two', used: true },
    { index: 'one', used: false },
  ]);
  await node.run('DROP INDEX two');
  expect(await useOf(counted)).toMatchObject({ index: 'one', used: true });
  await node.run('TRUNCATE TABLE gone');
  expect(await stored()).toEqual([['one', '0', '0', '0']]);
  expect(await same(counted)).toEqual([['0']]);
  await all('DROP TABLE gone');
  const names = [...(node.tables.manager.current as CatalogState).objectNames()];
  expect(names.filter((name) => name.includes('gone'))).toEqual([]);
});

it('is computed again when the type of a column changes, and refuses a type that it cannot aggregate', async () => {
  await all(
    `CREATE TABLE retyped (${COLUMNS}, CHECK (tiny < 1000))`,
    `INSERT INTO retyped ${ROWS(1, 2000)}`,
    'CREATE AGGREGATING INDEX per_shop ON retyped (shop, sum(amount), max(price))',
    'ALTER TABLE retyped ALTER COLUMN amount TYPE NUMERIC(12, 1) USING amount / 10.0',
  );
  const query = 'SELECT shop, sum(amount), max(price) FROM retyped GROUP BY shop ORDER BY shop';
  expect((await same(query))[0]).toEqual([0, '15773.0', '9.75']);
  expect(await useOf(query)).toMatchObject({ index: 'per_shop', used: true, rows_without_partials: 0 });
  await all(`INSERT INTO retyped ${ROWS(2001, 3000)}`, 'DELETE FROM retyped WHERE tiny = 5');
  await same(query);
  for (const [column, message] of [
    ['amount', 'Index "per_shop" is not valid with the new type of column "amount": '],
    [
      'tiny',
      'Check constraint "retyped_tiny_check" is not valid with the new type of column "tiny": Cannot compare',
    ],
  ]) {
    const refused = node.run(`ALTER TABLE retyped ALTER COLUMN ${column} TYPE TEXT`);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ location: undefined });
  }
  await node.run('DROP TABLE retyped');
});

it('is cloned with its table, and shares its stored rows', async () => {
  await all(
    'CREATE TABLE source (u TEXT, n INT)',
    'INSERT INTO source SELECT md5((i % 6000)::text), i FROM generate_series(1, 18000) AS g(i)',
    'CREATE AGGREGATING INDEX per_u ON source (u, count(*), sum(n))',
    'DELETE FROM source WHERE n % 10 = 3',
    'CREATE TABLE copy CLONE source',
    'CREATE SCHEMA apart',
    'CREATE TABLE apart.copy CLONE source',
  );
  const sql = 'SELECT left(u, 1) AS l, count(*), sum(n) FROM copy GROUP BY l ORDER BY l';
  const used = { used: true, rows_without_partials: 0 };
  expect(await useOf(sql)).toMatchObject({ ...used, index: 'copy_per_u' });
  expect(await useOf('SELECT count(*) FROM apart.copy')).toMatchObject({ ...used, index: 'per_u' });
  const rows = await same(sql);
  const ofIndex = await storedKeys('copy');
  expect(ofIndex).toEqual([expect.any(String)]);
  expect(await storedKeys('source')).toEqual(ofIndex);
  await all('DROP TABLE source', 'DROP TABLE apart.copy', 'DROP SCHEMA apart');
  expect(await useOf(sql)).toMatchObject(used);
  expect(await same(sql)).toEqual(rows);
  await node.run('DELETE FROM copy WHERE n % 10 = 4');
  expect(await useOf(sql)).toMatchObject(used);
  await same(sql);
  expect(await storedKeys('copy')).not.toEqual(ofIndex);
  const names = [...(node.tables.manager.current as CatalogState).tombstones()].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...ofIndex]));
});

/** The keys of the objects with the partial rows of a table's only index. */
async function storedKeys(name: string): Promise<readonly (string | undefined)[]> {
  const snapshot = await node.tables.manager.latest();
  const { indexes } = snapshot.relation(BOOTSTRAP_SCHEMA.id, name) as TableObject;
  return snapshot.tablets(indexes[0]!.partials!.id).map(({ key }) => key);
}
