import { asQueryId } from '@tessera/common';
import { registerBuffers } from '@tessera/kernel';
import type { OutputShape } from '../src/index.ts';
import { openNode } from '../src/testing/shuffle-nodes.ts';

/**
 * A node of the benchmark in a process of its own: it stores and serves outputs on request, and reports its
 * resource use.
 */
const [outputBytes, registeredBytes] = process.argv.slice(2).map(Number) as [number, number];
if (registeredBytes > 0) await registerBuffers(registeredBytes);
const node = await openNode({
  kernel: { memoryLimitBytes: 4e9, registeredBytes },
  shuffle: { memoryBytes: outputBytes - registeredBytes },
});
process.send?.({
  address: node.address,
  incarnation: node.shuffle.incarnation,
  kernel: node.kernel.status().pid,
});
type Order = { readonly prepare: string } | { readonly sql: string; readonly shape: OutputShape } | 'stop';

// The benchmark process has ended.
process.on('disconnect', () => process.exit(1));
process.on('message', async (order: Order) => {
  if (order === 'stop') {
    await node.close();
    process.exit(0);
  }
  if ('prepare' in order) {
    const session = await node.session();
    await session.execute(order.prepare);
    process.send?.('prepared');
    return;
  }
  await node.shuffle.release(asQueryId('query'));
  process.send?.(await node.store(0, order.sql, order.shape));
});
