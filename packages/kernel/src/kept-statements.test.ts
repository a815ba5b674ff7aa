import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { expect, test, vi } from 'vitest';
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

test('a prepared query stays prepared when a session drops received rows, unless it reads them', async () => {
  await using t = await testKernel({});
  const directory = join(t.directory, 'files');
  mkdirSync(directory);
  // A prepared query has the list of the files that there were.
  const files = `SELECT count(*)::VARCHAR FROM glob('${directory}/*')`;
  const id = (session: KernelSession) => session.scalar('SELECT current_connection_id()::BIGINT');
  writeFileSync(join(directory, '1'), '');
  const first = await t.kernel.session();
  const connection = await id(first);
  expect(await rowsOf(first, files)).toEqual(['1']);
  writeFileSync(join(directory, '2'), '');
  const rows = tableFromArrays({ n: Int32Array.from([3, 4]) });
  const received = await first.receive(rows.schema, rows.batches);
  const sum = `SELECT sum(n)::VARCHAR FROM ${received.sql}`;
  expect(await rowsOf(first, sum)).toEqual(['7']);
  await first.close();
  const opened: KernelSession[] = [];
  const next = async () => {
    opened.push(await t.kernel.session());
    expect(await id(opened.at(-1)!)).toBe(connection);
  };
  await vi.waitFor(next, { timeout: 20_000 });
  expect(await rowsOf(opened.at(-1)!, files)).toEqual(['1']);
  await expect(rowsOf(opened.at(-1)!, sum)).rejects.toThrow(/no received rows/);
  expect(await rowsOf(await t.kernel.session(), files)).toEqual(['2']);
});

test('a quick query that stays prepared reads the clock, fails and reads received rows as others do', async () => {
  await using t = await testKernel({});
  const session = await t.kernel.session();
  const rows = async (sql: string) => {
    const { batches } = await session.query(sql, [], { keep: true, fewRows: true });
    const found: string[] = [];
    for await (const batch of batches) found.push(Buffer.from(batch.textColumn(0)).toString());
    return found;
  };
  const times = new Set<string>();
  for (let n = 0; n < 4; n++) times.add((await rows('SELECT epoch_us(now())::VARCHAR')).join());
  expect(times.size).toBe(4);
  for (let n = 0; n < 4; n++) await expect(rows("SELECT error('refused')")).rejects.toThrow('refused');
  const table = tableFromArrays({ n: Int32Array.from([3, 4]) });
  const received = await session.receive(table.schema, table.batches);
  for (let n = 0; n < 4; n++)
    expect(await rows(`SELECT sum(n)::VARCHAR FROM ${received.sql}`)).toEqual(['7']);
});
