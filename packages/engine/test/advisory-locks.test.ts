import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from './cluster/until.ts';
import { query } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let node: SharedNode;
const clients: pg.Client[] = [];
beforeAll(async () => {
  node = await takeSharedNode();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await node[Symbol.asyncDispose]();
});

async function connect(): Promise<pg.Client> {
  const [host = '', port = ''] = node.postgres.split(':');
  const client = new pg.Client({ host, port: Number(port), database: 'tessera', user: 'alice' });
  await client.connect();
  clients.push(client);
  return client;
}

const one = async (client: pg.Client, sql: string, values: unknown[] = []) =>
  (await client.query({ text: sql, values, rowMode: 'array' })).rows[0]?.[0];

it('excludes other sessions until it is released as often as it was taken', async () => {
  const [a, b] = [await connect(), await connect()];
  expect(await one(a, 'SELECT pg_try_advisory_lock(1)')).toBe(true);
  expect(await one(a, 'SELECT pg_try_advisory_lock($1)', [1])).toBe(true);
  expect(await one(b, 'SELECT pg_try_advisory_lock(1) AS locked')).toBe(false);
  expect(await one(b, 'SELECT pg_try_advisory_lock(1, 0)')).toBe(true);
  expect(await one(b, 'SELECT pg_advisory_unlock(1)')).toBe(false);
  expect(await one(a, 'SELECT pg_advisory_unlock(1)')).toBe(true);
  expect(await one(b, 'SELECT pg_try_advisory_lock(1::bigint)')).toBe(false);
  expect(await one(a, 'SELECT pg_advisory_unlock(1)')).toBe(true);
  expect(await one(b, 'SELECT pg_try_advisory_lock(1::bigint)')).toBe(true);
  expect(await one(b, 'SELECT pg_advisory_unlock_all()')).toBe('');
  expect(await one(a, 'SELECT pg_try_advisory_lock(NULL)')).toBe(null);
});

it('shared locks do not exclude each other', async () => {
  const [a, b, c] = [await connect(), await connect(), await connect()];
  for (const client of [a, b]) expect(await one(client, 'SELECT pg_try_advisory_lock_shared(2)')).toBe(true);
  expect(await one(c, 'SELECT pg_try_advisory_lock(2)')).toBe(false);
  for (const client of [a, b]) expect(await one(client, 'SELECT pg_advisory_unlock_shared(2)')).toBe(true);
  expect(await one(c, 'SELECT pg_try_advisory_lock(2)')).toBe(true);
  await c.end();
  clients.splice(clients.indexOf(c), 1);
});

it('waits for the end of the transaction or of the session that holds it', async () => {
  const [a, b, c] = [await connect(), await connect(), await connect()];
  await a.query('BEGIN');
  await a.query('SELECT pg_advisory_xact_lock(3)');
  const order: string[] = [];
  const waiting = b.query('SELECT pg_advisory_lock(3)').then(() => order.push('b'));
  expect(await one(c, 'SELECT pg_try_advisory_lock(3)')).toBe(false);
  order.push('commit');
  await a.query('COMMIT');
  await waiting;
  expect(order).toEqual(['commit', 'b']);
  clients.splice(clients.indexOf(b), 1);
  await b.end();
  await until('the lock of a session that has ended is free', 20_000, async () => {
    return (await one(c, 'SELECT pg_try_advisory_lock(3)')) === true;
  });
});

it('a wait ends at statement_timeout, and a deadlock is refused', async () => {
  const [a, b] = [await connect(), await connect()];
  await a.query('SELECT pg_advisory_lock(4)');
  await b.query('SELECT pg_advisory_lock(5)');
  /** The SQLSTATE with which `b` fails to take the lock that `a` has. */
  const refusal = async (timeoutMs: number) => {
    await b.query(`SET statement_timeout = ${timeoutMs}`);
    const error = await b.query('SELECT pg_advisory_lock(4)').catch((failure: unknown) => failure);
    // The limit holds for this statement as well, which may take longer on a busy machine.
    await until('the limit is lifted', 20_000, () =>
      b.query('SET statement_timeout = 0').then(
        () => true,
        () => false,
      ),
    );
    return (error as pg.DatabaseError).code;
  };
  expect(await refusal(50)).toBe('57014');
  const waiting = a.query('SELECT pg_advisory_lock(5)');
  await until('a waits for the lock of b', 20_000, async () => (await refusal(200)) === '40P01');
  await expect(b.query('SELECT pg_advisory_lock(4)')).rejects.toMatchObject({ code: '40P01' });
  await b.query('SELECT pg_advisory_unlock_all()');
  await waiting;
});

it('is refused where nothing could hold it, or if its key is not a known number', async () => {
  const a = await connect();
  await expect(a.query('SELECT pg_advisory_lock(1 + 1)')).rejects.toMatchObject({ code: '0A000' });
  await a.query('CREATE TABLE t (a INT)');
  await expect(a.query('INSERT INTO t SELECT length(pg_advisory_lock(1))')).rejects.toMatchObject({
    code: '0A000',
  });
  const answer = await query(node, 'SELECT pg_try_advisory_lock(1)');
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('no session to hold it');
});
