import { open } from 'node:fs/promises';
import type { ObjectCredentials } from '@tessera/object-store';
import { readAvroHead } from '../avro/avro-head.ts';
import { splitAvro } from '../avro/split-avro.ts';
import type { FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { emptyFile, type Footer, footerBytes, readFooter, splitParquet } from '../parquet/footer.ts';
import { type RangeServices, withReader } from '../read-ranges.ts';
import { type CsvOptions, planCsv } from './plan-csv.ts';
import { type FormatPlan, type PlannedScan, type StandIn, unitBytesFor } from './planned-scan.ts';

const AT_ONCE = 16;
/** With more different schemas than this, files are not read in parts. */
const MAX_SCHEMAS = 64;

/**
 * Plans Parquet files. The columns are those of the first file, or with `unionByName` those of all files.
 * @throws TesseraError BAD_FILE
 */
async function planParquet(
  files: readonly ScannedFile[],
  unionByName: boolean,
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  const looked = unionByName ? files : files.slice(0, 1);
  const footers = await mapInTurns(looked, AT_ONCE, (file) => readFooter(file, read));
  const schemas = [...new Set(footers.map(({ document }) => emptyFile(document).toString('base64')))];
  if (schemas.length > MAX_SCHEMAS) return undefined;
  const rowsOf = (list: readonly Footer[]) =>
    list.reduce((sum, { document }) => sum + document.read().rows, 0);
  const bytesOf = (list: readonly ScannedFile[]) => list.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    standIns: new Map(footers.map((footer, i): [number, StandIn] => [i, standIn(footer)])),
    rows: (rowsOf(footers) * bytesOf(files)) / Math.max(1, bytesOf(looked)),
    format: (_, counted) => ({
      kind: 'parquet',
      schemas,
      unionByName,
      counted: counted && [...counted],
    }),
    units: (_, unitBytes, range) => splitParquet(files, unitBytes, range),
  };
}

/** A placeholder with the footer of another file, from which the kernel reads the columns. */
const standIn = ({ document, offset }: Footer): StandIn => [
  { at: 0, bytes: Buffer.from('PAR1', 'latin1') },
  { at: offset, bytes: footerBytes(document) },
];

/** Estimated for a file whose header fills all bytes that were read. */
const BYTES_PER_ROW = 100;

/**
 * Avro files: the columns are those of the first file, and all others must have the same ones.
 * @throws TesseraError BAD_FILE
 */
async function planAvro(files: readonly ScannedFile[], read: ReadRange): Promise<FormatPlan | undefined> {
  const [first] = files;
  if (first === undefined || files.some(({ bytes }) => bytes === 0)) return undefined;
  const { header, firstBlock } = await readAvroHead(first, read);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rowsPerByte =
    firstBlock === undefined || firstBlock.rows === 0
      ? 1 / BYTES_PER_ROW
      : firstBlock.rows / Math.max(firstBlock.rows, firstBlock.bytes);
  return {
    standIns: new Map([[0, [{ at: 0, bytes: header }]]]),
    rows: bytes * rowsPerByte,
    format: () => ({ kind: 'avro', header: header.toString('base64') }),
    units: (_, unitBytes, range) => splitAvro(files, unitBytes, range),
  };
}

export interface FilesToPlan {
  /** The URL or pattern in the statement. */
  readonly url: string;
  readonly credentials?: ObjectCredentials | undefined;
  /** See `FileScan`. */
  readonly sharedBy?: string | undefined;
  readonly files: readonly ScannedFile[];
  readonly format:
    | { readonly kind: 'parquet'; readonly unionByName: boolean }
    | ({ readonly kind: 'csv' } & CsvOptions)
    | { readonly kind: 'avro' };
}

export interface FilesPlan {
  readonly scan: PlannedScan;
  readonly standIns: FormatPlan['standIns'];
}

/**
 * Reads the beginnings or ends of files, so that nodes can read them in parts. Undefined if they can only be
 * read whole.
 * @throws TesseraError BAD_FILE, EXTERNAL_READ_FAILED
 */
export async function planFiles(
  toPlan: FilesToPlan,
  services: RangeServices,
  signal: AbortSignal,
): Promise<FilesPlan | undefined> {
  const { url, credentials, sharedBy, files, format } = toPlan;
  const reading = <T>(work: (read: ReadRange) => Promise<T>, until: AbortSignal) =>
    withReader(toPlan, services, until, ({ range }) => work(range));
  const plan = await reading((read) => planFormat(files, format, read), signal);
  if (plan === undefined) return undefined;
  let units: Promise<readonly FileUnit[]> | undefined;
  const scan: PlannedScan = {
    url,
    kind: format.kind,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Math.ceil(plan.rows),
    scan: (columns, counted) => ({ url, credentials, sharedBy, format: plan.format(columns, counted) }),
    isShared: true,
    isServedByNode: sharedBy !== undefined,
    units: ({ columns, nodes }, until) => {
      units ??= reading((read) => plan.units(columns, unitBytesFor(files, nodes), read), until);
      return units;
    },
  };
  return { scan, standIns: plan.standIns };
}

function planFormat(
  files: readonly ScannedFile[],
  format: FilesToPlan['format'],
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  switch (format.kind) {
    case 'csv':
      return planCsv(files, format, read);
    case 'parquet':
      return planParquet(files, format.unionByName, read);
    case 'avro':
      return planAvro(files, read);
  }
}

/** Creates a placeholder file from the given pieces of another file; without any, an empty file. */
export async function writeStandIn(path: string, standIn: StandIn = []): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const { at, bytes } of standIn) await file.write(bytes, 0, null, at);
  } finally {
    await file.close();
  }
}
