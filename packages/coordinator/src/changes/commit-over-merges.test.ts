import { expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

/** A node whose table `t` consists of six small tablets, with an open transaction. */
async function nodeInTransaction(columns = 'a INT, b INT', row = (i: number) => `${i}, 0`) {
  const node = await TestNode.open();
  await node.run(`CREATE TABLE t (${columns})`);
  for (let i = 0; i < 6; i += 1) await node.run(`INSERT INTO t VALUES (${row(i)})`);
  return { node, asked: await begun(node) };
}

async function begun(node: TestNode) {
  const { session } = await node.run('BEGIN');
  if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
  return { transactionId: session.value };
}

const merge = async (node: TestNode, left: number) => {
  await node.run('VACUUM t');
  expect(await node.tablets('t')).toHaveLength(left);
};

const conflict = { name: 'TRANSACTION_CONFLICT', message: expect.stringContaining('changed by another') };

it.each([
  ['after its change', ['UPDATE t SET b = 1 WHERE a < 3; DELETE FROM t WHERE a = 4'], []],
  ['before its change', [], ['UPDATE t SET b = 1 WHERE a < 3; DELETE FROM t WHERE a = 4']],
  ['between its changes', ['UPDATE t SET b = 1 WHERE a < 3'], ['DELETE FROM t WHERE a = 4']],
])('a transaction commits though its tablets were merged %s', async (_, before, after) => {
  const { node, asked } = await nodeInTransaction();
  await using _node = node;
  const run = async (statements: readonly string[]) => {
    for (const sql of statements.flatMap((text) => text.split('; '))) await node.run(sql, asked);
  };
  await run(before);
  await merge(node, 1);
  await run(after);
  await node.run('INSERT INTO t VALUES (9, 9)', asked);
  await node.run('DELETE FROM t WHERE b = 9', asked);
  await node.run('COMMIT', asked);
  expect(await node.rows('SELECT a, b FROM t ORDER BY a')).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 0],
    [5, 0],
  ]);
});

it('deletes as many equal rows of merged tablets as the transaction did', async () => {
  const { node } = await nodeInTransaction('a DOUBLE PRECISION, s TEXT', () => 'NULL, NULL');
  await using _node = node;
  await node.run(`INSERT INTO t SELECT i % 2, 'x' FROM generate_series(1, 10) s(i)`);
  const asked = await begun(node);
  await node.run('DELETE FROM t WHERE a = 1', asked);
  await node.run('INSERT INTO t SELECT a, NULL FROM t WHERE a IS NULL', asked);
  await node.run('DELETE FROM t WHERE a IS NULL', asked);
  await node.run(`INSERT INTO t VALUES (1, 'x'), (NULL, NULL)`);
  await merge(node, 1);
  await node.run('COMMIT', asked);
  expect(await node.rows('SELECT a::int, s, count(*)::int FROM t GROUP BY ALL ORDER BY 1')).toEqual([
    [0, 'x', 5],
    [1, 'x', 1],
    [null, null, 1],
  ]);
});

it('a table is emptied though its tablets were merged', async () => {
  const { node, asked } = await nodeInTransaction();
  await using _node = node;
  await node.run('TRUNCATE TABLE t', asked);
  await merge(node, 1);
  await node.run('COMMIT', asked);
  expect(await node.tablets('t')).toEqual([]);
});

it('a statement without BEGIN that merges overtake twice is not executed a third time', async () => {
  const { node } = await nodeInTransaction();
  await using _node = node;
  await node.run('CREATE SEQUENCE executions');
  const { manager } = node.tables;
  const commit = manager.commit.bind(manager);
  let attempts = 0;
  manager.commit = async (transaction) => {
    const isDelete = transaction.actions.some(
      (action) => action.kind === 'set_deletion_vector' || ('reason' in action && action.reason === 'delete'),
    );
    if (isDelete && ++attempts <= 2) {
      await node.run('INSERT INTO t VALUES (7, 0)');
      await merge(node, 1);
    }
    return commit(transaction);
  };
  const query = await node.run("UPDATE t SET b = nextval('executions') WHERE a = 1");
  expect(query).toMatchObject({ affectedRows: 1 });
  expect(attempts).toBe(3);
  const [row] = await node.rows("SELECT sum(b)::int, nextval('executions')::int - 1 FROM t");
  const [value, executions] = row as [number, number];
  expect(value).toBe(executions);
  expect(executions).toBeLessThanOrEqual(2);
});

it('equal rows of a tablet that another transaction has changed since are left alone', async () => {
  const { node, asked } = await nodeInTransaction();
  await using _node = node;
  await node.run('UPDATE t SET b = 1 WHERE a = 1', asked);
  await merge(node, 1);
  await node.run(
    'INSERT INTO t SELECT CASE WHEN i = 1 THEN 8 ELSE 1 END, 0 FROM generate_series(1, 1000) s(i)',
  );
  await node.run('DELETE FROM t WHERE a = 8');
  await node.run('COMMIT', asked);
  expect(await node.rows('SELECT b, count(*)::int FROM t WHERE a = 1 GROUP BY b ORDER BY b')).toEqual([
    [0, 999],
    [1, 1],
  ]);
});

it.each([
  ['the same row', 'UPDATE t SET b = 5 WHERE a = 1'],
  ['a row that was merged into the same tablet', 'UPDATE t SET b = 5 WHERE a = 5'],
])('a transaction fails if another one changed %s', async (_, change) => {
  const { node, asked } = await nodeInTransaction();
  await using _node = node;
  await node.run('UPDATE t SET b = 1 WHERE a = 1', asked);
  await merge(node, 1);
  await node.run(change);
  await expect(node.run('COMMIT', asked)).rejects.toMatchObject(conflict);
  expect(await node.rows('SELECT sum(b)::int FROM t')).toEqual([[5]]);
});

it('a transaction fails if another one changed the same row before the merge', async () => {
  const { node, asked } = await nodeInTransaction();
  await using _node = node;
  await node.run('UPDATE t SET b = 1 WHERE a = 1', asked);
  await node.run('UPDATE t SET b = 5 WHERE a = 1');
  await merge(node, 1);
  await expect(node.run('COMMIT', asked)).rejects.toMatchObject(conflict);
  expect(await node.rows('SELECT sum(b)::int FROM t')).toEqual([[5]]);
});

it('an aggregating index follows rows that were deleted in merged tablets', async () => {
  const { node } = await nodeInTransaction();
  await using _node = node;
  await node.run('INSERT INTO t SELECT i % 3, i FROM generate_series(1, 1000) s(i)');
  await node.run('CREATE AGGREGATING INDEX t_sums ON t (a, sum(b), count(*))');
  const asked = await begun(node);
  await node.run('UPDATE t SET b = 0 WHERE b > 990', asked);
  await merge(node, 1);
  await node.run('COMMIT', asked);
  const sums = 'SELECT a, sum(b)::int, count(*)::int FROM t GROUP BY a ORDER BY a';
  const computed = await node.rows(sums.replace('FROM t', 'FROM (SELECT a, b FROM t OFFSET 0) x'));
  expect(await node.rows(sums)).toEqual(computed);
  expect(await node.rows('SELECT sum(b)::int, count(*)::int FROM t')).toEqual([[490545, 1006]]);
});
