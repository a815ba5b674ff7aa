import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(() => node[Symbol.asyncDispose]());

it('CREATE OR REPLACE TABLE replaces a table atomically, even AS a query that reads it', async () => {
  const sql = 'CREATE OR REPLACE TABLE t (id SERIAL, a INT)';
  await node.run(sql);
  await node.run('INSERT INTO t (a) VALUES (1), (2)');
  const before = node.tables.manager.current!.version;
  await node.run('CREATE OR REPLACE TABLE t AS SELECT a, a * 2 AS b FROM t');
  expect(node.tables.manager.current!.version).toBe(before + 1);
  expect(await node.rows('SELECT * FROM t ORDER BY a')).toEqual([
    [1, 2],
    [2, 4],
  ]);
  await node.run(sql);
  expect(await node.rows('INSERT INTO t (a) VALUES (5) RETURNING *')).toEqual([[1, 5]]);
  await node.run('CREATE VIEW v AS SELECT a FROM t');
  await expect(node.run(sql)).rejects.toMatchObject({ name: 'DEPENDENT_OBJECTS' });
  await expect(node.run('CREATE OR REPLACE TABLE v (a INT)')).rejects.toMatchObject({
    name: 'WRONG_OBJECT_TYPE',
  });
  await expect(node.run('CREATE OR REPLACE TABLE IF NOT EXISTS t (a INT)')).rejects.toMatchObject({
    name: 'SYNTAX_ERROR',
  });
  const { id: transactionId } = await node.coordinator.transactions!.begin('tester');
  await node.run('DROP VIEW v', { transactionId });
  await node.run('CREATE OR REPLACE TABLE t (c INT)', { transactionId });
  await node.run('INSERT INTO t VALUES (9)', { transactionId });
  expect(await node.rows('SELECT a FROM t')).toEqual([[5]]);
  await node.run('COMMIT', { transactionId });
  expect(await node.rows('SELECT c FROM t')).toEqual([[9]]);
});
