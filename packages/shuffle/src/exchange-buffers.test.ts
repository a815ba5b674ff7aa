import { batchPayloads } from '@tessera/kernel';
import { expect, it } from 'vitest';
import { registerExchangeBuffers, report } from './exchange-buffers.ts';
import type { OutputShape } from './index.ts';
import { openNode } from './testing/shuffle-nodes.ts';

const MIB = 1 << 20;
const SHAPE: OutputShape = { columns: [{ name: 'k', type: 'BIGINT' }], hashKeys: [0] };
const { signal } = new AbortController();

it.each([
  [false, 65_536, 'warn', /Start the node after "ulimit -l 8192" .* --exchange-buffer-bytes$/],
  [true, 65_536, 'info', /^the exchange buffers are locked/],
])('whether they are locked (%s) is logged with the limit', (isLocked, limitBytes, level, message) => {
  const lines: unknown[] = [];
  const line = (name: string) => (fields: object, text: string) => void lines.push([name, fields, text]);
  report(
    { info: line('info'), warn: line('warn'), error: line('error') },
    { bytes: 8 * MIB, isLocked, limitBytes },
  );
  const fields = { bufferBytes: 8 * MIB, memlockLimitBytes: limitBytes };
  expect(lines).toEqual([[level, fields, expect.stringMatching(message)]]);
});

it('outputs are in them, then in ordinary memory, and both count', async () => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const buffers = (await registerExchangeBuffers(log, 8 * MIB))!;
  const node = await openNode({
    shuffle: { memoryBytes: 4 * MIB },
    kernel: { registeredBytes: 8 * MIB },
  });
  try {
    const rows = 1_500_000;
    const block = await node.store(0, `SELECT range FROM range(${rows})`, SHAPE);
    expect(node.shuffle.bytes - node.shuffle.diskBytes).toBeGreaterThan(9 * MIB);
    expect(batchPayloads.isRegistered(batchPayloads.take(2 * MIB))).toBe(false);
    for (const from of [0, 512]) {
      const session = await node.session();
      const part = { ...block, rows: undefined, buckets: [from, from + 512] as const };
      const fetched = await node.shuffle.fetch(session, [part], SHAPE, signal);
      expect(await session.scalar(`SELECT count(DISTINCT k) FROM ${fetched.sql}`)).toBe(fetched.rows);
      await session.close();
    }
    await node.shuffle.release(block.producer.queryId);
    expect([node.shuffle.bytes, node.shuffle.diskBytes]).toEqual([0, 0]);
    expect(batchPayloads.isRegistered(batchPayloads.take(2 * MIB))).toBe(true);
  } finally {
    await node.close();
    buffers.close();
  }
});
