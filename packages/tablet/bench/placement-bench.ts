import type { Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { placeTablets } from '../src/placement/place-tablets.ts';

/**
 * Measures how long placement takes and how many rows move when a node leaves: `node
 * packages/tablet/bench/placement-bench.ts`
 */
const GRANULARITY = 8_192;

for (const [count, nodes] of [
  [10_000, 4],
  [100_000, 100],
  [1_000_000, 1_000],
] as const) {
  const tablets = Array.from(
    { length: count },
    () => ({ id: newUlid(), rows: 100_000 }) as unknown as Tablet,
  );
  const names = Array.from({ length: nodes }, (_, i) => `node-${i}:5678`);
  const start = process.cpuUsage();
  const before = placeTablets(tablets, names, GRANULARITY);
  const cpuMs = process.cpuUsage(start).user / 1_000;
  const after = placeTablets(tablets, names.slice(1), GRANULARITY);
  const rows = new Float64Array(nodes);
  let moved = 0;
  for (const { id } of tablets) {
    const [part] = before.partsOf(id);
    rows[part!.node]! += 1;
    if (names[part!.node] !== names[after.partsOf(id)[0]!.node + 1]) moved++;
  }
  const balance = rows.reduce((a, b) => Math.max(a, b), 0) / (count / nodes);
  process.stdout.write(
    `${count} tablets, ${nodes} nodes: ${cpuMs.toFixed(0)} ms of CPU, max/mean ${balance.toFixed(3)}, ` +
      `${((100 * moved) / count).toFixed(2)} % move when a node goes (least ${(100 / nodes).toFixed(2)} %)\n`,
  );
}
