import { open } from 'node:fs/promises';
import { readInto, writeAt } from '@tessera/common';
import type { FooterDocument, RowGroup } from '@tessera/tablet';
import type { FileUnit, ReadRange, ScannedFile, ScanReader } from '../file-scan.ts';
import { type Footer, footerBytes, readFooter } from './footer.ts';

/** Gaps up to this size are read together with the wanted bytes around them. */
const GAP_BYTES = 256 << 10;
/** Files with at most this part of unwanted bytes are read whole: these bytes cost less than asking for the footer first. */
const UNWANTED_PART = 1 / 16;
const RANGE_BYTES = 32 << 20;

export interface FetchedParquet {
  /** The footer of the complete file. */
  readonly document: FooterDocument;
  readonly rows: number;
  /** The stored bytes of the counted columns. */
  readonly bytes: number;
}

/** Names of columns of a file, in any case. */
export interface WantedColumns {
  readonly columns: readonly string[];
  /** The columns whose bytes count as read, in lower case; undefined for all columns. */
  readonly counted: readonly string[] | undefined;
}

/** Fetches Parquet files of which a task wants the same columns. */
export class ParquetFetcher {
  readonly #reader: ScanReader;
  /** The part of the first file that was wanted, between 0 and 1. The other files are expected to be alike. */
  #wantedPart: Promise<number> | undefined;

  /** @param reader one that fails if a file ends early */
  constructor(reader: ScanReader) {
    this.#reader = reader;
  }

  /** Writes the row groups of a unit into a new file that has at least the pages of the wanted columns. */
  async fetch(
    unit: Pick<FileUnit, 'file' | 'part'>,
    path: string,
    wantedIn: (document: FooterDocument) => WantedColumns,
  ): Promise<FetchedParquet> {
    const { file, part } = unit;
    if (part === undefined && this.#wantedPart !== undefined) {
      const unwanted = file.bytes * (1 - (await this.#wantedPart));
      if (unwanted <= Math.max(GAP_BYTES, file.bytes * UNWANTED_PART))
        return this.#fetchWhole(file, path, wantedIn);
    }
    const reading = readFooter(file, this.#reader.range);
    this.#wantedPart ??= reading.then(
      (footer) => wantedPart(file, footer, wantedIn(footer.document)),
      () => 0,
    );
    const footer = await reading;
    const wanted = wantedIn(footer.document);
    await this.#fetchRanges(unit, path, footer, wanted);
    return fetchedFrom(footer.document, part, wanted);
  }

  async #fetchWhole(
    file: ScannedFile,
    path: string,
    wantedIn: (document: FooterDocument) => WantedColumns,
  ): Promise<FetchedParquet> {
    await using target = await open(path, 'wx+', 0o600);
    for (const { start, end } of pieces(0, file.bytes))
      await this.#reader.copy(file, start, end, (bytes, position) => writeAt(target, bytes, position));
    const read: ReadRange = async (_, start, end) => {
      const bytes = Buffer.allocUnsafe(end - start);
      return bytes.subarray(0, await readInto(target, bytes, start));
    };
    const { document } = await readFooter(file, read);
    return fetchedFrom(document, undefined, wantedIn(document));
  }

  /** The file is sparse, with holes for the pages of unwanted columns. */
  async #fetchRanges(
    { file, part }: Pick<FileUnit, 'file' | 'part'>,
    path: string,
    { document, offset }: Footer,
    { columns }: WantedColumns,
  ): Promise<void> {
    const groups = document.read().rowGroups;
    const [from, to] = part ?? [0, groups.length];
    await using target = await open(path, 'wx', 0o600);
    await target.write('PAR1', 0, 'latin1');
    for (const { start, end } of wantedRanges(groups.slice(from, to), columns))
      await this.#reader.copy(file, start, end, (bytes, position) => writeAt(target, bytes, position));
    await target.write(footerBytes(document.only(from, to)), 0, null, offset);
  }
}

function wantedPart(
  { bytes }: ScannedFile,
  { document, offset }: Footer,
  { columns }: WantedColumns,
): number {
  const ranges = wantedRanges(document.read().rowGroups, columns);
  return (ranges.reduce((sum, { start, end }) => sum + end - start, 0) + bytes - offset) / bytes;
}

function fetchedFrom(
  document: FooterDocument,
  part: FileUnit['part'],
  { counted }: WantedColumns,
): FetchedParquet {
  const groups = document.read().rowGroups.slice(...(part ?? []));
  return { document, ...countedIn(groups, counted && new Set(counted)) };
}

function wantedRanges(groups: readonly RowGroup[], columns: readonly string[]) {
  const wanted = new Set(columns.map((name) => name.toLowerCase()));
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
): Omit<FetchedParquet, 'document'> {
  let [rows, bytes] = [0, 0];
  for (const group of groups) {
    rows += group.rows;
    for (const chunk of group.chunks)
      if (counted === undefined || counted.has((chunk.path[0] ?? '').toLowerCase())) bytes += chunk.bytes;
  }
  return { rows, bytes };
}
