import type { TableObject, Tablet } from '@tessera/catalog';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { HeaderOptions } from '../header-options.ts';

export interface WriteOptions {
  readonly session: KernelSession;
  readonly table: TableObject;
  /** A query of the kernel: the table's columns by `storedName`, in order, with their types. */
  readonly sql: string;
  readonly params?: KernelParams;
  /** Whether the rows are in the order of the primary index already, such as a single row. */
  readonly isSorted?: boolean;
  /** Expressions of the kernel over the stored names for `table.partitionBy`; empty without partitions. */
  readonly partitionSql: readonly string[];
  /**
   * A directory owned by the write that the kernel can write to; its files stay until the caller removes
   * them.
   */
  readonly directory: string;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly header: HeaderOptions;
  readonly signal: AbortSignal;
}

/** A tablet in a local file that is not uploaded yet. The uploader sets `tablet.key`. */
export interface WrittenTablet {
  readonly path: string;
  readonly tablet: Tablet;
}
