import { quoteText } from '@tessera/kernel';
import { compressed, decompressedHead, HEAD_BYTES, isByte, wholeRecords } from '../csv/csv-head.ts';
import { splitCsv } from '../csv/split-csv.ts';
import type { CompressedCsv, FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { wholeFile } from '../whole-file.ts';
import type { FormatPlan } from './planned-scan.ts';

/** How CSV files are read. Every column is text, and rows have as many fields as the first row. */
export interface CsvOptions extends CompressedCsv {
  readonly hasHeader: boolean;
  /** The texts that represent NULL. */
  readonly nulls: readonly string[];
}

/** The number of bytes that are read from each other file to compare its header. */
const HEADER_BYTES = 16 << 10;
const AT_ONCE = 16;

/** Undefined if reading the files in parts could return other rows than reading them whole. */
export async function planCsv(
  files: readonly ScannedFile[],
  options: CsvOptions,
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  const { delimiter, quote, escape: escaping, hasHeader, compression } = options;
  if (!isByte(delimiter) || ![quote, escaping].every((text) => text === '' || isByte(text))) return undefined;
  const [first] = files;
  if (first === undefined || files.some(({ bytes }) => bytes === 0)) return undefined;
  const start = await decompressedHead(first, HEAD_BYTES, compression, read);
  const head = wholeRecords(start, options);
  if (head === undefined) return undefined;
  const header = hasHeader ? head.bytes.subarray(0, head.firstEnd) : Buffer.alloc(0);
  if (hasHeader && !(await haveHeader(files, header, compression, read))) return undefined;
  const shape = { delimiter, quote, escape: escaping };
  const firstRecord = compressed(head.bytes.subarray(0, head.firstEnd), compression);
  const packed = Math.min(first.bytes, HEAD_BYTES) / start.length;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    standIns: new Map(
      files.map((_, i) => [i, [{ at: 0, bytes: i > 0 ? firstRecord : compressed(head.bytes, compression) }]]),
    ),
    rows: bytes / (packed * (head.bytes.length / head.records)),
    format: (columns) => ({ kind: 'csv', settings: settingsOf(options), shape, columns }),
    units: async (columns, unitBytes, range) => {
      if (compression !== 'none') return files.map(wholeFile);
      const split = { shape, columns: columns.length, unitBytes, read: range };
      const units = await mapInTurns(files, AT_ONCE, (file) => splitCsv(file, header.length, split));
      return units.flat().map((unit) => withHeader(unit, header.length));
    },
  };
}

/** Reading the first part of a file also counts as reading its header. */
const withHeader = (unit: FileUnit, headerBytes: number): FileUnit =>
  unit.part?.[0] === headerBytes ? { ...unit, bytes: unit.bytes + headerBytes } : unit;

function settingsOf(options: CsvOptions): string {
  const { delimiter, quote, hasHeader, compression, nulls } = options;
  return [
    `delim = ${quoteText(delimiter)}`,
    `quote = ${quoteText(quote)}`,
    `escape = ${quoteText(options.escape)}`,
    // Parts of uncompressed files begin after the header.
    `header = ${hasHeader && compression !== 'none'}`,
    'skip = 0',
    `nullstr = [${nulls.map(quoteText).join(', ')}]`,
    'allow_quoted_nulls = false',
    `compression = ${quoteText(compression)}`,
    // The kernel's default reserves 32 MB per buffer, even for the smallest file.
    `buffer_size = ${8 << 20}`,
  ].join(', ');
}

async function haveHeader(
  files: readonly ScannedFile[],
  header: Buffer,
  compression: CsvOptions['compression'],
  read: ReadRange,
): Promise<boolean> {
  const bytes = Math.max(HEADER_BYTES, header.length);
  const same = await mapInTurns(files.slice(1), AT_ONCE, async (file) => {
    const head = await decompressedHead(file, bytes, compression, read);
    return head.subarray(0, header.length).equals(header);
  });
  return same.every((one) => one);
}
