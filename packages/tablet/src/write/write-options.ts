import type { TableObject, Tablet } from '@tessera/catalog';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { HeaderOptions } from '../header-options.ts';

export interface WriteOptions {
  readonly session: KernelSession;
  readonly table: TableObject;
  /** A query of the kernel: the table's columns by `storedName`, in order, with their types. */
  readonly sql: string;
  readonly params?: KernelParams;
  /** Kernel expressions over the stored names for `table.partitionBy`; empty without partitions. */
  readonly partitionSql: readonly string[];
  /** Owned by the write, writable by the kernel; the files stay until the caller removes them. */
  readonly directory: string;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly header: HeaderOptions;
  readonly signal: AbortSignal;
}

/** A tablet that stands as a file on local disk, not uploaded yet. `tablet.key` is set by who uploads it. */
export interface WrittenTablet {
  readonly path: string;
  readonly tablet: Tablet;
}
