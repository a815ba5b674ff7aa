import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import type { FewRows } from './protocol/messages.ts';
import { type TestKernel, testKernel } from './testing/test-kernel.ts';

let t: TestKernel;
let session: KernelSession;
beforeAll(async () => {
  t = await testKernel({});
  session = await t.kernel.session();
});
afterAll(() => t[Symbol.asyncDispose]());

async function texts(
  sql: string,
  params: readonly (string | number)[] = [],
  fewRows: FewRows = true,
): Promise<string[]> {
  const { batches } = await session.query(sql, params, { fewRows });
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

test.each([0, 1, 8_192, 8_193, 300_000])(
  'a query that has perhaps few rows and has %i returns all of them in order',
  async (rows) => {
    const sql = "SELECT i || ' ' FROM range(600_000) AS r(i) WHERE i % 2 = 0 AND i < $1";
    for (const [text, params] of [
      [sql, [2 * rows]],
      [sql.replace('$1', String(2 * rows)), []],
    ] as const) {
      const batches = await texts(text, params, 'perhaps');
      const found = batches.flatMap((batch) => batch.split(': ')[1]!.trim().split(' ').map(Number));
      expect(found).toEqual(Array.from({ length: rows }, (_, i) => 2 * i));
      // All rows were computed before the first one was sent.
      if (rows > 0 && rows <= 8_192) expect(batches).toHaveLength(1);
    }
  },
);

test('a query that has perhaps few rows fails only if one of its rows is read that fails', async () => {
  const failing =
    "SELECT CASE WHEN i = 500_000 THEN error('late') ELSE i || ' ' END FROM range(600_000) AS r(i)";
  await expect(texts(failing, [], 'perhaps')).rejects.toThrow('late');
  expect(await texts(`${failing} WHERE i <> 500_000 AND i < 2`, [], 'perhaps')).toEqual(['2: 0 1 ']);
});
