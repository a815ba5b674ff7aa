import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableFacts } from '../../distributed-plan.ts';
import { planText } from '../plan-text.ts';
import { SimulatedCluster, type SimulatedOptions } from '../testing/simulated-cluster.ts';

const SIZES = { tiny: 100, middle: 3_000_000, large: 300_000_000, huge: 3_000_000_000 };
const ALLOWED: SimulatedOptions = { nodes: 4, wholeTableBytes: 2 ** 30 };

let cluster: SimulatedCluster;
let tables: ReadonlyMap<string, TableFacts>;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const name of Object.keys(SIZES))
    await cluster.run(`CREATE TABLE managed.${name} AS SELECT i AS k, i AS v FROM range(100) t(i)`);
  await cluster.shard(4);
  const facts = (rows: number): TableFacts => ({
    rows,
    bytes: rows * 8,
    isDimension: false,
    distinct: new Map([
      ['k', rows],
      ['v', rows],
    ]),
    tablets: 8,
  });
  tables = new Map(Object.entries(SIZES).map(([name, rows]) => [name, facts(rows)]));
});
afterAll(() => cluster.close());

const planOf = (sql: string, options: SimulatedOptions) => cluster.plan(sql, { tables, ...options });

/** The strategies of the only join, the chosen one first, without their costs. */
async function weighed(from: string, options: SimulatedOptions): Promise<readonly string[]> {
  const text = planText(await planOf(`SELECT sum(a.v + b.v) FROM ${from}`, options));
  const found = /join on .* \((.*)\)$/m.exec(text)?.[1] ?? '';
  return found.split(', ').map((one) => one.replace(/ (?:[\d.e+]+ m?s|over the limit)$/, ''));
}

test('a small side is computed by every task where that costs less than sending it', async () => {
  const from = 'large a JOIN middle b ON a.k = b.k';
  expect((await weighed(from, ALLOWED))[0]).toBe('replicated right');
  const text = planText(await planOf(`SELECT sum(a.v + b.v) FROM ${from}`, ALLOWED));
  expect(text).toContain('scan middle (k, v) replicated');
  expect(text).not.toContain('broadcast)');
});

test('whole_table_bytes keeps tables from being read whole: the side is sent to every task, or both sides are hashed', async () => {
  const from = 'large a JOIN middle b ON a.k = b.k';
  expect((await weighed(from, { nodes: 4 }))[0]).toBe('broadcast right');
  expect((await weighed(from, { nodes: 4, broadcastLimitBytes: 0 }))[0]).toBe('hash');
});

test('a side that would not fit into the memory of a node is not computed by every task', async () => {
  const strategies = await weighed('huge a JOIN large b ON a.k = b.k', {
    nodes: 4,
    wholeTableBytes: 2 ** 50,
  });
  expect(strategies[0]).toBe('hash');
  expect(strategies.join()).not.toContain('replicated');
});

test('a side whose unmatched rows are emitted is never read by several tasks', async () => {
  const strategies = await weighed('middle a LEFT JOIN large b ON a.k = b.k', ALLOWED);
  expect(strategies.filter((strategy) => strategy.endsWith('left'))).toEqual([]);
});

test('a table is read by every task without being weighed when that costs less than a task', async () => {
  const { stages } = await planOf('SELECT sum(a.v + b.v) FROM large a JOIN tiny b ON a.k = b.k', ALLOWED);
  const scans = stages.flatMap(({ sources }) => sources.filter((source) => source.kind === 'scan'));
  expect(scans.map(({ relation, partitioning }) => [relation, partitioning])).toEqual([
    ['large', 'source'],
    ['tiny', 'replicated'],
  ]);
});

test('a stage with less to do than its tasks take to start is one task', async () => {
  const partitioningOf = async (rows: number, options: SimulatedOptions) => {
    const middle = { ...tables.get('middle')!, rows, bytes: rows * 8, distinct: new Map([['v', 10]]) };
    const sql =
      'SELECT x.v, n, (SELECT count(*) FROM large) AS m FROM (SELECT v, sum(k) AS n FROM middle GROUP BY v) x';
    const given = { ...options, tables: new Map([...tables, ['middle', middle]]) };
    const answer = await cluster.distributed(sql, { ...given, refines: false });
    expect(answer.rows.map(String).sort()).toEqual((await cluster.plain(sql)).rows.map(String).sort());
    const { stages } = await cluster.plan(sql, given);
    return stages.find(({ sources }) => sources.some((s) => s.kind === 'scan' && s.relation === 'middle'))
      ?.partitioning;
  };
  expect(await partitioningOf(200_000, ALLOWED)).toBe('single');
  expect(await partitioningOf(3_000_000, ALLOWED)).toBe('source');
  expect(await partitioningOf(200_000, { nodes: 4 })).toBe('source');
});

test('plans with replicated sides return the same rows', async () => {
  for (const type of ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'SEMI JOIN', 'ANTI JOIN', 'FULL JOIN']) {
    const sql = `SELECT a.* FROM (SELECT k % 7 AS k, v FROM large) a ${type} (SELECT k % 5 AS k FROM middle WHERE v < 50) b ON a.k = b.k`;
    const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort();
    const answer = await cluster.distributed(sql, { tables, ...ALLOWED, refines: false });
    expect([type, sorted(answer.rows)]).toEqual([type, sorted((await cluster.plain(sql)).rows)]);
  }
});

test('small queries run on one node, large ones on all nodes', async () => {
  const nodesFor = async (table: string) => {
    const { choice } = await planOf(`SELECT sum(k * v) FROM ${table}`, ALLOWED);
    return choice?.nodes;
  };
  expect(await nodesFor('middle')).toBe(1);
  expect(await nodesFor('huge')).toBe(4);
});

test('a plan of several nodes pays for the bytes of a file that one node serves to the others', async () => {
  const ratio = async (isServedByNode: boolean) => {
    const file: TableFacts = { ...tables.get('large')!, bytes: 2.4e9, external: 'text', isServedByNode };
    const plan = await cluster.plan('SELECT sum(v) FROM large', {
      ...ALLOWED,
      tables: new Map([['large', file]]),
    });
    return plan.choice!.allNodes.cpuMs / plan.choice!.oneNode.cpuMs;
  };
  expect(await ratio(false)).toBeLessThan(1.1);
  expect(await ratio(true)).toBeGreaterThan(1.15);
});
