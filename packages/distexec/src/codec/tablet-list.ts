import type { DeletionVector, TableObject, Tablet, TabletId, TabletLayout } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ScanTablet } from '@tessera/storage-agent';
import type { TabletKeys } from '@tessera/tablet';

/**
 * The tablets of one table as JSON. Each is an array of the properties that storage agents need, about 120
 * bytes. Statistics, values of partition expressions and the creation time are left out. A key of `1` means
 * that it follows from the ids, as it does in the managed store.
 */
type TabletRow = readonly [
  id: string,
  schemaVersion: number,
  layout: TabletLayout,
  key: string | 0 | 1,
  rows: number,
  bytes: number,
  uncompressedBytes: number,
  granules: number,
  headerOffset: number,
  footerOffset: number,
  tailCrc32c: number,
  inline?: string | 0,
  vector?: VectorRow | 0,
  /** Runs of numbers as pairs of first and last: first, last, first, last, … */
  needed?: readonly number[] | 0,
  /** Starts and ends of row ranges, alternating. */
  rows?: readonly number[] | 0,
  /** A position in the list's `keys`, and the approximate number of rows with these keys. */
  keys?: readonly [position: number, rows: number],
];

/** A list in which some tablets are read by keys; each set of keys is written once. */
interface KeyedList {
  readonly keys: readonly KeysRow[];
  readonly tablets: readonly TabletRow[];
}

type KeysRow = readonly [column: number, ranges: TabletKeys['ranges']];

type VectorRow = readonly [rows: number, inline: string | 0, key: string | 0];

/** Encodes `TableScan.tablets`, which must all belong to the table. */
export function encodeTablets(table: TableObject, tablets: readonly ScanTablet[]): Uint8Array {
  let bytes = encoded.get(tablets);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(listOf(table, tablets)));
    encoded.set(tablets, bytes);
  }
  return bytes;
}

/** A cache, because many queries use the same lists of tablets. */
const encoded = new WeakMap<readonly ScanTablet[], Uint8Array>();

function listOf(table: TableObject, tablets: readonly ScanTablet[]): readonly TabletRow[] | KeyedList {
  if (tablets.every(({ keys }) => keys === undefined)) return tablets.map((scan) => rowOf(table, scan));
  const positions = new Map<string, number>();
  const rows = tablets.map((scan) => {
    const { keys } = scan;
    if (keys === undefined) return rowOf(table, scan);
    const text = JSON.stringify([keys.column, keys.ranges] satisfies KeysRow);
    if (!positions.has(text)) positions.set(text, positions.size);
    return rowOf(table, scan, [positions.get(text)!, keys.rows]);
  });
  return { keys: [...positions.keys()].map((text) => JSON.parse(text) as KeysRow), tablets: rows };
}

function rowOf(
  table: TableObject,
  { tablet, vector, granules, rows }: ScanTablet,
  keys?: readonly [position: number, rows: number],
): TabletRow {
  const { key } = tablet;
  const row: TabletRow = [
    tablet.id,
    tablet.schemaVersion,
    tablet.layout,
    key === undefined ? 0 : key === managedKey(table, tablet.id) ? 1 : key,
    tablet.rows,
    tablet.bytes,
    tablet.uncompressedBytes,
    tablet.granules,
    tablet.headerOffset,
    tablet.footerOffset,
    tablet.tailCrc32c,
  ];
  const more = [tablet.inline, vector, granules, rows, keys];
  if (more.every((value) => value === undefined)) return row;
  return [
    ...row,
    tablet.inline ?? 0,
    vector === undefined ? 0 : [vector.rows, vector.inline ?? 0, vector.key ?? 0],
    granules === undefined ? 0 : runsOf(granules),
    rows === undefined ? 0 : rows.flatMap(({ start, end }) => [start, end]),
    ...(keys === undefined ? [] : [keys]),
  ] as unknown as TabletRow;
}

/** @throws TesseraError BAD_REQUEST for an invalid list */
export function decodeTablets(table: TableObject, bytes: Uint8Array): ScanTablet[] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const list = JSON.parse(text) as readonly TabletRow[] | KeyedList;
    const [rows, keys] = 'tablets' in list ? [list.tablets, list.keys] : [list, []];
    return rows.map((row) => scanOf(table, row, keys));
  } catch (cause) {
    throw TesseraError.of('BAD_REQUEST', { message: 'A list of tablets cannot be read' }, { cause });
  }
}

function scanOf(table: TableObject, row: TabletRow, allKeys: readonly KeysRow[]): ScanTablet {
  const [id, schemaVersion, layout, key, rows, bytes, uncompressedBytes, granules, ...more] = row;
  const [headerOffset, footerOffset, tailCrc32c, inline, vector, needed, ranges, keys] = more;
  const tabletId = id as TabletId;
  const tablet: Tablet = {
    id: tabletId,
    tableId: table.id,
    schemaVersion,
    layout,
    ...(key !== 0 && { key: key === 1 ? managedKey(table, id) : key }),
    ...(inline && { inline }),
    rows,
    bytes,
    uncompressedBytes,
    granules,
    headerOffset,
    footerOffset,
    tailCrc32c,
    partition: [],
    statistics: [],
    createdAt: '',
  };
  return {
    tablet,
    ...(vector && { vector: vectorOf(table, tabletId, vector) }),
    ...(needed && { granules: numbersOf(needed) }),
    ...(ranges && { rows: rangesOf(ranges) }),
    ...(keys && { keys: keysOf(allKeys[keys[0]]!, keys[1]) }),
  };
}

const managedKey = (table: TableObject, id: string): string => `tablets/${table.id}/${id}.parquet`;

const vectorOf = (
  table: TableObject,
  tabletId: TabletId,
  [rows, inline, key]: VectorRow,
): DeletionVector => ({
  tabletId,
  tableId: table.id,
  rows,
  ...(inline !== 0 && { inline }),
  ...(key !== 0 && { key }),
});

function runsOf(ascending: readonly number[]): number[] {
  const runs: number[] = [];
  for (const number of ascending) {
    if (runs.length > 0 && runs.at(-1) === number - 1) runs[runs.length - 1] = number;
    else runs.push(number, number);
  }
  return runs;
}

function numbersOf(runs: readonly number[]): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let number = runs[i]!; number <= runs[i + 1]!; number++) numbers.push(number);
  }
  return numbers;
}

const keysOf = ([column, ranges]: KeysRow, rows: number): TabletKeys => ({ column, ranges, rows });

const rangesOf = (bounds: readonly number[]) =>
  bounds.flatMap((start, i) => (i % 2 === 0 ? [{ start, end: bounds[i + 1]! }] : []));
