import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelSession } from '@tessera/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultChunk, RowsResult } from '../request/statement-result.ts';
import { TableFixture } from '../testing/table-fixture.ts';
import { readAhead } from './read-ahead.ts';

let fixture: TableFixture;
let directory: string;
beforeAll(async () => {
  fixture = await TableFixture.open();
  directory = await mkdtemp(join(tmpdir(), 'tessera-ahead-'));
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function* chunksOf(session: KernelSession, sql: string): AsyncGenerator<ResultChunk, void> {
  const { batches } = await session.query(sql);
  for await (const batch of batches)
    yield { bytes: batch.textColumn(0), rows: batch.rows, release: () => batch.release() };
}

/** The result of a query in quarantine. */
async function quarantined(sql: string): Promise<RowsResult> {
  const session = await fixture.kernel.session({ quarantine: true });
  const statistics = () => {
    throw new Error('unused');
  };
  return {
    kind: 'rows',
    columns: [],
    chunks: chunksOf(session, sql),
    statistics,
    close: () => session.close(),
  };
}

async function read(result: RowsResult): Promise<string> {
  let text = '';
  for await (const { bytes } of result.chunks) text += Buffer.from(bytes).toString();
  return text;
}

const NUMBERS = "SELECT x || ' ' FROM range(100000) r(x) ORDER BY x";
const TEXT = Array.from({ length: 100_000 }, (_, i) => `${i} `).join('');

test('a result in quarantine that nobody reads holds up no other, and is complete when it is read', async () => {
  const unread = await readAhead(await quarantined(NUMBERS), directory);
  const other = await readAhead(await quarantined('SELECT 42::VARCHAR'), directory);
  expect(await read(other)).toBe('42');
  expect(await read(unread)).toBe(TEXT);
  await Promise.all([unread.close(), other.close()]);
});

test('an error of the query follows the rows before it', async () => {
  const sql = `SELECT CASE WHEN x < 10000 THEN x || ' ' ELSE error('too many') END FROM range(20000) r(x)`;
  const failing = await readAhead(await quarantined(sql), directory);
  await expect(read(failing)).rejects.toThrow('too many');
  await failing.close();
});

test('closing a result ends its query', async () => {
  const endless = await readAhead(
    await quarantined(`SELECT x || ' ' FROM range(1000000000000) r(x)`),
    directory,
  );
  await endless.close();
  const next = await readAhead(await quarantined('SELECT 42::VARCHAR'), directory);
  expect(await read(next)).toBe('42');
  await next.close();
  await next.close();
});
