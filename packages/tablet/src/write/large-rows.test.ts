import { expect, it, vi } from 'vitest';
import { readBack, tableOf, testTablets } from '../testing/test-tablets.ts';

vi.setConfig({ testTimeout: 120_000 });

const MEMORY = 80e6;
const ROWS = 15_000;
/** 100 MB in rows of 6.5 KB, which the kernel alone cannot sort within its memory. */
const sql = `SELECT hash(i) % 100000 AS k, i % 3 AS p, repeat(md5(i::VARCHAR), 200) AS t FROM range(${ROWS}) r(i)`;

const columns = [
  ['k', 'UBIGINT'],
  ['p', 'BIGINT'],
  ['t', 'VARCHAR'],
] as const;

it.each([
  { how: 'sorted', key: ['k'], partitionSql: [] },
  { how: 'in partitions', key: ['k'], partitionSql: ['p'] },
  { how: 'unsorted', key: [], partitionSql: [] },
])('rows larger than the memory of the kernel are written, $how', async ({ key, partitionSql }) => {
  await using tablets = await testTablets(MEMORY);
  const table = tableOf(columns, key, { indexGranularity: 122_880, partitionBy: partitionSql });
  const written = await tablets.write(table, sql, { partitionSql, maxBytes: 1e9 });
  expect(written.reduce((sum, { tablet }) => sum + tablet.rows, 0)).toBe(ROWS);
  const sums = (rows: string) => tablets.rows(`SELECT sum(hash(k, p, t)) FROM (${rows})`);
  expect(await sums(readBack(table, written))).toEqual(await sums(sql));
  for (const one of written) {
    const distinct = partitionSql.length === 0 ? 3 : 1;
    const order = key.length === 0 ? 'false' : 'k < lag(k) OVER ()';
    const rows = `SELECT p, ${order} AS wrong FROM (${readBack(table, [one])})`;
    expect(await tablets.rows(`SELECT count(DISTINCT p), count(*) FILTER (wrong) FROM (${rows})`)).toEqual([
      [String(distinct), '0'],
    ]);
  }
  expect(await tablets.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'tablet_%'")).toEqual(
    [['0']],
  );
});

it('a query that runs out of memory by itself fails with that error', async () => {
  await using tablets = await testTablets(MEMORY);
  const table = tableOf(columns, ['k']);
  const hungry = `SELECT 1::UBIGINT AS k, 1 AS p, array_to_string(list(t), '') AS t FROM (${sql})`;
  await expect(tablets.write(table, hungry)).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
  expect(await tablets.rows('SELECT 1')).toEqual([['1']]);
});
