import { expect, test } from 'vitest';
import type { KernelSession } from '../client/kernel-session.ts';
import { caretOf } from '../errors/caret.ts';
import { testKernel } from '../testing/test-kernel.ts';
import { type PlanNode, waitsForReader } from './pipelines.ts';

/** Enough for the kernel to expect that one branch keeps two threads busy: it then begins with the next one afterwards. */
const ROWS = 600_000;
const CREATE = `CREATE TEMP TABLE t AS SELECT i AS a, i % 7 AS b FROM generate_series(1, ${ROWS}) AS g(i)`;
const JOINED = 'SELECT x.a, y.b FROM t AS x LEFT JOIN t AS y ON x.a = y.a';
const GROUPED = 'SELECT a, b, count(*) FROM t GROUP BY a, b';

async function rowsOf(session: KernelSession, sql: string, params: number[] = []): Promise<number> {
  const { batches } = await session.query(sql, params);
  let rows = 0;
  for await (const batch of batches) rows += batch.rows;
  return rows;
}

test.each([1, 2])(
  'results of UNION ALL are read to their end with %d threads, whatever the branches compute first',
  async (threads) => {
    await using t = await testKernel({ threads });
    const session = await t.kernel.session();
    await session.execute(CREATE);
    for (const branch of [
      JOINED,
      GROUPED,
      'SELECT DISTINCT a FROM t',
      'SELECT a, row_number() OVER (ORDER BY b) FROM t',
      'SELECT a FROM t WHERE a NOT IN (SELECT -a FROM t)',
      `(SELECT a FROM t ORDER BY b LIMIT ${ROWS})`,
    ]) {
      const union = `${branch} UNION ALL ${branch} UNION ALL ${branch}`;
      expect(await rowsOf(session, union), branch).toBe(3 * ROWS);
    }
    const above = `SELECT u.*, s.a FROM (${JOINED} UNION ALL ${JOINED}) AS u JOIN t AS s ON s.a = u.a WHERE u.a > $1`;
    expect(await rowsOf(session, above, [ROWS / 2])).toBe(ROWS);
  },
);

test('the columns of such a result keep their names, and errors the place in the statement', async () => {
  await using t = await testKernel({ threads: 1 });
  const session = await t.kernel.session();
  await session.execute(CREATE);
  const named = `SELECT a, b AS a, 1 AS "x ""y""" FROM (${JOINED}) AS q(a, b)`;
  for (const comment of ['', `/* ${'x'.repeat(20_000)} */`]) {
    const { columns, batches } = await session.query(`${comment} ${named} UNION ALL ${named} -- end`);
    expect(columns.map(({ name }) => name)).toEqual(['a', 'a', 'x "y"']);
    for await (const batch of batches) void batch;
  }
  const failing = `SELECT a, 'x'::VARCHAR FROM (${JOINED}) AS q(a, b) UNION ALL SELECT a, (CASE WHEN a > 0 THEN 'z' ELSE '1' END::INT)::VARCHAR FROM (${JOINED}) AS q(a, b)`;
  const failure = await rowsOf(session, failing).catch((error: Error) => error);
  expect(caretOf(failure as Error)).toBe(failing.indexOf('::INT)'));
});

test('rows are only collected if a later branch waits for its reader', () => {
  const node = (name: string, ...children: PlanNode[]): PlanNode => ({ name, children });
  const scan = node('SEQ_SCAN');
  const join = node('HASH_JOIN', scan, scan);
  const projected = node('PROJECTION', node('FILTER', scan));
  expect(waitsForReader(node('UNION', scan, join))).toBe(true);
  expect(waitsForReader(node('UNION', join, projected))).toBe(false);
  expect(waitsForReader(node('UNION', scan, node('UNION', scan, node('STREAMING_WINDOW', scan))))).toBe(
    false,
  );
  expect(waitsForReader(node('UNION', node('UNION', scan, join), scan))).toBe(true);
  expect(waitsForReader(node('PROJECTION', node('HASH_JOIN', node('UNION', scan, join), scan)))).toBe(true);
  expect(waitsForReader(node('HASH_GROUP_BY', node('UNION', scan, join)))).toBe(false);
  expect(waitsForReader(node('CTE', join, node('UNION', scan, node('CTE_SCAN'))))).toBe(false);
  expect(waitsForReader(node('CTE', scan, node('UNION', scan, join)))).toBe(true);
});
