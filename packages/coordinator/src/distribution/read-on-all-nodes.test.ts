import type { ScanTablet } from '@tessera/storage-agent';
import { describe, expect, it } from 'vitest';
import { readByScans } from './read-on-all-nodes.ts';

const TABLETS = ['a', 'b', 'c'].map((id) => ({ id, rows: 1000, granules: 10 }));

/** A scan of granules of each of three tablets, with the given number of stored bytes a row; undefined means all granules. */
function scan(
  columns: readonly string[],
  bytesPerRow: number,
  granules: readonly (readonly number[] | undefined)[] = [undefined, undefined, undefined],
) {
  const chosen = TABLETS.map((tablet, i) => ({ tablet, granules: granules[i] }) as unknown as ScanTablet);
  const rows = granules.reduce((sum, some) => sum + (some?.length ?? 10) * 100, 0);
  return { columns, chosen, read: { rows, bytes: bytesPerRow * rows, bytesFromStorage: 0 } };
}

describe('several scans of a table', () => {
  it('count each row and each column once', () => {
    const [a, b, ab] = [scan(['a'], 3), scan(['b'], 1), scan(['a', 'b'], 4)];
    expect(readByScans([a])).toEqual(a.read);
    for (const scans of [
      [a, b],
      [b, a],
      [a, ab],
      [ab, b, a],
      [ab, ab],
    ])
      expect(readByScans(scans)).toMatchObject({ rows: 3000, bytes: 12_000 });
  });

  it('count the granules that one of them reads', () => {
    const [first, last] = [scan(['a'], 3, [[0, 1], [], []]), scan(['a'], 3, [[], [], undefined])];
    expect(readByScans([first, last])).toMatchObject({ rows: 1200, bytes: 3600 });
    expect(readByScans([first, scan(['a'], 3, [[1, 2], [], []])])).toMatchObject({ rows: 300 });
    expect(readByScans([first, scan(['a'], 3)])).toMatchObject({ rows: 3000, bytes: 9000 });
  });

  it('count no more than one of them if it read more than was chosen, from a table in memory', () => {
    const whole = {
      ...scan(['a'], 3, [[0], [], []]),
      read: { rows: 1000, bytes: 3000, bytesFromStorage: 0 },
    };
    expect(readByScans([whole, whole])).toMatchObject({ rows: 1000, bytes: 3000 });
  });

  it('count the files that all of them read once', () => {
    const files = { ...scan(['a'], 3), chosen: undefined };
    expect(readByScans([files, files])).toEqual(files.read);
  });
});
