import { distinctValues } from '@tessera/tablet';
import { rowsIn } from '../scan/row-ranges.ts';
import { rowsOf } from '../scan/scan-rows.ts';
import { rowsWithKeys } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';
import type { Desired } from './table-demand.ts';

/** The room that resident tables may still use. */
export interface Room {
  readonly bytes: number;
  readonly tablets: number;
}

/**
 * The size of the tablets that one statement loads, also as a share of the kernel's memory: while it runs, its rows are in memory
 * uncompressed, and queries need memory in addition to them.
 */
const GROUP_BYTES = 512 << 20;
const GROUP_SHARE = 1 / 8;
const GROUP_TABLETS = 128;

/** The estimated memory in bytes that the columns of the tablets occupy before they are compressed. */
export function estimatedMemory({ columns, table }: Desired, tablets: readonly ScanTablet[]): number {
  const share = columns.length / table.columns.length;
  return tablets.reduce((sum, scan) => {
    const { uncompressedBytes, rows } = scan.tablet;
    return sum + (uncompressedBytes * share * rowsWithKeys(scan, rowsIn(rowsOf(scan)))) / rows;
  }, 0);
}

/** The longest prefix of the tablets for which there is room. */
export function tabletsThatFit(
  desired: Desired,
  tablets: readonly ScanTablet[],
  room: Room,
): readonly ScanTablet[] {
  let { bytes } = room;
  const end = tablets.findIndex((scan, i) => {
    bytes -= estimatedMemory(desired, [scan]);
    return bytes < 0 || i >= room.tablets;
  });
  return end === -1 ? tablets : tablets.slice(0, end);
}

/** The most bytes that are loaded at once, uncompressed. */
export const groupBytes = (memoryLimitBytes: number): number =>
  Math.min(GROUP_BYTES, memoryLimitBytes * GROUP_SHARE);

/** Groups of consecutive tablets, each small enough to be loaded at once. */
export function* tabletGroups(
  desired: Desired,
  tablets: readonly ScanTablet[],
  mostBytes: number,
): Generator<ScanTablet[]> {
  let group: ScanTablet[] = [];
  let bytes = 0;
  for (const scan of tablets) {
    const more = estimatedMemory(desired, [scan]);
    if (group.length > 0 && (group.length === GROUP_TABLETS || bytes + more > mostBytes)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(scan);
    bytes += more;
  }
  if (group.length > 0) yield group;
}

/**
 * As long as the tables in memory occupy at most this share of the kernel's memory, text columns with many distinct values are not
 * compressed: they then take two to three times the memory, and are searched and compared in half of the time.
 */
const SHARE_WITHOUT_COMPRESSION = 1 / 4;
/** The kernel has a dictionary of the texts of this many rows. */
const DICTIONARY_ROWS = 122_880;
/** A column has many distinct values if more than this share of those in a dictionary's rows are distinct. */
const MANY_DISTINCT = 0.2;
const TEXT = /^(?:TEXT|VARCHAR|STRING)$/i;

/** Whether tables of this size may have texts that are not compressed. */
export const fitsUncompressed = (bytes: number, memoryLimitBytes: number): boolean =>
  bytes <= memoryLimitBytes * SHARE_WITHOUT_COMPRESSION;

/** The ids of the text columns with many distinct values, as far as the tablets tell. */
export function variedTexts({ columns }: Desired, scans: readonly ScanTablet[]): ReadonlySet<number> {
  const tablets = scans.map(({ tablet }) => tablet);
  const rows = tablets.reduce((sum, tablet) => sum + tablet.rows, 0);
  const few = MANY_DISTINCT * Math.min(rows, DICTIONARY_ROWS);
  return new Set(
    columns
      .filter(({ id, type }) => TEXT.test(type) && (distinctValues(id, tablets) ?? 0) > few)
      .map(({ id }) => id),
  );
}
