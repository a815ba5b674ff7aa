import type { Transaction } from '@tessera/catalog';
import { newUlid, TesseraError } from '@tessera/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

/** Objects of earlier tests: dropped objects remain until they are collected. */
let left: ReadonlySet<string>;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const name of ['t', 'u', 'big']) await node.run(`DROP TABLE IF EXISTS ${name}`);
  await node.run('CREATE TABLE t (a INT)');
  left = new Set();
  left = new Set(await objects());
});

/** Makes the next commit call `instead`, which may pass it on. */
function atNextCommit(instead: (transaction: Transaction, commit: () => Promise<unknown>) => Promise<never>) {
  const { manager } = node.tables;
  const { commit } = manager;
  Object.assign(manager, {
    commit: (transaction: Transaction) => {
      Object.assign(manager, { commit });
      return instead(transaction, () => commit.call(manager, transaction));
    },
  });
}

const lost = () => TesseraError.of('METADATA_UNAVAILABLE', { reason: 'the answer was lost' });
const count = async () => (await node.rows('SELECT count(*) FROM t'))[0]![0];
const objects = async () => {
  const keys: string[] = [];
  for await (const { key } of node.tables.store.list('tablets/')) if (!left.has(key)) keys.push(key);
  return keys;
};
/** Too many rows to be stored in the commit itself. */
const LARGE = 'SELECT hash(i)::varchar FROM generate_series(1, 20000) AS g(i)';

describe('a commit whose answer is lost', () => {
  it('after the commit: the repeated statement is not executed again', async () => {
    atNextCommit(async (_, commit) => {
      await commit();
      throw lost();
    });
    const queryId = newUlid();
    const insert = () => node.run('INSERT INTO t VALUES (1)', { queryId });
    await expect(insert()).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    await insert();
    expect(await count()).toBe('1');
  });

  it('before the commit: the repeated statement is executed', async () => {
    atNextCommit(() => Promise.reject(lost()));
    const queryId = newUlid();
    const insert = () => node.run('INSERT INTO t VALUES (1)', { queryId });
    await expect(insert()).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    expect((await insert()).affectedRows).toBe(1);
    expect(await count()).toBe('1');
  });

  it.each(['after', 'before'])('%s the commit of a transaction: COMMIT can be sent again', async (when) => {
    const { session } = await node.run('BEGIN');
    if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
    const inside = { transactionId: session.value };
    await node.run('INSERT INTO t VALUES (1), (2)', inside);
    atNextCommit(async (_, commit) => {
      if (when === 'after') await commit();
      throw lost();
    });
    await expect(node.run('COMMIT', inside)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    await expect(node.run('INSERT INTO t VALUES (3)', inside)).rejects.toMatchObject({
      name: 'NO_TRANSACTION',
    });
    await node.run('COMMIT', inside);
    expect(await count()).toBe('2');
  });

  it('leaves the objects of its tablets: they may be part of the table', async () => {
    await node.run('CREATE TABLE big (a TEXT)');
    atNextCommit(() => Promise.reject(lost()));
    await expect(node.run(`INSERT INTO big ${LARGE}`)).rejects.toMatchObject({
      name: 'METADATA_UNAVAILABLE',
    });
    expect(await objects()).toHaveLength(1);
  });
});

describe('a commit that is refused', () => {
  it('is retried on a newer snapshot, and leaves no object of the first attempt', async () => {
    await node.run('CREATE TABLE big (a TEXT)');
    let tries = 0;
    atNextCommit(() => {
      tries += 1;
      return Promise.reject(TesseraError.of('TRANSACTION_CONFLICT', { message: 'another was first' }));
    });
    expect((await node.run(`INSERT INTO big ${LARGE}`)).affectedRows).toBe(20_000);
    expect(tries).toBe(1);
    expect(await objects()).toHaveLength(1);
    expect(await node.rows('SELECT count(*) FROM big')).toEqual([['20000']]);
  });

  it('because the name was taken meanwhile is reported as a duplicate, or is no error with IF NOT EXISTS', async () => {
    const meanwhile = () =>
      atNextCommit(async (_, commit) => {
        await node.run('CREATE TABLE u (b INT)');
        await commit();
        throw new Error('two tables of one name');
      });
    meanwhile();
    await expect(node.run('CREATE TABLE u (a INT)')).rejects.toMatchObject({ name: 'DUPLICATE_OBJECT' });
    await node.run('DROP TABLE u');
    meanwhile();
    await node.run('CREATE TABLE IF NOT EXISTS u (a INT)');
    expect(await node.rows('SELECT b FROM u')).toEqual([]);
  });
});

describe('a rolled back transaction', () => {
  it('leaves no object, and deletes no shared one', async () => {
    await node.run(`CREATE TABLE big AS ${LARGE.replace('SELECT', 'SELECT 1 AS k,')}`);
    const before = await objects();
    const { session } = await node.run('BEGIN');
    if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
    const inside = { transactionId: session.value };
    await node.run('CREATE TABLE c CLONE big', inside);
    await node.run('INSERT INTO big SELECT * FROM c', inside);
    expect(await objects()).toHaveLength(2);
    await node.run('ROLLBACK', inside);
    expect(await objects()).toEqual(before);
    expect(await node.rows('SELECT count(*) FROM big')).toEqual([['20000']]);
  });
});
