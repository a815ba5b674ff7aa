import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import type { KernelResult } from './client/result-stream.ts';
import { hasNotStarted } from './errors/failed-value.ts';
import { processMemory } from './own-memory.ts';
import { testKernel } from './testing/test-kernel.ts';

const MIB = 1 << 20;
/** Queries that fill the memory take their time where other work has the processors. */
const TIMEOUT_MS = 120_000;
const SMALL = { memoryLimitBytes: 200 * MIB, ceilingBytes: 480 * MIB, threads: 1 };
/** Under load, memory may take a while to be freed. */
const POLL = { timeout: 20_000 };
/**
 * A result that holds a list of 2^20 integers (8 MiB) until its last row has been read, and next to nothing else
 * it. A constant list would be folded, which takes 50 MiB for a moment.
 */
const HOLDS_A_LIST = 'SELECT unnest(range(1000000 + (random() * 0)::BIGINT)) AS n';

/** The bytes of memory that the system lets the process reserve. */
const reservable = (pid: number): number =>
  Number(/^Max data size\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);

describe.runIf(process.platform === 'linux')('memory of the processes of a kernel', () => {
  test('memory given to the quarantine process is taken from the serving process until the former has ended', async () => {
    await using own = await testKernel(SMALL);
    const pid = own.kernel.status().pid!;
    const whole = reservable(pid);
    // However long this takes, the process takes its second session.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const quarantined = await own.kernel.session({ quarantine: true });
    const given = whole - reservable(pid);
    expect(given).toBeGreaterThanOrEqual(SMALL.ceilingBytes / 4);
    const spare = SMALL.ceilingBytes - processMemory(pid)!.ownBytes;
    expect(Math.abs(given - spare / 2)).toBeLessThan(24 * MIB);
    const share = (given / SMALL.ceilingBytes) * SMALL.memoryLimitBytes;
    const limit = String(await quarantined.scalar("SELECT current_setting('memory_limit')"));
    expect(Number.parseFloat(limit)).toBeCloseTo(share / MIB, 0);
    const timeout = new AbortController();
    const waiting = own.kernel.session({ quarantine: true, signal: timeout.signal });
    timeout.abort(new Error('it timed out'));
    await expect(waiting).rejects.toThrow('it timed out');
    const next = own.kernel.session({ quarantine: true });
    await quarantined.close();
    await (await next).close();
    clock.mockRestore();
    await expect.poll(() => reservable(pid), POLL).toBe(whole);
  });

  test('a kernel reports a lower limit while the process that started it uses more than its share', async () => {
    await using own = await testKernel({ ...SMALL, nodeBytes: 0 });
    const { limitBytes } = await own.kernel.memory();
    expect(limitBytes).toBeLessThan(SMALL.memoryLimitBytes);
    expect(limitBytes).toBeGreaterThanOrEqual(SMALL.memoryLimitBytes / 4);
  });

  test('queries that waited too long for the quarantine process are sent back when it has ended', async () => {
    await using own = await testKernel(SMALL);
    const pid = own.kernel.status().pid!;
    const whole = reservable(pid);
    const first = await own.kernel.session({ quarantine: true });
    const waiting = [1, 2].map(() =>
      own.kernel.session({ quarantine: true }).catch((error: unknown) => error),
    );
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000);
    await first.close();
    const refused = await Promise.all(waiting);
    expect(refused.map(hasNotStarted)).toEqual([true, true]);
    clock.mockRestore();
    await expect.poll(() => reservable(pid), POLL).toBe(whole);
    const next = await own.kernel.session({ quarantine: true });
    expect(next.processId).not.toBe(first.processId);
    await next.close();
  });

  test('a query does not wait for the end of one that runs in quarantine for long', async () => {
    await using own = await testKernel(SMALL);
    const first = await own.kernel.session({ quarantine: true });
    const endless = first.scalar(
      'SELECT count(*) FROM range(1e9::BIGINT) a, range(1e9::BIGINT) b WHERE a.range * b.range % 7 = 1',
    );
    endless.catch(() => {});
    const refused = await own.kernel.session({ quarantine: true }).catch((error: unknown) => error);
    expect(hasNotStarted(refused)).toBe(true);
    expect(own.kernel.quarantined).toBe(2);
    // The next one still waits until the first has ended.
    const next = own.kernel.session({ quarantine: true });
    await first.close();
    await (await next).close();
    await expect.poll(() => own.kernel.quarantined, POLL).toBe(0);
  });

  test(
    'a query gets no second attempt where others hold the memory for it, and they go on',
    async () => {
      await using own = await testKernel(SMALL);
      const pid = own.kernel.status().pid;
      const held: { session: KernelSession; result: KernelResult }[] = [];
      // A second attempt needs a quarter of the ceiling. What is held beyond three quarters is more than is freed of it.
      while (processMemory(pid)!.ownBytes < 0.8 * SMALL.ceilingBytes) {
        const session = await own.kernel.session();
        held.push({ session, result: await session.query(HOLDS_A_LIST) });
      }
      const refused = await own.kernel.session({ quarantine: true }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        name: 'OUT_OF_MEMORY',
        message: expect.stringContaining('other queries hold the memory that a second attempt needs'),
      });
      expect(hasNotStarted(refused)).toBe(true);
      let rows = 0;
      for await (const batch of held[0]!.result.batches) rows += batch.rows;
      expect(rows).toBe(1_000_000);
      for (const { session } of held) await session.close();
      await expect.poll(() => processMemory(pid)!.ownBytes, POLL).toBeLessThan(0.6 * SMALL.ceilingBytes);
      const quarantined = await own.kernel.session({ quarantine: true });
      expect(await quarantined.scalar('SELECT 1')).toBe(1);
      await quarantined.close();
    },
    TIMEOUT_MS,
  );

  test(
    'freed memory is given back to the system',
    async () => {
      await using own = await testKernel(SMALL);
      const session = await own.kernel.session();
      const sql = 'SELECT sum(length(repeat(range::VARCHAR, 10000000))) FROM range(400)';
      await expect(session.scalar(sql)).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
      await expect
        .poll(() => processMemory(own.kernel.status().pid)!.ownBytes, POLL)
        .toBeLessThan(0.5 * SMALL.ceilingBytes);
      await session.close();
    },
    TIMEOUT_MS,
  );

  test(
    'a statement that ran out of memory has given it back when it fails, so the next one has it',
    async () => {
      const ceilingBytes = 450 * MIB;
      await using own = await testKernel({ memoryLimitBytes: 350 * MIB, ceilingBytes, threads: 1 });
      const pid = own.kernel.status().pid;
      for (let i = 0; i < 4; i++) {
        const session = await own.kernel.session();
        const failing = session.scalar('SELECT length(list(i)) FROM range(400000000) r(i)');
        await expect(failing).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
        expect(processMemory(pid)!.ownBytes, `round ${i}`).toBeLessThan(0.6 * ceilingBytes);
        await session.close();
      }
    },
    TIMEOUT_MS,
  );

  test(
    'a statement that lacked memory because freed memory was kept has it when it is sent again',
    async () => {
      await using own = await testKernel({
        memoryLimitBytes: 200 * MIB,
        ceilingBytes: 400 * MIB,
        threads: 1,
      });
      const length = async (count: number) => {
        const session = await own.kernel.session();
        try {
          return Number(await session.scalar(`SELECT length(range(${count} + (random() * 0)::BIGINT))`));
        } finally {
          await session.close();
        }
      };
      for (let round = 0; round < 4; round++) {
        // None fits into the memory that those before it have freed, which the allocator keeps for a while.
        for (const count of [5_000_000, 10_000_000, 16_000_000]) await length(count);
        // It needs 256 MiB in one piece, and fails if that is not left.
        await length(20_000_000).catch(() => undefined);
        expect(await length(20_000_000), `round ${round}`).toBe(20_000_000);
      }
    },
    TIMEOUT_MS,
  );
});
