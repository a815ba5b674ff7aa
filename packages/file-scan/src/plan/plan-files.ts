import { open } from 'node:fs/promises';
import type { ObjectCredentials } from '@tessera/object-store';
import type { FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { type RangeServices, withRanges } from '../read-ranges.ts';
import { planAvro } from './plan-avro.ts';
import { type CsvOptions, planCsv } from './plan-csv.ts';
import { planParquet } from './plan-parquet.ts';
import { type FormatPlan, type PlannedScan, type StandIn, unitBytesFor } from './planned-scan.ts';

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
    withRanges(toPlan, services, until, work);
  const plan = await reading((read) => planFormat(files, format, read), signal);
  if (plan === undefined) return undefined;
  let units: Promise<readonly FileUnit[]> | undefined;
  const scan: PlannedScan = {
    url,
    kind: format.kind,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Math.ceil(plan.rows),
    scan: (columns, counted) => ({ url, credentials, sharedBy, format: plan.format(columns, counted) }),
    units: (columns, nodes, until) => {
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
