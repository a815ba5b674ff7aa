import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestKernel, testKernel } from './testing/test-kernel.ts';

const THREADS = 2;
const CORES = 6;
/** About half a second for one thread, over several row groups. */
const LONG = 'SELECT count(*) FROM numbers WHERE md5(md5(i::VARCHAR)) < md5(i::VARCHAR)';
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

/** The number of threads that worked for so many queries at once. */
async function threadsFor(queries: number): Promise<number> {
  const before = await threadTicks();
  await Promise.all(
    Array.from({ length: queries }, async () => {
      const session = await test.kernel.session();
      await session.scalar(LONG);
      await session.close();
    }),
  );
  const used = [...(await threadTicks())].map(([thread, ticks]) => ticks - (before.get(thread) ?? 0));
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
