import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { expect, test, vi } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { testKernel } from './testing/test-kernel.ts';

const rows = tableFromArrays({ n: Int32Array.from([1, 2, 3]) });

test('a connection is given on without the tables that were appended to in it', async () => {
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

test('a connection that wrote a file, explained and selected is given on', async () => {
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
  await third.close();
});

test('a connection with a temp table of another kind is not given on', async () => {
  await using t = await testKernel({});
  const first = await t.kernel.session();
  await first.append('appended', rows.schema, rows.batches);
  await first.execute('CREATE TEMP TABLE made AS SELECT 1 AS n');
  await first.close();
  const next = await t.kernel.session();
  await expect(next.scalar('SELECT n FROM made')).rejects.toThrow(/does not exist/);
  await next.close();
});
