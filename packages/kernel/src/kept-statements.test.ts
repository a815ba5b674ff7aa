import { expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { testKernel } from './testing/test-kernel.ts';

async function rowsOf(session: KernelSession, sql: string): Promise<string[]> {
  const rows: string[] = [];
  const { batches } = await session.query(sql, [], { keep: true });
  for await (const batch of batches) rows.push(Buffer.from(batch.textColumn(0)).toString());
  return rows;
}

test('a prepared query reads the clock and the time zone each time', async () => {
  await using t = await testKernel({});
  const utc = await t.kernel.session({ timeZone: 'UTC' });
  const clock = 'SELECT epoch_us(now())::VARCHAR';
  const [first] = await rowsOf(utc, clock);
  const [second] = await rowsOf(utc, clock);
  expect(Number(second)).toBeGreaterThan(Number(first));
  const hour = "SELECT (TIMESTAMPTZ '2026-11-21 12:00:00+00')::VARCHAR";
  expect(await rowsOf(utc, hour)).toEqual(['2026-11-21 12:00:00+00']);
  await utc.close();
  const next = await t.kernel.session({ timeZone: 'Asia/Tokyo' });
  expect(await rowsOf(next, hour)).toEqual(['2026-11-21 21:00:00+09']);
});

test('a prepared query whose result was not read to its end runs again', async () => {
  await using t = await testKernel({});
  const session = await t.kernel.session();
  const sql = 'SELECT i::VARCHAR FROM range(10_000_000) AS r(i)';
  for (let n = 0; n < 3; n++) {
    const { batches } = await session.query(sql, [], { keep: true, maxBatchBytes: 1024 });
    for await (const batch of batches) {
      expect(Buffer.from(batch.textColumn(0)).toString()).toMatch(/^0123/);
      break;
    }
  }
});
