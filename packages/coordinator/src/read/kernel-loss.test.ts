import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { type KernelSession, startKernel } from '@tessera/kernel';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { QueryActivity } from '../queries/query-history.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import { SequenceDemand } from '../sequences/sequence-demand.ts';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table('t', 'SELECT i::INTEGER AS a, i * 2 AS b FROM range(100) r(i)');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const runningQuery = () => ({
  signal: new AbortController().signal,
  activity: new QueryActivity(),
  admitted: undefined,
  demand: new SequenceDemand(),
  holdsResults: false,
});

/** Runs a query as statements do: again in quarantine if the kernel process was lost. */
const sum = (column: string) =>
  retryInQuarantine(runningQuery(), async (quarantine) => {
    const executable = await fixture.executable(`SELECT sum(${column}) FROM t WHERE a < 10`, { quarantine });
    try {
      return await rowsOf(executable);
    } finally {
      await executable.release();
    }
  });

test('a planning kernel that ends is filled again by the statements that come after', async () => {
  expect(await sum('a')).toEqual([['45']]);
  process.kill(fixture.mirror.status().pid!, 'SIGKILL');
  expect(await sum('b')).toEqual([['90']]);
  expect(await sum('a + b')).toEqual([['135']]);
});

test('a statement is cancelled while the planning kernel does not answer, and no other one with it', async () => {
  await fixture.table('fresh', 'SELECT 7 AS a');
  const pid = fixture.mirror.status().pid!;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  process.kill(pid, 'SIGSTOP');
  try {
    const context = fixture.context('SELECT a FROM fresh');
    const cancelled = fixture.binder.executable(context, {}).catch((error: unknown) => error);
    await expect.poll(() => fixture.mirror.status().sessions).toBe(1);
    // It waits for the relation that the first one is to make.
    const other = fixture.rows('SELECT a + 1 FROM fresh');
    await expect.poll(() => fixture.mirror.status().sessions).toBe(2);
    context.query.cancel(TesseraError.of('QUERY_CANCELLED', { reason: 'by the test' }));
    const afterFiveSeconds = () =>
      vi.advanceTimersByTimeAsync(5_000).then(() => Promise.race([cancelled, 0]));
    await expect.poll(afterFiveSeconds).toMatchObject({ name: 'QUERY_CANCELLED' });
    process.kill(pid, 'SIGCONT');
    expect(await other).toEqual([['8']]);
    expect(fixture.mirror.status().pid).toBe(pid);
  } finally {
    process.kill(pid, 'SIGCONT');
    vi.useRealTimers();
  }
});

test('a query whose kernel ends reads its tables again from files', async () => {
  await sum('a');
  await fixture.agent.settled();
  process.kill(fixture.kernel.status().pid!, 'SIGKILL');
  expect(await sum('a')).toEqual([['45']]);
  expect(await sum('a * b')).toEqual([['570']]);
});

test('a query that ran out of memory is run in quarantine only if other sessions were open at the same time', async () => {
  const attempts = async () => {
    const made: boolean[] = [];
    const failed = retryInQuarantine(runningQuery(), async (quarantine) => {
      made.push(quarantine);
      const session = await fixture.kernel.session({ quarantine });
      try {
        await session.scalar('SELECT length(range(2000000000))');
      } finally {
        await session.close();
      }
    });
    await expect(failed).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
    return made;
  };
  await fixture.agent.settled();
  // The quarantine process of an earlier test may still have a part of the memory.
  await expect.poll(attempts, { interval: 500, timeout: 60_000 }).toEqual([false]);
  const other = await fixture.kernel.session();
  expect(await attempts()).toEqual([false, true]);
  await other.close();
});

const MIB = 1 << 20;
/** Needs 256 MiB in one piece: the kernel rounds the length of a list up to a power of two. */
const LONG_LIST = 'SELECT length(range(20000000 + (random() * 0)::BIGINT))';
/** Holds a list of 8 MiB until its last row has been read. */
const HOLDS_A_LIST = 'SELECT unnest(range(1000000 + (random() * 0)::BIGINT)) AS n';

/** The memory of a process that is not shared with files. */
const ownBytes = (pid: number): number =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

test.runIf(process.platform === 'linux')(
  'a query that cannot start in quarantine is sent to the serving process again, unless its client holds results',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kernel-loss-'));
    const silent = () => undefined;
    const ceilingBytes = 480 * MIB;
    const kernel = await startKernel({
      directory,
      readableDirectories: [],
      memoryLimitBytes: 200 * MIB,
      ceilingBytes,
      threads: 1,
      bootstrap: [],
      log: { info: silent, warn: silent, error: silent },
    });
    try {
      const held: KernelSession[] = [];
      // The quarantine process needs a quarter of the ceiling.
      while (ownBytes(kernel.status().pid!) < 0.8 * ceilingBytes) {
        const session = await kernel.session();
        held.push(session);
        await session.query(HOLDS_A_LIST);
      }
      const length = async (quarantine: boolean) => {
        const session = await kernel.session({ quarantine });
        try {
          return Number(await session.scalar(LONG_LIST));
        } finally {
          await session.close();
        }
      };
      const tried: boolean[] = [];
      const beside = retryInQuarantine({ ...runningQuery(), holdsResults: true }, (quarantine) => {
        tried.push(quarantine);
        return length(quarantine);
      });
      await expect(beside).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
      expect(tried).toEqual([false, true]);
      const made: boolean[] = [];
      const found = await retryInQuarantine(runningQuery(), async (quarantine) => {
        made.push(quarantine);
        if (made.length < 3) return length(quarantine);
        for (const session of held) await session.close();
        const lengthOrUse = () =>
          length(false).catch((error) => `${error}; it has ${ownBytes(kernel.status().pid!)} bytes`);
        await expect.poll(lengthOrUse, { timeout: 60_000 }).toBe(20_000_000);
        return length(false);
      });
      expect(found).toBe(20_000_000);
      expect(made).toEqual([false, true, false]);
    } finally {
      await kernel.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
