import type { RowGroup } from '../body/parquet-footer.ts';

/** Row groups `from` to `to` (exclusive) of a body. */
export interface Division {
  readonly from: number;
  readonly to: number;
}

/**
 * A body's row groups as runs of nearly equal size, as few as keep each at `maxBytes`; a row group larger than that is a
 * run of its own.
 */
export function divideBody(groups: readonly RowGroup[], maxBytes: number): Division[] {
  const sizes = groups.map(({ chunks }) => chunks.reduce((sum, chunk) => sum + chunk.bytes, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const target = total / Math.max(1, Math.ceil(total / maxBytes));
  const divisions: Division[] = [];
  let from = 0;
  let bytes = 0;
  let passed = 0;
  for (const [i, size] of sizes.entries()) {
    const boundary = target * (divisions.length + 1);
    // The run ends where its end is nearest to the boundary.
    if (i > from && (bytes + size > maxBytes || passed + size / 2 > boundary)) {
      divisions.push({ from, to: i });
      from = i;
      bytes = 0;
    }
    bytes += size;
    passed += size;
  }
  if (from < groups.length) divisions.push({ from, to: groups.length });
  return divisions;
}
