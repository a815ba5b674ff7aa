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

/** The kernel infers the types of the columns from the first records of the first files. */
export interface CsvInference {
  readonly records: number;
  readonly files: number;
  /**
   * The formats of dates and times in the beginning of a file, as further settings of the kernel's `read_csv`, and whether
   * they are those of ISO 8601.
   * @throws TesseraError BAD_FILE
   */
  formats(head: Buffer): Promise<{ readonly settings: readonly string[]; readonly areIso: boolean }>;
}

/** The number of bytes that are read from each other file to compare its header. */
const HEADER_BYTES = 16 << 10;
/** The most bytes that are read from a file to infer types. */
const MAX_SAMPLE_BYTES = 16 * HEAD_BYTES;
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
  const inferred = options.inference && (await inferredFrom(files, options, options.inference, read));
  if (options.inference !== undefined && inferred === undefined) return undefined;
  const header = hasHeader ? head.bytes.subarray(0, head.firstEnd) : Buffer.alloc(0);
  if (hasHeader && !(await haveHeader(files, header, compression, read))) return undefined;
  const shape = { delimiter, quote, escape: escaping };
  const firstRecord = compressed(head.bytes.subarray(0, head.firstEnd), compression);
  const packed = Math.min(first.bytes, HEAD_BYTES) / start.length;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const heads = inferred?.heads ?? [head.bytes];
  const settings = settingsOf(options);
  return {
    standIns: new Map(
      files.map((_, i) => {
        const own = heads[i];
        return [i, [{ at: 0, bytes: own === undefined ? firstRecord : compressed(own, compression) }]];
      }),
    ),
    rows: bytes / (packed * (head.bytes.length / head.records)),
    format: (columns) =>
      inferred === undefined
        ? { kind: 'csv', settings, shape, columns: columns.map(({ name }) => name) }
        : { kind: 'typed csv', settings: [settings, ...inferred.formats].join(', '), shape, columns },
    units: async (columns, unitBytes, range) => {
      if (compression !== 'none') return files.map(wholeFile);
      const split = { shape, columns: columns.length, unitBytes, read: range };
      const units = await mapInTurns(files, AT_ONCE, (file) => splitCsv(file, header.length, split));
      return units.flat().map((unit) => withHeader(unit, header.length));
    },
  };
}

/**
 * The beginnings of the files from which the kernel infers the types, with all the records that it looks at, and the formats
 * of dates and times. Undefined if the kernel could infer other types or formats from whole files.
 */
async function inferredFrom(
  files: readonly ScannedFile[],
  options: CsvOptions,
  inference: CsvInference,
  read: ReadRange,
): Promise<{ readonly heads: readonly Buffer[]; readonly formats: readonly string[] } | undefined> {
  const looked = files.slice(0, inference.files);
  const found = await mapInTurns(looked, AT_ONCE, (file) => sampleOf(file, options, inference.records, read));
  const heads = found.filter((head) => head !== undefined);
  if (heads.length < looked.length) return undefined;
  const { settings, areIso } = await inference.formats(heads[0]!);
  // The kernel infers formats for each file by itself.
  return files.length > 1 && !areIso ? undefined : { heads, formats: settings };
}

/** The beginning of a file with this many records, or the whole file; undefined if the records are very long. */
async function sampleOf(
  file: ScannedFile,
  options: CsvOptions,
  records: number,
  read: ReadRange,
): Promise<Buffer | undefined> {
  for (let bytes = HEAD_BYTES; ; bytes *= 4) {
    const start = await decompressedHead(file, bytes, options.compression, read);
    if (bytes >= file.bytes) return start;
    const head = wholeRecords(start, options);
    if (head !== undefined && head.records > records) return head.bytes;
    if (bytes >= MAX_SAMPLE_BYTES) return undefined;
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
