import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TABLET_ROWS, tabletOfRow } from './run/tablet-rows.ts';
import { TestNodes, taskOf, testTable } from './testing/test-nodes.ts';

let cluster: TestNodes;
const table = testTable({ a: 'BIGINT', b: 'VARCHAR' });
const signal = new AbortController().signal;

beforeAll(async () => {
  cluster = await TestNodes.open({}, {});
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const writing = (sql: string) =>
  taskOf([sql], TABLET_ROWS.columns, {
    output: { ...TABLET_ROWS, summarised: [] },
    sink: { table, partitionSql: ['a_stored % 2'], minBytes: 1e6, maxBytes: 2e6 },
  });

const storedObjects = () =>
  readdirSync(cluster.storeDirectory, { recursive: true }).filter((name) => `${name}`.endsWith('.parquet'));

it('nodes write what they have as tablets, which any node reads', async () => {
  const parts = ['range(0, 3000)', 'range(3000, 5000)', 'range(0)'];
  const blocks = await Promise.all(
    parts.map(async (range, i) => {
      const node = cluster.nodes[i % 2]!;
      const task = writing(
        `SELECT i::BIGINT AS a_stored, repeat(md5(i::VARCHAR), 3) AS b_stored FROM ${range} t(i)`,
      );
      return node.block(task, await node.run(task));
    }),
  );
  const { distExec, kernel, agent } = cluster.nodes[1]!;
  const session = await kernel.session();
  const root = await distExec.open(
    {
      sql: ['SELECT CAST(to_json(list(tablet)) AS VARCHAR) FROM ', 0, ' AS t'],
      sources: [{ kind: 'exchange', blocks, shape: TABLET_ROWS }],
    },
    session,
    signal,
  );
  const rows: string[] = JSON.parse((await session.scalar(root.sql)) as string);
  const tablets = rows.map(tabletOfRow);
  expect(tablets.map(({ partition, rows }) => [...partition, rows]).sort()).toEqual([
    ['0', 1000],
    ['0', 1500],
    ['1', 1000],
    ['1', 1500],
  ]);
  const scan = await agent.prepareScan({
    session,
    table,
    tablets: tablets.map((tablet) => ({ tablet })),
    columns: [1, 2],
    rowPositions: false,
    signal,
  });
  const facts = 'count(*), count(DISTINCT a), max(a), max(length(b))';
  expect(await session.scalar(`SELECT concat_ws(' ', ${facts}) FROM ${scan.sql}`)).toBe('5000 5000 4999 96');
  scan.release();
  root.release();
  await session.close();
});

it('a task that fails leaves no tablet', async () => {
  const before = storedObjects().length;
  const sql = `SELECT i::BIGINT AS a_stored, CASE WHEN i = 200000 THEN error('enough') ELSE repeat(md5(i::VARCHAR), 9) END AS b_stored
    FROM range(200001) t(i)`;
  await expect(cluster.nodes[0]!.run(writing(sql))).rejects.toThrow('enough');
  const notKept = {
    ...writing("SELECT 1::BIGINT AS a_stored, repeat('x', 100000) AS b_stored"),
    output: { ...TABLET_ROWS, hashKeys: [1], summarised: [] },
  };
  await expect(cluster.nodes[0]!.run(notKept)).rejects.toThrow();
  expect(storedObjects()).toHaveLength(before);
});
