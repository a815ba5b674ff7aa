import { join } from 'node:path';
import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { HeaderOptions } from '../header-options.ts';
import { copyRows, sortedRows } from './copy-rows.ts';
import { finishTablets } from './finish-tablets.ts';
import { largeRowsOf } from './large-rows.ts';
import { partitionsOf, type StagedRows } from './partitions.ts';

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
  const { session, signal } = options;
  const interrupt = () => session.interrupt();
  signal.throwIfAborted();
  signal.addEventListener('abort', interrupt, { once: true });
  let begun = false;
  try {
    const rows = options.partitionSql.length === 0 ? [wholeQuery(options)] : partitionsOf(options);
    for await (const tablet of writeBodies(rows, 'body', options)) {
      begun = true;
      yield tablet;
    }
  } catch (error) {
    if (begun || !isOutOfMemory(error)) throw error;
    yield* writeBodies(largeRowsOf(options), 'run', options);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

const wholeQuery = ({ table, sql, params }: WriteOptions): StagedRows => ({
  partition: [],
  sql: sortedRows(table, sql),
  params,
  rowGroupRows: table.indexGranularity,
});

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof TesseraError && error.name === 'OUT_OF_MEMORY';

async function* writeBodies(
  staged: Iterable<StagedRows> | AsyncIterable<StagedRows>,
  name: string,
  options: WriteOptions,
): AsyncGenerator<WrittenTablet, void> {
  let number = 0;
  for await (const { sql, params = [], rowGroupRows, partition } of staged) {
    const path = join(options.directory, `${name}-${number++}.parquet`);
    const rows = await copyRows({ session: options.session, sql, params, path, rowGroupRows });
    if (rows > 0) yield* finishTablets(path, partition, options);
  }
}
