import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesOf, schemaOf, type TestKernel, testKernel } from './testing/test-kernel.ts';

const THREADS = 2;
const CORES = 6;
/** About half a second for one thread, over several row groups. */
const LONG = 'SELECT count(*) FROM numbers WHERE md5(md5(i::VARCHAR)) < md5(i::VARCHAR)';
/** Every instance has this table. */
const NUMBERS = 'CREATE TABLE numbers AS SELECT i FROM range(500000) AS r(i)';
/** Threads that execute tasks have at least this share of the processor time of all. */
const MIN_SHARE = 0.04;

let test: TestKernel;
beforeAll(async () => {
  test = await testKernel({ threads: THREADS, cores: CORES, bootstrap: [NUMBERS] });
});
afterAll(() => test[Symbol.asyncDispose]());

/** The processor time of each thread of the kernel process but the one of its event loop, in clock ticks. */
async function threadTicks(): Promise<ReadonlyMap<string, number>> {
  const pid = test.kernel.status().pid!;
  const threads = (await readdir(`/proc/${pid}/task`)).filter((thread) => thread !== String(pid));
  const ticks = threads.map(async (thread): Promise<[string, number]> => {
    // A thread may have ended meanwhile.
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
    const [user = 0, system = 0] = (stat.split(') ')[1] ?? '').split(' ').slice(11, 13);
    return [thread, Number(user) + Number(system)];
  });
  return new Map(await Promise.all(ticks));
}

/** The number of threads that worked for this many concurrent queries, in sessions with this limit. */
async function threadsFor(queries: number, maxThreads = 0): Promise<number> {
  const sessions = await Promise.all(
    Array.from({ length: queries }, () => test.kernel.session({ maxThreads })),
  );
  // Other threads make what the first query needs, such as the tables of an instance.
  await Promise.all(sessions.map((session) => session.scalar(LONG)));
  const before = await threadTicks();
  await Promise.all(sessions.map((session) => session.scalar(LONG)));
  const used = [...(await threadTicks())].map(([thread, ticks]) => ticks - (before.get(thread) ?? 0));
  await Promise.all(sessions.map((session) => session.close()));
  const total = used.reduce((sum, ticks) => sum + ticks, 0);
  return used.filter((ticks) => ticks > total * MIN_SHARE).length;
}

describe(`execution.max_threads: a kernel with ${THREADS} threads per query on ${CORES} cores`, () => {
  it('divides one query for that number of threads', async () => {
    // The thread that waits for the query may find no task left; it then looks for one all the time.
    expect(await threadsFor(1)).toBeLessThanOrEqual(THREADS + 1);
  });

  // Each runs on the thread that waits for it, too.
  it('executes several queries on more than those and as many workers', async () => {
    expect(await threadsFor(4)).toBeGreaterThan(4 + THREADS - 1);
  });
});

describe(`a session with a limit of threads, in a kernel with ${THREADS} threads per query`, () => {
  it('uses no more threads, and finds what every session finds', async () => {
    // Threads that return freed memory to the system may work at the same time, but not for each query.
    await expect.poll(() => threadsFor(1, 1)).toBe(1);
  });

  it('shares no tables, and another session does not get its connection', async () => {
    const [limited, other] = [await test.kernel.session({ maxThreads: 1 }), await test.kernel.session()];
    expect([limited.processId, other.processId]).toEqual([undefined, test.kernel.processId]);
    await other.execute('CREATE TABLE shared AS SELECT 7 AS n');
    await expect(limited.scalar('SELECT n FROM shared')).rejects.toThrow(/does not exist/);
    await Promise.all([limited.close(), other.close()]);
    const next = await test.kernel.session();
    expect(await next.scalar('SELECT n FROM shared')).toBe(7);
    await next.execute('DROP TABLE shared');
    await next.close();
  });

  it('has no limit of its own if that is not below the number of the kernel', async () => {
    const session = await test.kernel.session({ maxThreads: THREADS });
    expect(session.processId).toBe(test.kernel.processId);
    await session.close();
  });

  it('receives rows, streams, is interrupted and shows its progress like any other', async () => {
    const session = await test.kernel.session({ maxThreads: 1 });
    const source = await session.query('SELECT i FROM range(200000) AS r(i)', [], { batches: 'full' });
    const other = await test.kernel.session({ maxThreads: 1 });
    const received = await other.receive(schemaOf(source), messagesOf(source));
    expect(await other.scalar(`SELECT sum(i)::DOUBLE FROM ${received.sql}`)).toBe(19_999_900_000);
    const endless = other.scalar('SELECT count(*) FROM range(1000000000000) AS r(i) WHERE i % 7 = 3');
    const failed = expect(endless).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect.poll(async () => (await other.progress()).planned?.scanned).toBe(1e12);
    other.interrupt();
    await failed;
    await Promise.all([session.close(), other.close()]);
  });

  it('keeps its limit in quarantine, and the next session there has that of the kernel', async () => {
    const threads = async (maxThreads: number) => {
      const session = await test.kernel.session({ quarantine: true, maxThreads });
      const number = await session.scalar("SELECT current_setting('threads')");
      await session.close();
      return Number(number);
    };
    expect([await threads(1), await threads(0)]).toEqual([1, THREADS]);
  });
});
