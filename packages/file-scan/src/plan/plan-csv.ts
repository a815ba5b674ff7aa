import { quoteText } from '@tessera/kernel';
import { compressed, decompressedHead, HEAD_BYTES, isByte, wholeRecords } from '../csv/csv-head.ts';
import { splitCsv } from '../csv/split-csv.ts';
import type { CompressedCsv, FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { wholeFile } from '../whole-file.ts';
import type { FormatPlan } from './planned-scan.ts';

/** How CSV files are read. Rows have as many fields as the first row. */
export interface CsvOptions extends CompressedCsv {
  readonly hasHeader: boolean;
  /** The texts that represent NULL. */
  readonly nulls: readonly string[];
  /** How the types of the columns are inferred; if it is absent, every column is text. */
  readonly inference?: CsvInference | undefined;
}

/** How many records of how many files the kernel reads to infer the types of the columns, and the formats that it is given. */
export interface CsvInference {
  readonly records: number;
  readonly files: number;
  /**
   * The formats of dates and times in the beginning of the first file, as further settings of the kernel's `read_csv`. The
   * kernel reads all files with them.
   * @throws TesseraError BAD_FILE
   */
  formats(head: Buffer): Promise<readonly string[]>;
}

/** The number of bytes that are read from each other file to compare its header. */
const HEADER_BYTES = 16 << 10;
/** The most bytes that are read from a file to see its first records. */
const MAX_HEAD_BYTES = 16 * HEAD_BYTES;
const AT_ONCE = 16;

/** Undefined if reading the files in parts could return other rows than reading them whole. */
export async function planCsv(
  files: readonly ScannedFile[],
  options: CsvOptions,
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  const { delimiter, quote, escape: escaping, hasHeader, compression } = options;
  if (!isByte(delimiter) || ![quote, escaping].every((text) => text === '' || isByte(text))) return undefined;
  if (files.some(({ bytes }) => bytes === 0)) return undefined;
  const { inference } = options;
  const looked = files.slice(0, inference?.files ?? 1);
  const heads = await mapInTurns(looked, AT_ONCE, (file) =>
    headOf(file, options, inference?.records ?? 0, read),
  );
  const [first] = heads;
  if (first === undefined || heads.includes(undefined)) return undefined;
  const firstRecord = first.bytes.subarray(0, first.firstEnd);
  const header = hasHeader ? firstRecord : Buffer.alloc(0);
  if (hasHeader && !(await haveHeader(files, header, compression, read))) return undefined;
  const shape = { delimiter, quote, escape: escaping, compression };
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const settings = settingsOf(options);
  const formats = await inference?.formats(first.bytes);
  return {
    standIns: new Map(
      files.map((_, i) => [i, [{ at: 0, bytes: compressed(heads[i]?.bytes ?? firstRecord, compression) }]]),
    ),
    rows: (bytes * first.records) / first.storedBytes,
    format: (columns) =>
      formats === undefined
        ? { kind: 'csv', settings, shape, columns: columns.map(({ name }) => name) }
        : { kind: 'typed csv', settings: [settings, ...formats].join(', '), shape, columns },
    units: async (columns, unitBytes, range) => {
      if (compression !== 'none') return files.map(wholeFile);
      const split = { shape, columns: columns.length, unitBytes, read: range };
      const units = await mapInTurns(files, AT_ONCE, (file) => splitCsv(file, header.length, split));
      return units.flat().map((unit) => withHeader(unit, header.length));
    },
  };
}

/**
 * The beginning of a file with more than a number of records, or the whole file. Undefined if its records are very long, or if it
 * has no line feed.
 */
async function headOf(file: ScannedFile, options: CsvOptions, records: number, read: ReadRange) {
  for (let bytes = HEAD_BYTES; ; bytes *= 4) {
    const text = await decompressedHead(file, bytes, options.compression, read);
    const head = wholeRecords(text, options);
    const isWhole = bytes >= file.bytes;
    if (head !== undefined && (isWhole || head.records > records)) {
      const storedBytes = (Math.min(file.bytes, bytes) * head.bytes.length) / text.length;
      return { ...head, storedBytes, bytes: isWhole ? text : head.bytes };
    }
    if (isWhole || bytes >= MAX_HEAD_BYTES) return undefined;
  }
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
