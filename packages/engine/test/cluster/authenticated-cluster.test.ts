import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN, INSTANCE, logIn, queryAs, writeSigningKey } from '../native-node.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import { EngineCluster } from './engine-cluster.ts';

const POLL = { timeout: 60_000, interval: 100 };

it('nodes that start at the same time share the initial user, tokens, and changes of users', {
  timeout: 180_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-auth-cluster-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const native = {
    initial_user: ADMIN,
    signing_algorithm: 'ES256',
    signing_keys: [writeSigningKey(directory, 'shared')],
  };
  await using cluster = await EngineCluster.open({
    nodes: 2,
    auth: { mode: 'native', instance_id: INSTANCE, native },
  });
  const [first, second] = (await Promise.all([cluster.startNode(0), cluster.startNode(1)])) as [
    TesseraProcess,
    TesseraProcess,
  ];
  const token = await logIn(first);
  const running = "SELECT count(*)::int FROM information_schema.nodes WHERE status = 'RUNNING'";
  const seen = async () => (await queryAs(token, second, running)).json().data;
  await expect.poll(seen, POLL).toEqual([[2]]);

  const made = await queryAs(token, first, "CREATE USER bob WITH PASSWORD = 'secret of bob'");
  expect(made.status).toBe(200);
  const bob = await logIn(second, { name: 'bob', password: 'secret of bob' });
  expect((await queryAs(bob, first, 'SELECT current_user')).json().data).toEqual([['bob']]);

  await queryAs(token, first, "ALTER USER bob SET PASSWORD = 'another'");
  expect((await queryAs(bob, second, 'SELECT current_user')).status).toBe(401);
  const again = await logIn(first, { name: 'bob', password: 'another' });
  await queryAs(token, second, 'DROP USER bob');
  for (const node of [first, second])
    expect((await queryAs(again, node, 'SELECT current_user')).status).toBe(401);
});
