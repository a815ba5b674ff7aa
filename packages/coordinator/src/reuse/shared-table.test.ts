import { expect, test } from 'vitest';
import { TestNode } from '../testing/test-node.ts';
import { relationOf } from './shared-table.ts';

test('a table is loaded into memory while a statement fills a table that others will share', async () => {
  await using node = await TestNode.open();
  await node.run('CREATE TABLE loaded (a INT)');
  await node.run('INSERT INTO loaded SELECT i FROM generate_series(1, 1000) AS r(i)');
  const filling = await node.kernel.session();
  const other = await node.kernel.session();
  const inMemory = () =>
    other.scalar("SELECT count(*)::INTEGER FROM duckdb_tables() WHERE database_name = 'hot'");
  try {
    const before = Number(await inMemory());
    await filling.execute('BEGIN');
    await filling.execute(`CREATE TABLE ${relationOf('filled')} AS SELECT 1 AS a`);
    expect(await node.rows('SELECT sum(a) FROM loaded')).toEqual([['500500']]);
    await node.tables.agent.settled();
    expect(await inMemory()).toBe(before + 1);
  } finally {
    await filling.execute('ROLLBACK');
    await filling.close();
    await other.close();
  }
});
