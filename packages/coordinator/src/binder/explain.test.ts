import { classifyStatement, type ExplainStatement } from '@tessera/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';
import type { ExplainedOperator } from './explained-query.ts';

let fixture: TableFixture;

beforeAll(async () => {
  fixture = await TableFixture.open();
  const rows = (from: number, to: number) =>
    `SELECT i::INTEGER AS id, (i % 10)::INTEGER AS k, repeat('x', 20) || i AS b FROM range(${from}, ${to}) r(i)`;
  const table = await fixture.table('t', rows(0, 10_000), { primaryIndex: ['id'], minBytesForWide: 1 });
  await fixture.insert(table, rows(10_000, 20_000), { minBytesForWide: 1 });
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function explain(sql: string): Promise<(string | null)[]> {
  const executable = await fixture.binder.explain(
    fixture.context(sql),
    classifyStatement(sql) as ExplainStatement,
  );
  const [row] = await rowsOf(executable);
  await executable.release();
  return row ?? [];
}

/** The names of the operators of a tree, from the top. */
const operatorsOf = ({ operator, inputs }: ExplainedOperator): readonly string[] => [
  operator,
  ...inputs.flatMap(operatorsOf),
];

const SQL = 'SELECT sum(k) FROM t WHERE id = 4500';

describe('EXPLAIN', () => {
  it('shows the operator of a statement that the kernel does not profile', async () => {
    expect(await explain('EXPLAIN (ANALYZE) VALUES (1), (2)')).toEqual([
      expect.stringMatching(/^on one node: .*\n {4}Values \[about 2 rows\]$/),
    ]);
  });

  it('shows the plan and the pruned tablets, and fetches no column', async () => {
    const before = fixture.agent.metrics().bytesFetched;
    const [text] = await explain(`EXPLAIN ${SQL}`);
    expect(text).toMatch(/Scan table \[table: t;/);
    expect(text).not.toMatch(/[A-Z]+_[A-Z]+/);
    expect(text).toMatch(
      /t: tablets 1 of 2 \(0 pruned by partition, 1 by min\/max\); granules 1 of 5 \(4 pruned .*columns id, k; bytes to read \d+/,
    );
    expect(text).not.toMatch(/managed|t_01/i);
    expect(fixture.agent.metrics().bytesFetched - before).toBeLessThan(8_000);
  });

  it('renders JSON', async () => {
    const [text] = await explain(`EXPLAIN (FORMAT JSON) ${SQL}`);
    const { analyzed, nodes, stages, tables, warnings } = JSON.parse(text!);
    expect({ analyzed, nodes, warnings }).toEqual({
      analyzed: false,
      nodes: { chosen: 1, available: 1 },
      warnings: [],
    });
    expect(stages).toMatchObject([{ stage: 0, partitioning: 'coordinator', inputs: [] }]);
    expect(operatorsOf(stages[0].operators)).toEqual(['Aggregate', 'Filter', 'Scan table']);
    expect(tables).toMatchObject([
      { table: 't', columns: ['id', 'k'], tablets: 2, tablets_pruned_by_min_max: 1, granules_pruned: 4 },
    ]);
  });

  it('LOGICAL shows the plan before the kernel chooses physical operators', async () => {
    const [text] = await explain(`EXPLAIN (LOGICAL) ${SQL}`);
    expect(text).toContain('Get [table: t; columns: ');
    expect(text).toContain('conditions: id = 4500');
    const [json] = await explain(`EXPLAIN (LOGICAL, FORMAT JSON) ${SQL}`);
    expect(JSON.parse(json!).plan.operator).toBe('Projection');
  });

  it('ANALYZE runs the query and shows what was fetched', async () => {
    const [text] = await explain(`EXPLAIN (ANALYZE) ${SQL}`);
    expect(text).toMatch(/bytes fetched \d+; bytes cached \d+/);
    expect(text).toMatch(/^on one node: cpu [\d.]+ ms, time [\d.]+ ms, peak memory /);
    // It reads the groups of rows with one granule of ten.
    expect(text).toMatch(/Scan table \[table: t; .*rows: 1 .*rows scanned: 2,048;/);
    expect(text).not.toMatch(/CAST\(|[A-Z]+_[A-Z]+|parquet/);
    const [json] = await explain(`EXPLAIN (ANALYZE, FORMAT JSON) ${SQL}`);
    const { analyzed, elapsed_ms, stages, tables } = JSON.parse(json!);
    expect(json).not.toMatch(/_ms":\d+\.\d{4}/);
    expect([analyzed, tables[0].bytes_fetched]).toEqual([true, expect.any(Number)]);
    expect(stages).toMatchObject([
      { tasks: 1, rows: 1, elapsed_ms: expect.any(Number), peak_memory_bytes: expect.any(Number) },
    ]);
    expect(elapsed_ms).toBeGreaterThanOrEqual(stages[0].elapsed_ms);
    expect(stages[0].operators).toMatchObject({
      operator: 'Aggregate',
      details: { aggregates: 'sum(k)' },
      rows: 1,
      time_ms: expect.any(Number),
    });
  });

  it('ANALYZE names resident tables and the tables of a join', async () => {
    const sql = 'SELECT a.k, count(*) FROM t a JOIN t b ON a.id = b.k GROUP BY a.k ORDER BY 2';
    const [json] = await explain(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`);
    const { stages } = JSON.parse(json!);
    expect(operatorsOf(stages[0].operators)).toEqual(
      expect.arrayContaining(['Sort', 'Aggregate', 'Hash join', 'Scan table']),
    );
    expect(json).not.toMatch(/i_[0-9a-z]{26}|parquet/);
  });

  it('a query with ORDER BY and LIMIT reads a resident table once', async () => {
    const sql = 'SELECT * FROM t WHERE id <> 5 ORDER BY k LIMIT 3';
    const [json] = await explain(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`);
    expect(operatorsOf(JSON.parse(json!).stages[0].operators)).toEqual(['Top N', 'Scan table']);
  });

  it('STATISTICS shows rows and columns of the tables read', async () => {
    const [text] = await explain(`EXPLAIN (STATISTICS) ${SQL}`);
    expect(text).toContain('t: rows 10000, tablets 1');
    expect(text).toContain('id: min 0, max 9999, nulls 0');
  });

  it('ALL has a column for each', async () => {
    const sql = `EXPLAIN (ALL) ${SQL}`;
    const executable = await fixture.binder.explain(
      fixture.context(sql),
      classifyStatement(sql) as ExplainStatement,
    );
    expect(executable.columns.map(({ name }) => name)).toEqual([
      'explain_logical',
      'explain_physical',
      'explain_analyze',
    ]);
    await executable.release();
  });

  it.each(['LOGICAL', 'PHYSICAL', 'ANALYZE', 'STATISTICS', 'ALL'])(
    '%s works without tables',
    async (part) => {
      expect((await explain(`EXPLAIN (${part}) SELECT 1 AS one`))[0]).toMatch(/\S/);
      for (const json of await explain(`EXPLAIN (${part}, FORMAT JSON) SELECT 1 AS one`)) JSON.parse(json!);
    },
  );
});
