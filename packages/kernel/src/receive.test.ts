import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { RowBlock } from './client/row-block.ts';
import type { ReceivedRelation } from './protocol/messages.ts';
import { messagesOf, schemaOf, type TestKernel, testKernel } from './testing/test-kernel.ts';

/** Received rows may use an eighth of the memory that the kernel does not account for: here 8 MiB. */
const MEMORY = { memoryLimitBytes: 512 << 20, ceilingBytes: 576 << 20 };
let t: TestKernel;
let source: KernelSession;
beforeAll(async () => {
  t = await testKernel(MEMORY);
  source = await t.kernel.session();
});
afterAll(() => t[Symbol.asyncDispose]());

async function received(session: KernelSession, sql: string): Promise<ReceivedRelation> {
  const result = await source.query(sql, [], { batches: 'full' });
  return session.receive(schemaOf(result), messagesOf(result));
}

const SUM = "count(*)::VARCHAR || ' ' || sum(k)::VARCHAR || ' ' || max(t)";
const SMALL = "SELECT range AS k, 'text ' || range AS t FROM range(100000)";
const SMALL_SUM = '100000 4999950000 text 99999';

it('rows are read where they came, as often as a statement names them, by several threads', async () => {
  const session = await t.kernel.session();
  const { sql, rows } = await received(session, SMALL);
  expect(rows).toBe(100_000);
  expect((await t.kernel.memory()).spilledBytes).toBe(0);
  for (let i = 0; i < 3; i++) expect(await session.scalar(`SELECT ${SUM} FROM ${sql}`)).toBe(SMALL_SUM);
  expect(
    await session.scalar(`SELECT count(*) FROM ${sql} a JOIN ${sql} b ON a.k = b.k WHERE a.t = b.t`),
  ).toBe(100_000);
  expect(await session.scalar(`WITH r AS (FROM ${sql}) SELECT (SELECT sum(k) FROM r) - sum(k) FROM r`)).toBe(
    0,
  );
  expect(await session.scalar(`SELECT count(*) FROM (FROM ${sql} LIMIT 10)`)).toBe(10);
  expect(await session.scalar(`SELECT count(*) FROM ${sql} WHERE k = 77 AND t = 'text 77'`)).toBe(1);
  await session.close();
});

it('progress counts received rows, with and without the plan of the statement', {
  timeout: 60_000,
}, async () => {
  const session = await t.kernel.session();
  const { sql } = await received(session, SMALL);
  const call = session.scalar(
    `SELECT count(*) FROM ${sql} AS r, range(20000) AS many(m) WHERE r.k + m + random() < 0`,
  );
  call.catch(() => undefined);
  const begun = async () => {
    const { read, fraction } = await session.progress();
    expect(read).toBeGreaterThan(0);
    expect(fraction).toBeGreaterThan(0);
    expect(fraction).toBeLessThan(1);
  };
  await vi.waitFor(begun, { timeout: 25_000 });
  session.interrupt();
  await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await session.close();
});

it('rows without end, types that nest, and no rows', async () => {
  const session = await t.kernel.session();
  const nested = `SELECT range AS k, [range, NULL] AS l, {'a': range::VARCHAR} AS s, MAP {range: 'x'} AS m,
    CASE WHEN range % 3 > 0 THEN (['u', 'v'][1 + range % 2])::ENUM('u', 'v') END AS e, NULL AS n FROM range(5000)`;
  const { sql } = await received(session, nested);
  const text = (from: string) => `SELECT COLUMNS(*)::VARCHAR FROM ${from}`;
  expect(await session.scalar(`SELECT count(*) FROM (${text(sql)} EXCEPT ALL ${text(`(${nested})`)})`)).toBe(
    0,
  );
  const empty = await received(session, 'SELECT 1 AS k WHERE false');
  expect(await session.scalar(`SELECT count(*) FROM ${empty.sql}`)).toBe(0);
  await session.close();
});

const LARGE = "SELECT range AS k, 'text ' || range AS t FROM range(1000000)";
const LARGE_SUM = '1000000 499999500000 text 999999';
const spilledBytes = async () => (await t.kernel.memory()).spilledBytes;

it('rows that memory has no room for are in a file, which is read as often as they are, and is free afterwards', async () => {
  for (let i = 0; i < 2; i++) {
    const session = await t.kernel.session();
    const { sql } = await received(session, LARGE);
    expect(await spilledBytes()).toBeGreaterThan(4 << 20);
    for (let j = 0; j < 2; j++) expect(await session.scalar(`SELECT ${SUM} FROM ${sql}`)).toBe(LARGE_SUM);
    const joined = `SELECT count(*) FROM ${sql} a JOIN ${sql} b ON a.k = b.k WHERE a.t = b.t`;
    expect(await session.scalar(joined)).toBe(1_000_000);
    await session.close();
    await expect.poll(spilledBytes).toBe(0);
  }
});

it('types that nest, enumerations and NULLs are read from a file as they were sent', async () => {
  const session = await t.kernel.session();
  await received(session, LARGE);
  const nested = `SELECT range AS k, [range, NULL] AS l, {'a': range::VARCHAR} AS s, range % 7 > 3 AS b,
    CASE WHEN range % 3 > 0 THEN (['u', 'v'][1 + range % 2])::ENUM('u', 'v') END AS e, NULL AS n FROM range(300000)`;
  const { sql } = await received(session, nested);
  const text = (from: string) => `SELECT hash(COLUMNS(*)::VARCHAR) FROM ${from}`;
  expect(await session.scalar(`SELECT count(*) FROM (${text(sql)} EXCEPT ALL ${text(`(${nested})`)})`)).toBe(
    0,
  );
  await session.close();
});

it('rows of all types that are sorted by bucket arrive unchanged, in batches of whole buckets', async () => {
  const session = await t.kernel.session();
  const nested = `SELECT range AS k, [range, NULL, 7] AS l, {'a': range::VARCHAR, 'b': range % 5 = 0} AS s,
    MAP {range: 'x' || range} AS m, [range, range + 1]::INTEGER[2] AS f, NULL AS n, range::HUGEINT AS h,
    CASE WHEN range % 3 > 0 THEN repeat('é', (range % 11)::INTEGER) END AS t, range % 2 = 0 AS b,
    CASE WHEN range % 4 > 0 THEN [CASE WHEN range % 8 > 1 THEN ['y', NULL] END] END AS ll,
    (range * 37 % 1024)::USMALLINT AS bucket FROM range(30000)`;
  const result = await source.query(nested, [], { batches: 'sorted' });
  const batches: Uint8Array[] = [];
  const copied = async function* () {
    for await (const message of messagesOf(result)) {
      batches.push(Buffer.from(message.ipc));
      yield message;
    }
  };
  const { sql } = await session.receive(schemaOf(result), copied());
  const text = (from: string) => `SELECT COLUMNS(*)::VARCHAR FROM ${from}`;
  expect(await session.scalar(`SELECT count(*) FROM (${text(sql)} EXCEPT ALL ${text(`(${nested})`)})`)).toBe(
    0,
  );
  expect(await session.scalar(`SELECT count(*) FROM ${sql}`)).toBe(30_000);
  const pieces = batches.flatMap((ipc) => {
    const buckets: Uint16Array[] = [];
    for (let at = 0; at < ipc.length; ) {
      const block = new RowBlock(result.schemaIpc, new Uint8Array(ipc.subarray(at)));
      buckets.push(block.lastColumn());
      at += block.bytes;
    }
    return [buckets];
  });
  for (const buckets of pieces) {
    expect(buckets.length).toBeGreaterThan(1);
    const all = buckets.flatMap((piece) => [...piece]);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    for (const [i, piece] of buckets.entries()) expect(piece[0]).not.toBe(buckets[i - 1]?.at(-1));
  }
  await session.close();
});

it('sessions that are used again, and those that are closed, give their memory back', async () => {
  for (let i = 0; i < 30; i++) {
    const session = await t.kernel.session();
    const { sql } = await received(session, SMALL);
    expect(await spilledBytes(), `round ${i}`).toBe(0);
    if (i % 3 === 0) await session.execute('CREATE TEMP TABLE keeps_it_from_reuse (i INT)');
    if (i % 2 === 0) expect(await session.scalar(`SELECT ${SUM} FROM ${sql}`)).toBe(SMALL_SUM);
    await session.close();
  }
});

it('a source that fails leaves nothing, before and after the memory is used up', async () => {
  for (const rows of [1_000, 1_000_000]) {
    const session = await t.kernel.session();
    const result = await source.query(`SELECT range AS k, md5(range::VARCHAR) AS t FROM range(${rows})`, [], {
      batches: 'full',
    });
    const failing = async function* () {
      for await (const message of messagesOf(result)) yield message;
      throw new Error('the source failed');
    };
    await expect(session.receive(schemaOf(result), failing())).rejects.toThrow('the source failed');
    expect(await spilledBytes()).toBe(0);
    await received(session, SMALL);
    expect(await spilledBytes()).toBe(0);
    await session.close();
  }
});

it('a statement that reads them can be interrupted, and sessions read at the same time', async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => t.kernel.session()));
  const relations: ReceivedRelation[] = [];
  for (const session of sessions)
    relations.push(await received(session, 'SELECT range AS k FROM range(20000)'));
  const slow = sessions.map((session, i) =>
    session.scalar(
      `SELECT count(*) FROM ${relations[i]!.sql} a JOIN ${relations[i]!.sql} b ON hash(a.k, b.k) % 50021 = 7`,
    ),
  );
  const failures = Promise.allSettled(slow);
  await expect.poll(async () => (await sessions[0]!.progress()).fraction).toBeGreaterThanOrEqual(0);
  for (const session of sessions) session.interrupt();
  for (const { status } of await failures) expect(status).toBe('rejected');
  for (const [i, session] of sessions.entries())
    expect(await session.scalar(`SELECT sum(k) FROM ${relations[i]!.sql}`)).toBe((19_999 * 20_000) / 2);
  const streamed = await sessions[0]!.query(`SELECT a.k FROM ${relations[0]!.sql} a, ${relations[0]!.sql} b`);
  for await (const batch of streamed.batches) {
    expect(batch.rows).toBeGreaterThan(0);
    break;
  }
  await Promise.all(sessions.map((session) => session.close()));
});

it('names of other relations, or none, are refused', async () => {
  await expect(source.scalar("SELECT count(*) FROM tessera_received('no such rows')")).rejects.toThrow(
    'There are no received rows no such rows',
  );
});
