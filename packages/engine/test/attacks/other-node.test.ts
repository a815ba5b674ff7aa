import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type DatabaseError } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { ADMIN, INSTANCE, logIn, queryAs, writeSigningKey } from '../native-node.ts';
import type { TesseraProcess } from '../tessera-process.ts';

async function connect(node: TesseraProcess, user: string, password: string) {
  const [host = '', port] = node.postgres.split(':');
  const client = new Client({ host, port: Number(port), user, password, database: 'tessera' });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  /** The rows, or the SQLSTATE of the refusal. */
  return (sql: string) =>
    client.query({ text: sql, rowMode: 'array' }).then(
      ({ rows }) => rows as unknown[],
      (error: DatabaseError) => error.code,
    );
}

it('a privilege revoked at one node is gone for the next statement of connections to another', {
  timeout: 180_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-other-node-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const signing_keys = [writeSigningKey(directory, 'shared')];
  const native = { initial_user: ADMIN, signing_algorithm: 'ES256', signing_keys };
  await using cluster = await EngineCluster.open({
    nodes: 2,
    auth: { mode: 'native', instance_id: INSTANCE, native },
  });
  const withPostgres = { args: ['--postgres-port', '0'] };
  const [first, second] = (await Promise.all([
    cluster.startNode(0, withPostgres),
    cluster.startNode(1, withPostgres),
  ])) as [TesseraProcess, TesseraProcess];
  const admin = await logIn(first);
  const run = async (sql: string) => expect((await queryAs(admin, first, sql)).status, sql).toBe(200);
  await run("CREATE USER bob PASSWORD 'secret of bob'");
  await run('CREATE TABLE t (a INT)');
  await run('INSERT INTO t VALUES (1)');

  for (const node of [first, second]) {
    await run('GRANT SELECT ON t TO bob');
    const bob = await connect(node, 'bob', 'secret of bob');
    await bob('BEGIN');
    expect(await bob('SELECT a FROM t')).toEqual([[1]]);
    await run('REVOKE SELECT ON t FROM bob');
    expect(await bob('SELECT a FROM t')).toBe('42501');
    await bob('ROLLBACK');
    expect(await bob('SELECT 1')).toEqual([[1]]);
    await run('ALTER USER bob DISABLED');
    expect(await bob('SELECT 1')).toBe('28000');
    await run('ALTER USER bob ENABLED');
  }
});
