import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { expect, test, vi } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { testKernel } from './testing/test-kernel.ts';

const rows = tableFromArrays({ n: Int32Array.from([1, 2, 3]) });

test('a connection is reused without the tables to which a session appended', async () => {
  await using t = await testKernel({ bootstrap: ["ATTACH ':memory:' AS shared"] });
  const first = await t.kernel.session({ timeZone: 'UTC' });
  await first.append('appended', rows.schema, rows.batches);
  await first.change('CREATE TABLE shared.main.kept AS FROM temp.main.appended');
  await first.close();
  const worksOnAnother = async () => {
    const next = await t.kernel.session({ timeZone: 'UTC' });
    try {
      await expect(next.scalar('SELECT count(*) FROM appended')).rejects.toThrow(/does not exist/);
      expect(await next.scalar('SELECT sum(n)::INTEGER FROM shared.main.kept')).toBe(6);
      // The table gets the same name again.
      await next.append('appended', rows.schema, rows.batches);
    } finally {
      await next.close();
    }
  };
  await vi.waitFor(worksOnAnother, { timeout: 20_000 });
});

test('a connection that wrote a file, explained and selected is reused', async () => {
  await using t = await testKernel({});
  const id = (session: KernelSession) => session.scalar('SELECT current_connection_id()::BIGINT');
  const first = await t.kernel.session();
  const connection = await id(first);
  const path = join(t.directory, 'files', 'rows.parquet');
  mkdirSync(dirname(path));
  expect(await first.execute(`COPY (SELECT 1 AS n) TO '${path}' (FORMAT parquet)`)).toBe(1);
  await first.scalar('EXPLAIN SELECT 1');
  await first.close();
  const second = await t.kernel.session();
  expect(await id(second)).toBe(connection);
  await second.execute(`COPY (SELECT setseed(0.5)) TO '${path}' (FORMAT parquet)`).catch(() => undefined);
  await second.close();
  const third = await t.kernel.session();
  expect(await id(third)).not.toBe(connection);
  // A query that fails may have set the seed before.
  const of = await id(third);
  await expect(third.query("SELECT setseed(0.5), error('late')", [], { fewRows: true })).rejects.toThrow();
  await third.close();
  const fourth = await t.kernel.session();
  expect(await id(fourth)).not.toBe(of);
  await fourth.close();
});

test('a connection is reused without the table of createTable, unless its query set the seed', async () => {
  await using t = await testKernel({});
  const id = (session: KernelSession) => session.scalar('SELECT current_connection_id()::BIGINT');
  const first = await t.kernel.session();
  const connection = await id(first);
  await expect(first.createTable('made', 'SELECT error(1)')).rejects.toThrow();
  await first.createTable('made', 'SELECT $1::INTEGER AS n', [5]);
  expect(await first.scalar('SELECT n FROM made')).toBe(5);
  await first.close();
  const others: KernelSession[] = [];
  const next = async () => {
    const session = await t.kernel.session();
    if ((await id(session)) === connection) return session;
    // It would be the next one again if it were closed.
    others.push(session);
    return undefined;
  };
  const again = await vi.waitUntil(next, { timeout: 20_000 });
  await expect(again.scalar('SELECT n FROM made')).rejects.toThrow(/does not exist/);
  await again.createTable('made', 'SELECT setseed(0.5)');
  await again.close();
  const last = await t.kernel.session();
  expect(await id(last)).not.toBe(connection);
  for (const session of [last, ...others]) await session.close();
});

test('a connection with a temporary table of another kind is not reused', async () => {
  await using t = await testKernel({});
  const first = await t.kernel.session();
  await first.append('appended', rows.schema, rows.batches);
  await first.execute('CREATE TEMP TABLE made AS SELECT 1 AS n');
  await first.close();
  const next = await t.kernel.session();
  await expect(next.scalar('SELECT n FROM made')).rejects.toThrow(/does not exist/);
  await next.close();
});
