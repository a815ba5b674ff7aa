import type { FileColumn, FileFormat, FileScan, FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import type { ChosenFiles, Filters } from '../table/file-table.ts';

/** Files of a statement that nodes may read in parts, before that is decided. */
export interface PlannedScan {
  readonly url: string;
  readonly kind: FileFormat['kind'];
  /** The stored bytes of all files. */
  readonly bytes: number;
  /** The number of rows in all files, estimated from the first one. */
  readonly rows: number;
  /** How tasks read the files. `columns` are those that the kernel found in the placeholders. */
  scan(columns: readonly FileColumn[], counted: ReadonlySet<string> | undefined): FileScan;
  /** Divides the files into units of work for a number of nodes. */
  units(wanted: WantedUnits, signal: AbortSignal): Promise<readonly FileUnit[]>;
  /** Whether every node can read the files. */
  readonly isShared: boolean;
  /** Whether one node has the files and serves them to the others. */
  readonly isServedByNode: boolean;
  /** For a table of files: those that may contain rows for one of the filters. */
  choose?(filters: Filters, signal: AbortSignal): Promise<ChosenFiles>;
}

export interface WantedUnits {
  /** The columns that the kernel found in the placeholders. */
  readonly columns: readonly FileColumn[];
  readonly nodes: number;
  /** The conditions of each reference; files of a table without rows for any of them are left out. */
  readonly filters: Filters;
}

/** The result of planning a scan of files of one format. */
export interface FormatPlan {
  /**
   * Contents of short placeholder files that represent the files while the statement is bound, by position;
   * the others are empty.
   */
  readonly standIns: ReadonlyMap<number, StandIn>;
  readonly rows: number;
  format(columns: readonly FileColumn[], counted: ReadonlySet<string> | undefined): FileFormat;
  units(columns: readonly FileColumn[], unitBytes: number, read: ReadRange): Promise<readonly FileUnit[]>;
}

/** Pieces of a file with their offsets in it; there are holes between them. */
export type StandIn = readonly { readonly at: number; readonly bytes: Uint8Array }[];

const LEAST_UNIT_BYTES = 64 << 10;
const MOST_UNIT_BYTES = 64 << 20;
/** Several units per node let the nodes finish at about the same time. */
const UNITS_PER_NODE = 4;

export function unitBytesFor(files: readonly ScannedFile[], nodes: number): number {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const even = Math.ceil(bytes / (UNITS_PER_NODE * Math.max(1, nodes)));
  return Math.min(MOST_UNIT_BYTES, Math.max(LEAST_UNIT_BYTES, even));
}
