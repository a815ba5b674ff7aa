import { join } from 'node:path';
import type { TableObject, Tablet } from '@tessera/catalog';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { HeaderOptions } from '../header-options.ts';
import { copyRows } from './copy-rows.ts';
import { finishTablets } from './finish-tablets.ts';

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

/**
 * Runs the query and writes its rows as tablets, sorted by the primary index. Nothing comes for a query without rows.
 * @throws TesseraError of the query; NOT_SUPPORTED for a column that tablets cannot hold
 */
export async function* writeTablets(options: WriteOptions): AsyncGenerator<WrittenTablet, void> {
  const { session, table, sql, signal } = options;
  const interrupt = () => session.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    signal.throwIfAborted();
    const path = join(options.directory, 'body.parquet');
    const rows = await copyRows({
      session,
      table,
      sql,
      params: options.params ?? [],
      sorted: false,
      path,
      rowGroupRows: table.indexGranularity,
    });
    if (rows > 0) yield* finishTablets(path, [], options);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
