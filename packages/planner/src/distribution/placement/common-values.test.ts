import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableFacts, ValueShares } from '../../distributed-plan.ts';
import { planText } from '../plan-text.ts';
import { SimulatedCluster, type SimulatedOptions } from '../testing/simulated-cluster.ts';

const ROWS = { clicks: 300_000_000, visits: 200_000_000, orders: 3_000_000, parts: 3_000_000 };

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const name of Object.keys(ROWS))
    await cluster.run(
      `CREATE TABLE managed.${name} AS SELECT i AS id, CASE WHEN i % 10 < 9 THEN 'view' ELSE 'buy' || i END AS kind,
         CASE WHEN i % 2 = 0 THEN NULL ELSE i END AS ref, CASE WHEN i % 2 = 0 THEN 7 ELSE i END AS place,
         CASE WHEN i % 10 < 9 THEN 7 ELSE i END AS owner, CASE WHEN i % 10 < 4 THEN 7 ELSE i END AS seller
       FROM range(100) t(i)`,
    );
  await cluster.shard(4);
});
afterAll(() => cluster.close());

const VALUES: Readonly<Record<string, ValueShares>> = {
  kind: { nulls: 0, common: new Map([['view', 0.9]]) },
  ref: { nulls: 0.999, common: new Map() },
  place: { nulls: 0, common: new Map([['7', 0.5]]) },
  owner: { nulls: 0, common: new Map([['7', 0.9]]) },
  seller: { nulls: 0, common: new Map([['7', 0.4]]) },
};

/** @param isSampled whether the values of columns are known */
function options(isSampled: boolean): SimulatedOptions {
  const tables = Object.entries(ROWS).map(([name, rows]): readonly [string, TableFacts] => [
    name,
    {
      rows,
      bytes: rows * 24,
      isDimension: false,
      distinct: new Map([
        ['id', rows],
        ['kind', 10_000],
        ['ref', rows],
        ['place', 1_000_000],
        ['owner', rows],
        ['seller', rows],
      ]),
      tablets: 8,
      values: isSampled ? { version: 1, of: (column) => VALUES[column] } : undefined,
    },
  ]);
  return { nodes: 4, tables: new Map(tables) };
}

/** The strategies of the only join, the chosen one first, before and after sampling. */
async function strategies(sql: string): Promise<readonly string[]> {
  const texts = [false, true].map(async (isSampled) => planText(await cluster.plan(sql, options(isSampled))));
  return (await Promise.all(texts)).map(
    (text) => /join on .* \((\w+(?: left| right)?) /m.exec(text)?.[1] ?? text,
  );
}

test('rows with a common value are not broadcast as if they were few', async () => {
  const sql = (kind: string) =>
    `SELECT sum(a.id + b.id) FROM clicks a JOIN visits b ON a.id = b.id WHERE a.kind = '${kind}'`;
  expect(await strategies(sql('view'))).toEqual(['broadcast left', 'hash']);
  expect(await strategies(sql('buy1'))).toEqual(['broadcast left', 'broadcast left']);
});

test('rows that are seldom not NULL are broadcast, and not hashed with all rows of the other side', async () => {
  const sql = 'SELECT sum(a.id + b.id) FROM clicks a JOIN visits b ON a.id = b.id WHERE a.ref IS NOT NULL';
  expect(await strategies(sql)).toEqual(['hash', 'broadcast left']);
});

test('a join whose common values meet is worth several nodes', async () => {
  const sql = 'SELECT sum(a.id * b.id) FROM orders a JOIN parts b ON a.place = b.place';
  const nodes = async (isSampled: boolean) => (await cluster.plan(sql, options(isSampled))).choice?.nodes;
  expect([await nodes(false), await nodes(true)]).toEqual([1, 4]);
});

test('a side whose key has a common value is not hashed if one task would have to do that work alone', async () => {
  const sql = 'SELECT sum(a.id + b.id) FROM orders a LEFT JOIN parts b ON a.id = b.owner';
  expect(await strategies(sql)).toEqual(['hash', 'broadcast right']);
  // Rows of the left side may be divided among several tasks, whatever their keys.
  const divided = 'SELECT sum(a.id + b.id) FROM orders a LEFT JOIN parts b ON a.owner = b.id';
  expect(await strategies(divided)).toEqual(['hash', 'hash']);
});

test('rows of a common group are aggregated where they are, although the other groups are small', async () => {
  const sql = 'SELECT seller, sum(id) FROM clicks GROUP BY seller';
  const hasPartial = async (isSampled: boolean) =>
    planText(await cluster.plan(sql, options(isSampled))).includes('partial aggregate');
  expect([await hasPartial(false), await hasPartial(true)]).toEqual([false, true]);
});

test('the task that gets a common group alone is counted as the longest', async () => {
  const sql = 'SELECT owner, median(id) FROM orders GROUP BY owner';
  const longestShare = async (isSampled: boolean) => {
    const { cpuMs, elapsedMs } = (await cluster.plan(sql, options(isSampled))).choice!.allNodes;
    return elapsedMs / cpuMs;
  };
  expect(await longestShare(false)).toBeLessThan(0.5);
  expect(await longestShare(true)).toBeGreaterThan(0.7);
});

test('plans with and without common values return the same rows', async () => {
  const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort();
  for (const type of ['JOIN', 'LEFT JOIN', 'FULL JOIN', 'SEMI JOIN', 'ANTI JOIN'])
    for (const condition of ["a.kind = 'view'", 'a.ref IS NULL', "a.kind NOT IN ('view', 'buy19')"]) {
      const sql = `SELECT a.seller, count(*) FROM clicks a ${type} visits b ON a.place = b.owner WHERE ${condition} GROUP BY ALL`;
      const expected = sorted((await cluster.plain(sql)).rows);
      for (const isSampled of [false, true]) {
        const { rows } = await cluster.distributed(sql, { ...options(isSampled), refines: false });
        expect([sql, sorted(rows)]).toEqual([sql, expected]);
      }
    }
});
