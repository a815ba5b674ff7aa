import type { TableObject, Tablet } from '@tessera/catalog';
import { asQueryId } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { HASH_BUCKETS } from '@tessera/shuffle';
import { assignTablets, type KeyRange } from '@tessera/tablet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from './dist-exec.ts';
import { TestNodes, taskOf, testTable } from './testing/test-nodes.ts';

let cluster: TestNodes;
let table: TableObject;
let tablets: Tablet[];
const ROWS = 60_000;
const TYPES = { a: 'BIGINT', b: 'VARCHAR', c: 'DOUBLE' };

beforeAll(async () => {
  cluster = await TestNodes.open({}, {});
  table = testTable(TYPES);
  tablets = await cluster.store(
    table,
    `SELECT i AS a, 'b' || (i % 1500) AS b, i / 4 AS c FROM range(${ROWS}) t(i)`,
    200_000,
  );
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const shares = () =>
  assignTablets(
    tablets,
    tablets.map((tablet) => ({ tablet })),
    cluster.nodes.map(({ distExec }, node) => ({ name: distExec.node, node })),
    table.indexGranularity,
  );

async function textOf(session: KernelSession, sql: string): Promise<unknown> {
  return JSON.parse(
    (await session.scalar(`SELECT CAST(to_json(list(q)) AS VARCHAR) FROM (${sql}) q`)) as string,
  );
}

describe('stages over two nodes', () => {
  it('give the rows of the whole', async () => {
    const columns = [
      { name: 'b', type: 'VARCHAR' },
      { name: 'n', type: 'BIGINT' },
      { name: 's', type: 'HUGEINT' },
    ];
    const shape = { columns, hashKeys: [0] };
    const partials = await Promise.all(
      shares().map(async ({ node, tablets: share, shareId }) => {
        const task = taskOf(['SELECT b, count(*) AS n, sum(a) AS s FROM ', 0, ' AS t GROUP BY b'], columns, {
          sources: [{ kind: 'scan', table, tablets: share, columns: [1, 2], shareAtVersion: 1, shareId }],
          output: { ...shape, summarised: [0] },
        });
        const on = cluster.nodes[node.node]!;
        const outcome = await on.run(task);
        expect(outcome.bucketRows).toHaveLength(HASH_BUCKETS);
        expect(outcome.bucketRows.reduce((sum, rows) => sum + rows, 0)).toBe(outcome.rows);
        expect(outcome.storageBytesFetched + outcome.storageBytesCached).toBeGreaterThan(0);
        return on.block(task, outcome);
      }),
    );
    expect(partials).toHaveLength(2);
    const half = HASH_BUCKETS / 2;
    const finals = await Promise.all(
      cluster.nodes.map(async (on, i) => {
        const buckets = [i * half, (i + 1) * half] as const;
        const blocks = partials.map(({ rows: _, ...block }) => ({ ...block, buckets }));
        const task = taskOf(
          ['SELECT b, sum(n)::BIGINT AS n, sum(s) AS s FROM ', 0, ' AS p GROUP BY b'],
          columns,
          {
            sources: [{ kind: 'exchange', blocks, shape }],
          },
        );
        const outcome = await on.run(task);
        expect(outcome.fetchedRows).toBeGreaterThan(outcome.rows);
        expect(outcome.fetchedBytes).toBeGreaterThan(0);
        return on.block(task, outcome);
      }),
    );
    const { distExec, kernel } = cluster.nodes[0]!;
    const session = await kernel.session();
    const root = await distExec.open(
      {
        sql: ['SELECT count(*) AS g, sum(n)::BIGINT AS n, sum(s)::BIGINT AS s FROM ', 0, ' AS f'],
        sources: [{ kind: 'exchange', blocks: finals, shape: { columns, hashKeys: [] } }],
      },
      session,
      new AbortController().signal,
    );
    expect(await textOf(session, root.sql)).toEqual([{ g: 1_500, n: ROWS, s: (ROWS * (ROWS - 1)) / 2 }]);
    root.release();
    await session.close();
    await Promise.all(cluster.nodes.map(({ remote }) => remote.release(asQueryId('q1'))));
    expect(cluster.nodes.map(({ shuffle }) => shuffle.bytes)).toEqual([0, 0]);
  });

  it('read their shares from memory the next time', async () => {
    await Promise.all(cluster.nodes.map(({ agent }) => agent.settled()));
    for (const { node, tablets: share, shareId } of shares()) {
      const { agent, kernel } = cluster.nodes[node.node]!;
      const session = await kernel.session();
      const scan = await agent.prepareScan({
        session,
        table,
        tablets: share,
        wholeTableAt: 1,
        share: shareId,
        columns: [1, 2],
        rowPositions: false,
        signal: new AbortController().signal,
      });
      expect(scan.sql).not.toMatch(/read_parquet|WHERE/);
      scan.release();
      await session.close();
    }
  });
});

it.each([
  [0, 2],
  [1, 1],
])('a task with a limit of %i threads has %i', async (maxThreads, threads) => {
  const columns = [{ name: 'n', type: 'BIGINT' }];
  const task = taskOf(["SELECT current_setting('threads')::BIGINT AS n"], columns, { maxThreads });
  const on = cluster.nodes[1]!;
  const blocks = [on.block(task, await on.run(task))];
  const session = await cluster.nodes[0]!.kernel.session();
  const received = await cluster.nodes[0]!.distExec.open(
    {
      sql: ['SELECT n FROM ', 0, ' AS t'],
      sources: [{ kind: 'exchange', blocks, shape: { columns, hashKeys: [] } }],
    },
    session,
    new AbortController().signal,
  );
  expect(await textOf(session, received.sql)).toEqual([{ n: threads }]);
  received.release();
  await session.close();
  await on.remote.release(asQueryId('q1'));
});

describe('the outcome of a task', () => {
  const columns = [
    { name: 'few', type: 'INTEGER' },
    { name: 'many', type: 'DOUBLE' },
    { name: 'none', type: 'DATE' },
  ];
  const summary = (sql: string, more: Partial<Task> = {}) => {
    const task = taskOf([sql], columns, {
      output: { columns, hashKeys: [], summarised: [0, 1, 2] },
      ...more,
    });
    return cluster.nodes[1]!.run(task);
  };

  it.each([5_000, 50_000])(
    'contains the values of columns, all of them if they are few: %i rows',
    async (rows) => {
      const outcome = await summary(
        `SELECT nullif(i % 3, 2)::INTEGER AS few, i / 4 - 1e-9 AS many, NULL::DATE AS none FROM range(${rows}) t(i)`,
      );
      expect(outcome.summaries).toEqual([
        { column: 0, min: '0', max: '1', values: ['0', '1'] },
        { column: 1, min: '-1e-09', max: String((rows - 1) / 4 - 1e-9) },
        { column: 2, values: [] },
      ]);
    },
  );

  it('contains the same for integers in a small output, which is summarised without a statement', async () => {
    const integers = [
      { name: 'few', type: 'TINYINT' },
      { name: 'many', type: 'BIGINT' },
      { name: 'large', type: 'UBIGINT' },
      { name: 'none', type: 'INTEGER' },
    ];
    const values =
      'nullif(i % 5, 3) - 2 AS few, i * 9007199254740993 AS many, 18446744073709551615 - i % 2 AS large, NULL AS none';
    const summariesOf = async (filler: string) => {
      const columns = [...integers, { name: 'filler', type: 'VARCHAR' }];
      const task = taskOf([`SELECT ${values}, ${filler} AS filler FROM range(1000) t(i)`], columns, {
        output: { columns, hashKeys: [0], summarised: [0, 1, 2, 3] },
      });
      const { summaries, inline } = await cluster.nodes[1]!.run(task);
      return { summaries, isInline: inline !== undefined };
    };
    const small = await summariesOf("''");
    const large = await summariesOf("repeat('x', 1000)");
    expect([small.isInline, large.isInline]).toEqual([true, false]);
    expect(small.summaries).toEqual(large.summaries);
    expect(small.summaries[0]).toEqual({ column: 0, min: '-2', max: '2', values: ['-1', '-2', '0', '2'] });
    expect(small.summaries[1]!.values).toHaveLength(1_000);
    expect(small.summaries[2]).toMatchObject({ min: '18446744073709551614', max: '18446744073709551615' });
    expect(small.summaries[3]).toEqual({ column: 3, values: [] });
  });

  it('contains no values if there are no rows', async () => {
    const outcome = await summary(`SELECT 1 AS few, 1.5 AS many, DATE '2020-01-01' AS none LIMIT 0`);
    expect(outcome).toMatchObject({ rows: 0, bucketRows: [] });
    expect(outcome.summaries).toEqual([0, 1, 2].map((column) => ({ column, values: [] })));
  });

  it('contains the CPU time', async () => {
    const outcome = await summary(
      `SELECT max(i)::INTEGER AS few, count(DISTINCT hash(i))::DOUBLE AS many, NULL::DATE AS none FROM range(2000000) t(i)`,
    );
    expect(outcome.cpuMs).toBeGreaterThan(10);
    expect(outcome.elapsedMs).toBeGreaterThan(0);
  });

  it('is the error of its SQL when that fails', async () => {
    await expect(
      summary(`SELECT CAST('x' AS INTEGER) AS few, 1.0 AS many, NULL::DATE AS none`),
    ).rejects.toThrow('invalid input syntax for type integer: "x"');
    await expect(summary('SELECT 1', { sources: [], sql: ['SELECT nothing'] })).rejects.toThrow('nothing');
  });

  it('is in the time zone of the query', async () => {
    const outcome = await cluster.nodes[1]!.run(
      taskOf(
        [`SELECT '2024-07-01 00:00:00+00'::TIMESTAMPTZ::VARCHAR AS t`],
        [{ name: 't', type: 'VARCHAR' }],
        {
          timeZone: 'Asia/Tokyo',
          output: { columns: [{ name: 't', type: 'VARCHAR' }], hashKeys: [], summarised: [0] },
        },
      ),
    );
    expect(outcome.summaries[0]!.values).toEqual(['2024-07-01 09:00:00+09']);
  });
});

describe('keys of a finished task filter the rows of a scan on another node', () => {
  /** The sums of the table's rows that pass the filter, as the other node computes them. */
  const passing = async (
    keySql: string,
    column: 'a' | 'b',
    filterKeys: readonly number[],
    ranges?: readonly KeyRange[],
  ) => {
    const type = TYPES[column];
    const keys = taskOf([keySql], [{ name: 'k', type }], {
      output: { columns: [{ name: 'k', type }], hashKeys: [], summarised: [0], filterKeys },
    });
    const { summaries } = await cluster.nodes[0]!.run(keys);
    const { min, max, values, bloom } = summaries[0]!;
    const columns = [
      { name: 'rows', type: 'BIGINT' },
      { name: 'matches', type: 'BIGINT' },
    ];
    const scan = taskOf(
      [
        `SELECT count(*) AS rows, count(*) FILTER (WHERE ${column} IN (${keySql})) AS matches FROM `,
        0,
        ' AS t',
      ],
      columns,
      {
        sources: [
          {
            kind: 'scan',
            table,
            tablets: tablets.map((tablet) => ({ tablet })),
            columns: [1, 2],
            keyFilters: [ranges === undefined ? { column, min, max, values, bloom } : { column, ranges }],
          },
        ],
      },
    );
    const on = cluster.nodes[1]!;
    const outcome = await on.run(scan);
    const session = await on.kernel.session();
    const shape = { columns, hashKeys: [] };
    const { sql } = await on.shuffle.fetch(
      session,
      [on.block(scan, outcome)],
      shape,
      new AbortController().signal,
    );
    const [row] = (await textOf(session, `SELECT * FROM ${sql}`)) as { rows: number; matches: number }[];
    await session.close();
    return { ...row!, bloomBytes: bloom?.length, values: values?.length };
  };

  it('with a Bloom filter and bounds, for numbers', async () => {
    const { rows, matches, bloomBytes } = await passing('SELECT i * 7 AS k FROM range(3000) t(i)', 'a', [0]);
    expect(matches).toBe(3000);
    expect(rows).toBeGreaterThanOrEqual(matches);
    expect(rows).toBeLessThan(matches * 1.1);
    expect(bloomBytes).toBe(2 ** 14);
  });

  it('with a Bloom filter of many rows, for texts with NULLs', async () => {
    const keys = "SELECT CASE WHEN i % 5 > 0 THEN 'b' || (i % 1100) END AS k FROM range(30000) t(i)";
    const { rows, matches, values } = await passing(keys, 'b', [0]);
    expect(values).toBe(880);
    expect(rows).toBe(matches);
    const many = `SELECT CASE WHEN i % 5 > 0 THEN 'b' || i END AS k FROM range(30000) t(i) WHERE i % 1500 < 1400`;
    const { rows: passed, matches: matched, values: none } = await passing(many, 'b', [0]);
    expect(none).toBeUndefined();
    expect(matched).toBe(ROWS * (1120 / 1500));
    expect(passed).toBeGreaterThanOrEqual(matched);
    expect(passed).toBeLessThan(ROWS * 0.8);
  });

  it('with bounds only if no filter was built', async () => {
    const { rows, matches, bloomBytes } = await passing('SELECT i * 7 AS k FROM range(3000) t(i)', 'a', []);
    expect({ rows, matches, bloomBytes }).toEqual({
      rows: 2999 * 7 + 1,
      matches: 3000,
      bloomBytes: undefined,
    });
  });

  it.each([
    [[{ to: '100' }, { from: '200', to: '250' }, { from: String(ROWS - 7) }], 157],
    [[{ from: '-5', to: '0' }], 0],
    [[{}], ROWS],
    [[], 0],
  ] as const)('by ranges %j', async (ranges, rows) => {
    expect(await passing('SELECT 1 AS k', 'a', [], ranges)).toMatchObject({ rows });
  });

  it('without any key, so that no row passes', async () => {
    expect(await passing('SELECT 1::BIGINT AS k LIMIT 0', 'a', [0])).toMatchObject({ rows: 0, matches: 0 });
  });
});

it('a node answers for itself and for what it coordinates', async () => {
  const { ping, remote, distExec } = cluster.nodes[1]!;
  expect(await ping()).toMatchObject({ name: 'node1', incarnation: distExec.incarnation, status: 'running' });
  expect(await remote.listQueries()).toEqual([{ query_id: 'q1' }]);
  expect(await remote.cancelQuery(asQueryId('q1'), { reason: 'because' })).toBe(true);
  expect(await remote.cancelQuery(asQueryId('q2'), { reason: 'because' })).toBe(false);
  expect(await remote.cancelQuery(asQueryId('q1'), { reason: 'because', ofUser: 'ada' })).toBe(true);
  expect(await remote.cancelQuery(asQueryId('q1'), { reason: 'because', ofUser: 'bob' })).toBe(false);
});

it('a task reports the bytes of its output that are on disk', async () => {
  await using small = await TestNodes.open({ outputBytes: 1 << 20 });
  const columns = [{ name: 'n', type: 'BIGINT' }];
  const outcomeOf = (rows: number) =>
    small.nodes[0]!.run(taskOf([`SELECT range AS n FROM range(${rows})`], columns, {}));
  expect((await outcomeOf(1_000)).spilledBytes).toBe(0);
  const { bytes, spilledBytes } = await outcomeOf(1_000_000);
  expect(spilledBytes).toBeGreaterThan(6e6);
  expect(spilledBytes).toBeLessThan(bytes);
});
