import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;
const admin = { user: 'tessera' };
const alice = { user: 'alice' };

beforeAll(async () => {
  node = await TestNode.open({ checksPrivileges: true });
  await node.run('CREATE USER alice', admin);
  await node.run('CREATE TABLE t (a INT)', admin);
  await node.run('CREATE TABLE shown (a INT)', admin);
});
afterAll(() => node[Symbol.asyncDispose]());

const keptTables = async () => {
  const session = await node.kernel.session();
  try {
    return Number(
      await session.scalar(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'relation\\_%' ESCAPE '\\'",
      ),
    );
  } finally {
    await session.close();
  }
};

const TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1";

test('statements share what they read of the catalog, and see every change of it', async () => {
  const before = await keptTables();
  for (let i = 0; i < 3; i += 1) expect(await node.rows(TABLES, admin)).toEqual([['shown'], ['t']]);
  expect(await keptTables()).toBe(before + 1);
  await node.run('CREATE TABLE u (a INT)', admin);
  for (let i = 0; i < 3; i += 1) expect(await node.rows(TABLES, admin)).toEqual([['shown'], ['t'], ['u']]);
  await node.run('DROP TABLE u', admin);
  expect(await node.rows(TABLES, admin)).toEqual([['shown'], ['t']]);
});

test('users do not see what others may see', async () => {
  for (let i = 0; i < 3; i += 1) await node.rows(TABLES, admin);
  for (let i = 0; i < 3; i += 1) expect(await node.rows(TABLES, alice)).toEqual([]);
  await node.run('GRANT SELECT ON TABLE shown TO alice', admin);
  for (let i = 0; i < 3; i += 1) expect(await node.rows(TABLES, alice)).toEqual([['shown']]);
});

test('rows in the parts of an INSERT, which share a transaction, can come from the catalog', async () => {
  const columns = "(SELECT count(*) FROM information_schema.columns WHERE table_name = 't')";
  for (let i = 0; i < 3; i += 1) await node.run(`INSERT INTO t VALUES (${columns}), (${columns} + 1)`, admin);
  expect(await node.rows('SELECT sum(a)::int FROM t', admin)).toEqual([[9]]);
});

test('an argument of a function that is a query of the catalog runs once', async () => {
  const plan = await node.rows(
    "EXPLAIN SELECT array_to_string(ARRAY(SELECT relname FROM pg_class), ',') FROM pg_namespace",
    admin,
  );
  const lines = plan.flatMap(([text]) => String(text).split('\n'));
  expect(lines.filter((line) => line.includes('Seq scan'))).toHaveLength(2);
});
