import { expect, it } from 'vitest';
import { takeKernel } from './shared-kernels.ts';
import { TestNode } from './test-node.ts';

const residentTables = async ({ kernel }: Pick<TestNode, 'kernel'>) => {
  const session = await kernel.session();
  try {
    return Number(await session.scalar("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'hot'"));
  } finally {
    await session.close();
  }
};

it('the kernel keeps no table once nobody uses it', async () => {
  const first = await TestNode.open();
  const other = await TestNode.open();
  expect(other.kernel).toBe(first.kernel);
  await first.run('CREATE TABLE t (a INT)');
  await first.run('INSERT INTO t SELECT i FROM generate_series(1, 1000) AS r(i)');
  for (let run = 0; run < 2; run += 1) {
    expect(await first.rows('SELECT sum(a) FROM t')).toEqual([['500500']]);
    await first.tables.agent.settled();
  }
  await first[Symbol.asyncDispose]();
  expect(await residentTables(other)).toBe(1);

  await other[Symbol.asyncDispose]();
  await using next = await takeKernel();
  expect(next.kernel).toBe(first.kernel);
  expect(await residentTables(next)).toBe(0);
});
