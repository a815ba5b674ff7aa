import { join } from 'node:path';
import type { TableObject, Tablet } from '@tessera/catalog';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { HeaderOptions } from '../header-options.ts';
import { copyRows, sortedRows } from './copy-rows.ts';
import { finishTablets } from './finish-tablets.ts';
import { partitionsOf } from './partitions.ts';

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
 * Runs the query and writes its rows as tablets, sorted by the primary index; a tablet holds rows of one partition only.
 * Nothing comes for a query without rows. Tablets do not come in the order of their keys.
 * @throws TesseraError of the query; NOT_SUPPORTED for a column that tablets cannot hold; the signal's reason
 */
export async function* writeTablets(options: WriteOptions): AsyncGenerator<WrittenTablet, void> {
  const { session, table, sql, params = [], signal } = options;
  const interrupt = () => session.interrupt();
  signal.throwIfAborted();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    if (options.partitionSql.length === 0) {
      yield* writeBody(sortedRows(table, sql), params, 'body', [], options);
      return;
    }
    let number = 0;
    for await (const partition of partitionsOf(options))
      yield* writeBody(partition.sql, [], `body-${number++}`, partition.values, options);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

async function* writeBody(
  sql: string,
  params: KernelParams,
  name: string,
  partition: readonly (string | null)[],
  options: WriteOptions,
): AsyncGenerator<WrittenTablet, void> {
  const path = join(options.directory, `${name}.parquet`);
  const rowGroupRows = options.table.indexGranularity;
  const rows = await copyRows({ session: options.session, sql, params, path, rowGroupRows });
  if (rows > 0) yield* finishTablets(path, partition, options);
}
