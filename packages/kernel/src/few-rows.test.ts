import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { type TestKernel, testKernel } from './testing/test-kernel.ts';

let t: TestKernel;
let session: KernelSession;
beforeAll(async () => {
  t = await testKernel({});
  session = await t.kernel.session();
});
afterAll(() => t[Symbol.asyncDispose]());

async function texts(sql: string, params: readonly (string | number)[] = []): Promise<string[]> {
  const { batches } = await session.query(sql, params, { fewRows: true });
  const found: string[] = [];
  for await (const batch of batches) found.push(`${batch.rows}: ${Buffer.from(batch.textColumn(0))}`);
  return found;
}

test('all rows arrive in one batch, also none and more than expected', async () => {
  expect(await texts("SELECT 'a' || i FROM range(3) AS r(i) WHERE i < $1", [2])).toEqual(['2: a0a1']);
  expect(await texts("SELECT 'a' WHERE false")).toEqual([]);
  const [all = ''] = await texts("SELECT 'x' FROM range(10_000)");
  expect(all).toBe(`10000: ${'x'.repeat(10_000)}`);
});

test('an error during execution is reported, and the session can be used again', async () => {
  await expect(
    texts("SELECT CASE WHEN i = 5000 THEN error('late') ELSE 'a' END FROM range(9000) AS r(i)"),
  ).rejects.toThrow('late');
  expect(await texts("SELECT 'b'")).toEqual(['1: b']);
});

test('the query can be interrupted', async () => {
  const running = texts(
    'SELECT sum(a.i * b.i)::VARCHAR FROM range(10_000_000) AS a(i), range(10_000_000) AS b(i)',
  );
  session.interrupt();
  await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
});
