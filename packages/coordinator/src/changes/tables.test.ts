import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

describe('a table', () => {
  it('holds what was inserted', async () => {
    await node.run("CREATE TABLE t (a INT NOT NULL, b TEXT DEFAULT upper('x'), c DOUBLE) PRIMARY INDEX a");
    expect(await node.run("INSERT INTO t VALUES (2, 'two', 2.5), (1, 'one', NULL)")).toEqual({
      kind: 'done',
      affectedRows: 2,
    });
    expect(await node.run('INSERT INTO t (c, a) SELECT 7, i FROM generate_series(10, 12) AS g(i)')).toEqual({
      kind: 'done',
      affectedRows: 3,
    });
    expect(await node.rows('SELECT * FROM t ORDER BY a')).toEqual([
      [1, 'one', null],
      [2, 'two', 2.5],
      [10, 'X', 7],
      [11, 'X', 7],
      [12, 'X', 7],
    ]);
  });
});
