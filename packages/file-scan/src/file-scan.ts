import type { TakeBytes } from '@tessera/common';
import type { ObjectCredentials } from '@tessera/object-store';

/** A file that several nodes read in parts. */
export interface ScannedFile {
  /** The name shown to users; for an object, its URL. */
  readonly url: string;
  readonly bytes: number;
  /** The ETag of the object when it was listed; undefined for a shared file. */
  readonly etag?: string | undefined;
  /** The id under which the query's node serves the file (`SharedFiles`); undefined for an object. */
  readonly sharedId?: string | undefined;
}

/**
 * How the files are read.
 * `parquet`: `schemas` are Parquet files without rows, in base64, whose columns the files are read as;
 * `counted` are the names (lower case) of the columns whose bytes count as read, or all columns if it is
 * absent.
 * `csv`: `settings` are arguments of the kernel's `read_csv`; every column is text.
 * `typed csv`: the same for columns with types. Nodes of earlier versions refuse it; the query's node then reads the files alone.
 * `avro`: `header` is the header of the first file, in base64. All files must have its columns.
 * `table`: Parquet files whose columns are mapped to those of a table, with values that a file does not contain and
 * without its deleted rows. `counted` as for `parquet`. If `csv` is given, they are CSV files, without deleted rows.
 */
export type FileFormat =
  | {
      readonly kind: 'parquet';
      readonly schemas: readonly string[];
      readonly unionByName: boolean;
      readonly counted?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'csv';
      readonly settings: string;
      readonly shape: CompressedCsv;
      readonly columns: readonly string[];
    }
  | {
      readonly kind: 'typed csv';
      readonly settings: string;
      readonly shape: CompressedCsv;
      readonly columns: readonly FileColumn[];
    }
  | { readonly kind: 'avro'; readonly header: string }
  | {
      readonly kind: 'table';
      readonly columns: readonly TableColumn[];
      readonly counted?: readonly string[] | undefined;
      readonly csv?: CsvTable | undefined;
    };

/** A column that the kernel found in files, with its type as the kernel's SQL. */
export interface FileColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * How the CSV files of a table are read: with the columns of one of them, which the kernel finds in the others by name. Those of
 * type BIGINT are read as text.
 */
export interface CsvTable {
  /** Arguments of the kernel's `read_csv`. */
  readonly settings: string;
  readonly shape: CompressedCsv;
  /** The names of the columns of the files. */
  readonly columns: readonly string[];
  /** The file from whose first records the columns follow. */
  readonly first: ScannedFile;
}

/** A column of a table that consists of Parquet files. */
export interface TableColumn {
  readonly name: string;
  /** The kernel's SQL for the type. */
  readonly type: string;
  /** The names, one of which the column has in files without field ids; absent if it is `name`. */
  readonly storedNames?: readonly string[] | undefined;
  /** The id in files that have field ids, if the table's format has them, and those of the fields of a nested type. */
  readonly field?: TableField | undefined;
  /** Whether the column is found by its name although files have ids; those of its fields count nevertheless. */
  readonly isByName?: boolean | undefined;
  /** The value in files without the column, as SQL; null is NULL. If it is absent, each file must have the column. */
  readonly absent?: string | null | undefined;
}

/** A field of a table by its id. A list has the field `element`, a map `key` and `value`. */
export interface TableField {
  readonly id: number;
  readonly name: string;
  readonly fields: readonly TableField[];
}

/** Rows of a data file that no longer belong to the table. */
export type RowDeletes =
  /** A Parquet file with the columns `file_path` and `pos`; the rows of the data file `path` are meant. */
  | { readonly kind: 'positions'; readonly file: ScannedFile; readonly path: string }
  /** A Parquet file of keys: every row that equals one of them in all `columns` is deleted. */
  | { readonly kind: 'keys'; readonly file: ScannedFile; readonly columns: readonly TableColumn[] }
  /** A bitmap of `rows` positions in a file. */
  | {
      readonly kind: 'bitmap';
      readonly file: ScannedFile;
      readonly offset: number;
      readonly bytes: number;
      readonly rows: number;
    }
  /** The same without a file; `of` is the data file. */
  | { readonly kind: 'inline bitmap'; readonly of: string; readonly base64: string; readonly rows: number };

/** The characters of CSV that matter for finding records. Each is one byte; quote and escape may be ''. */
export interface CsvBytes {
  readonly delimiter: string;
  readonly quote: string;
  readonly escape: string;
}

export interface CompressedCsv extends CsvBytes {
  readonly compression: 'none' | 'gzip' | 'zstd';
}

/** The properties that all tasks of one file scan share. */
export interface FileScan {
  /** The URL or pattern in the statement. */
  readonly url: string;
  /** The credentials with which the statement opens the store; if absent, those of the node. */
  readonly credentials?: ObjectCredentials | undefined;
  /** The `host:port` of the node that shares the files; absent if they are objects of a store. */
  readonly sharedBy?: string | undefined;
  readonly format: FileFormat;
}

/** A part of a file that one task reads, the smallest unit of work of a scan. */
export interface FileUnit {
  readonly file: ScannedFile;
  /**
   * A range of row groups of a Parquet file or of bytes of another file: from (inclusive), to (exclusive).
   * Absent means the whole file.
   */
  readonly part?: readonly [from: number, to: number] | undefined;
  /** The approximate number of stored bytes of the part. */
  readonly bytes: number;
  /** For files of a table: values that are the same in all rows, as the kernel's VARCHAR, by column; null is NULL. */
  readonly constants?: Readonly<Record<string, string | null>> | undefined;
  /** For files of a table. */
  readonly deletes?: readonly RowDeletes[] | undefined;
}

/** The part of a scan that one task reads. */
export interface FileSource {
  readonly kind: 'files';
  readonly scan: FileScan;
  readonly units: readonly FileUnit[];
  /** The names of the columns to read. */
  readonly columns: readonly string[];
}

/** Reads bytes `start` (inclusive) to `end` (exclusive) of a file of a scan. */
export type ReadRange = (file: ScannedFile, start: number, end: number) => Promise<Uint8Array>;

/** Passes the same bytes to `take` in pieces. */
export type CopyRange = (file: ScannedFile, start: number, end: number, take: TakeBytes) => Promise<void>;

/** Reads the files of a scan, wherever they are stored. */
export interface ScanReader {
  readonly range: ReadRange;
  readonly copy: CopyRange;
}
