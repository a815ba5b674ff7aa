import { open } from 'node:fs/promises';
import { writeAt } from '@tessera/common';
import type { RowGroup } from '@tessera/tablet';
import type { CopyRange, FileFormat, FileUnit } from '../file-scan.ts';
import { type Footer, footerBytes } from './footer.ts';

/** Gaps up to this size are read together with the wanted bytes around them. */
const GAP_BYTES = 256 << 10;
const RANGE_BYTES = 8 << 20;

export interface FetchedParquet {
  readonly rows: number;
  /** The stored bytes of the counted columns. */
  readonly bytes: number;
}

export interface WantedParquet {
  /** The footer of the file. */
  readonly footer: Footer;
  /** Names of the columns to read, in any case. */
  readonly columns: readonly string[];
  readonly counted: Extract<FileFormat, { kind: 'parquet' }>['counted'];
  readonly copy: CopyRange;
}

/**
 * Writes the row groups of a unit into a new sparse file. It has the pages of the wanted columns, and holes
 * for all others.
 */
export async function fetchParquet(
  { file, part }: Pick<FileUnit, 'file' | 'part'>,
  path: string,
  { footer: { document, offset }, columns, counted, copy }: WantedParquet,
): Promise<FetchedParquet> {
  const groups = document.read().rowGroups;
  const [from, to] = part ?? [0, groups.length];
  const wanted = new Set(columns.map((name) => name.toLowerCase()));
  const target = await open(path, 'wx', 0o600);
  try {
    await target.write('PAR1', 0, 'latin1');
    for (const { start, end } of wantedRanges(groups.slice(from, to), wanted)) {
      await copy(file, start, end, (bytes, position) => writeAt(target, bytes, position));
    }
    await target.write(footerBytes(document.only(from, to)), 0, null, offset);
  } finally {
    await target.close();
  }
  return countedIn(groups.slice(from, to), counted && new Set(counted));
}

function wantedRanges(groups: readonly RowGroup[], wanted: ReadonlySet<string>) {
  const chunks = groups
    .flatMap(({ chunks }) => chunks)
    .filter(({ path }) => wanted.has((path[0] ?? '').toLowerCase()))
    .map(({ offset, bytes }) => ({ start: offset, end: offset + bytes }))
    .sort((a, b) => a.start - b.start);
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of chunks) {
    const last = ranges.at(-1);
    if (last !== undefined && start - last.end <= GAP_BYTES && end - last.start <= RANGE_BYTES)
      last.end = end;
    else ranges.push({ start, end });
  }
  return ranges.flatMap(({ start, end }) => pieces(start, end));
}

function pieces(start: number, end: number) {
  const count = Math.ceil((end - start) / RANGE_BYTES);
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * RANGE_BYTES,
    end: Math.min(end, start + (i + 1) * RANGE_BYTES),
  }));
}

export function countedIn(
  groups: readonly RowGroup[],
  counted: ReadonlySet<string> | undefined,
): FetchedParquet {
  let [rows, bytes] = [0, 0];
  for (const group of groups) {
    rows += group.rows;
    for (const chunk of group.chunks)
      if (counted === undefined || counted.has((chunk.path[0] ?? '').toLowerCase())) bytes += chunk.bytes;
  }
  return { rows, bytes };
}
