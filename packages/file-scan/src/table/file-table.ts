import type { ObjectCredentials } from '@tessera/object-store';
import type { Conjunct, FileBounds } from '@tessera/tablet';
import type { CsvTable, RowDeletes, ScannedFile, TableColumn } from '../file-scan.ts';

/** The conditions of each reference to a table in a statement. A file is needed if one of them may hold in it. */
export type Filters = readonly (readonly Conjunct[])[];

/** Where a table is. */
export interface TableCall {
  readonly url: string;
  readonly credentials?: ObjectCredentials | undefined;
  /** The folder outside of which no file may be read; undefined if any permitted file may be. */
  readonly within?: string | undefined;
}

/** A table that consists of Parquet or CSV files outside the managed store, at one point in time. */
export interface FileTable {
  /** The URL in the statement. */
  readonly url: string;
  readonly credentials?: ObjectCredentials | undefined;
  readonly columns: readonly TableColumn[];
  /** How the files are read if they are CSV files. */
  readonly csv?: CsvTable | undefined;
  /** Estimates. */
  readonly rows: number;
  readonly bytes: number;
  /** Whether every node can read the files. */
  readonly isShared: boolean;
  /** The files that may contain rows for one of the filters. */
  choose(filters: Filters, signal: AbortSignal): Promise<ChosenFiles>;
}

/** The files of a table that a statement reads, and how many it does not. */
export interface ChosenFiles {
  readonly files: readonly DataFile[];
  /** The number of all files; undefined if folders were skipped without being listed. */
  readonly total: number | undefined;
  /** The number of files that have no rows for the conditions by the values of their partition. */
  readonly prunedByPartition: number;
  /** The same by the minima, maxima and NULL counts of other columns. */
  readonly prunedByRange: number;
  /** The number of folders that were skipped without being listed. */
  readonly foldersSkipped: number;
}

/** A file of a table. */
export interface DataFile {
  readonly file: ScannedFile;
  readonly modifiedAt?: Date | undefined;
  /** Values that are the same in all rows, as the kernel's VARCHAR, by column; null is NULL. */
  readonly constants: Readonly<Record<string, string | null>>;
  /** What is known about the values of other columns. */
  readonly bounds?: Readonly<Record<string, FileBounds>> | undefined;
  readonly deletes?: readonly RowDeletes[] | undefined;
}
