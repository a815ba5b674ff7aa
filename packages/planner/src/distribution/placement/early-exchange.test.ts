import { afterAll, beforeAll, expect, test } from 'vitest';
import { planText } from '../plan-text.ts';
import { differenceOf } from '../testing/same-rows.ts';
import { SimulatedCluster, type SimulatedOptions } from '../testing/simulated-cluster.ts';

let cluster: SimulatedCluster;
let options: SimulatedOptions;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  await cluster.run(`CREATE TABLE managed.orders AS
    SELECT i AS id, hash(i) % 300 AS customer, (hash(i + 1) % 100)::INTEGER AS price FROM range(2000) t(i)`);
  await cluster.run(`CREATE TABLE managed.customer AS
    SELECT i::UBIGINT AS id, 'name ' || i AS name, repeat('x', 5 + i % 40) AS address, hash(i) % 7 AS nation
    FROM range(250) t(i)`);
  await cluster.shard(3);
  const usual = { nodes: 3, wholeTableBytes: 2 ** 30 };
  const { tables } = cluster.planFacts(usual);
  const sizes = new Map([
    ['orders', 20_000_000],
    ['customer', 2_000_000],
  ]);
  options = {
    ...usual,
    tables: new Map(
      [...tables].map(([name, facts]) => {
        const rows = sizes.get(name)!;
        const grown = [...facts.distinct].map(
          ([column, values]) => [column, values > 200 ? rows / 10 : values] as const,
        );
        return [name, { ...facts, rows, bytes: rows * 10, distinct: new Map(grown) }] as const;
      }),
    ),
  };
});
afterAll(() => cluster.close());

/** The stages and what they read and compute, after the rows have been compared with those of one node. */
async function stagesOf(sql: string, refines: boolean): Promise<readonly string[]> {
  const used = { ...options, refines };
  const plan = await cluster.plan(sql, used);
  expect(differenceOf(await cluster.plain(sql), await cluster.execute(plan, used))).toBeUndefined();
  return planText(plan)
    .split('\n')
    .map((line) => line.trim().replace(/; about .*| \(.*/, ''))
    .filter((line) => /^stage|^input|^scan|join/.test(line));
}

const WIDE = `SELECT c.id, c.name, c.address, sum(o.price) AS total FROM orders o JOIN customer c ON o.customer = c.id
  GROUP BY c.id, c.name, c.address`;

test.each([true, false])(
  'narrow rows are exchanged before a join with a replicated table (refines: %s)',
  async (refines) => {
    expect(await stagesOf(WIDE, refines)).toEqual([
      'stage 0; source; hash by customer',
      'scan orders',
      'stage 1; hash; hash by id',
      'inner join on customer = id',
      'input stage 0 hash',
      'scan customer',
      'input stage 1',
    ]);
  },
);

test('rows are exchanged after the join if the join leaves fewer of them', async () => {
  const few = WIDE.replace('customer c', "(FROM customer WHERE name = 'name 7' OR name = 'name 8') c");
  const stages = await stagesOf(few, false);
  expect(stages[stages.indexOf('inner join on customer = id') + 1]).toBe('scan orders');
});

test.each([
  ['a LEFT JOIN whose keys may be NULL', WIDE.replace('JOIN', 'LEFT JOIN')],
  ['groups that have nothing to do with the key', WIDE.replaceAll('c.id,', 'c.nation,')],
  ['an expression of the key', WIDE.replaceAll('c.id,', 'c.id // 2,')],
])('the rows stay right: %s', async (_, sql) => {
  await stagesOf(sql, true);
  await stagesOf(sql, false);
});
