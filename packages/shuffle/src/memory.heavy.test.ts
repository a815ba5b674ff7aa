import { readFileSync } from 'node:fs';
import { asQueryId } from '@tessera/common';
import { expect, it } from 'vitest';
import type { OutputShape, ShuffleBlock } from './index.ts';
import { openNode, type TestNode } from './testing/shuffle-nodes.ts';

const BUDGET_BYTES = 64 << 20;
/** Buffers of sockets and appends, which do not depend on the budget. */
const KERNEL_FIXED_BYTES = 128 << 20;
/** The same, and buffers that await a collection: during a fetch, V8 collects when heap and buffers grow by a factor. */
const PROCESS_FIXED_BYTES = 192 << 20;
/** Blocks that sessions which are still open may keep, where more than a gigabyte was spilled. */
const KEPT_BYTES = 16 << 20;
const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 'd', type: 'DOUBLE' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const rowsOf = (from: number, to: number) =>
  `SELECT i, i * 0.5, 'a text that does not fit beside its length ' || i FROM range(${from}, ${to}) AS t(i)`;
const TASKS = 8;
const ROWS = 1_200_000;
const { signal } = new AbortController();

/** The resident memory of the process in bytes. */
function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}

/**
 * The highest memory use of the kernels, and of this process for both nodes, while something runs, relative
 * to the use before.
 */
async function peak<T>(
  nodes: readonly TestNode[],
  run: () => Promise<T>,
): Promise<{ peaks: number[]; result: T }> {
  const pids = [...nodes.map((node) => node.kernel.status().pid!), process.pid];
  const before = pids.map(residentBytes);
  const peaks = pids.map(() => 0);
  const look = () =>
    pids.forEach((pid, i) => {
      peaks[i] = Math.max(peaks[i]!, residentBytes(pid) - before[i]!);
    });
  const timer = setInterval(look, 20);
  try {
    const result = await run();
    look();
    return { peaks, result };
  } finally {
    clearInterval(timer);
  }
}

it('rows of ten times the memory of two nodes are transferred', async () => {
  const options = {
    kernel: { memoryLimitBytes: BUDGET_BYTES },
    shuffle: { memoryBytes: BUDGET_BYTES / 4 },
  };
  const [a, b] = await Promise.all([openNode(options), openNode(options)]);
  try {
    await b.shuffle.fetch(
      await b.session(),
      [await a.store(TASKS, rowsOf(0, 200_000), SHAPE)],
      SHAPE,
      signal,
    );
    await a.shuffle.release(asQueryId('query'));
    const { peaks, result } = await peak([a, b], async () => {
      const blocks: ShuffleBlock[] = [];
      for (let task = 0; task < TASKS; task++) {
        blocks.push(await a.store(task, rowsOf(task * ROWS, (task + 1) * ROWS), SHAPE));
      }
      expect(a.shuffle.bytes).toBeGreaterThan(10 * BUDGET_BYTES);
      const session = await b.session();
      const { sql, rows } = await b.shuffle.fetch(session, blocks, SHAPE, signal);
      const sum = await session.scalar(`SELECT sum(k)::VARCHAR FROM ${sql} WHERE t LIKE '% ' || k`);
      await session.close();
      return { rows, sum };
    });
    const count = TASKS * ROWS;
    expect(result).toEqual({ rows: count, sum: String((BigInt(count) * BigInt(count - 1)) / 2n) });
    const processPeak = peaks.pop();
    expect(processPeak).toBeLessThan(1.2 * BUDGET_BYTES + PROCESS_FIXED_BYTES);
    for (const bytes of peaks) expect(bytes).toBeLessThan(1.2 * BUDGET_BYTES + KERNEL_FIXED_BYTES);
    await a.shuffle.release(asQueryId('query'));
    for (const { kernel } of [a, b]) {
      const spilled = async () => (await kernel.memory()).spilledBytes;
      await expect.poll(spilled, { timeout: 20_000 }).toBeLessThan(KEPT_BYTES);
    }
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
}, 240_000);
