import type { RowGroup } from '../body/parquet-footer.ts';

/** The row groups `from` to `to` (exclusive) of a body. */
export interface Division {
  readonly from: number;
  readonly to: number;
}

/**
 * Divides a body's row groups into as few runs of nearly equal size as possible, each below `maxBytes` and
 * none below `minBytes`, unless all together are smaller. If both limits cannot be met, runs are larger. A
 * row group is never divided.
 */
export function divideBody(groups: readonly RowGroup[], minBytes: number, maxBytes: number): Division[] {
  const sizes = groups.map(({ chunks }) => chunks.reduce((sum, chunk) => sum + chunk.bytes, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  // A run ends within half a row group of its ideal end.
  const room = Math.max(maxBytes - Math.max(...sizes, 0) / 2, maxBytes / 2);
  const runs = Math.min(Math.ceil(total / room), Math.floor(total / Math.max(1, minBytes)));
  const target = total / Math.max(1, runs);
  const divisions: Division[] = [];
  let from = 0;
  let passed = 0;
  for (const [i, size] of sizes.entries()) {
    const end = target * (divisions.length + 1);
    if (i > from && passed + size / 2 > end && divisions.length + 1 < runs) {
      divisions.push({ from, to: i });
      from = i;
    }
    passed += size;
  }
  if (from < groups.length) divisions.push({ from, to: groups.length });
  return divisions;
}
