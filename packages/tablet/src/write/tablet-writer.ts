import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import { copyRows, orderBy, selectList, sortedRows, storedRows } from './copy-rows.ts';
import { finishTablets } from './finish-tablets.ts';
import { largeRowsOf } from './large-rows.ts';
import { partitionRuns } from './partition-runs.ts';
import { dropStage, partitionColumns, type StagedRows, stageName } from './stage.ts';
import type { WriteOptions, WrittenTablet } from './write-options.ts';
import { WriteProgress } from './write-progress.ts';

/**
 * Runs the query and writes its rows as tablets, sorted by the primary index; a tablet holds rows of one
 * partition only. A query without rows yields nothing. Tablets are not yielded in key order.
 * @throws TesseraError of the query; NOT_SUPPORTED for a column that tablets cannot hold; the signal's reason
 */
export async function* writeTablets(options: WriteOptions): AsyncGenerator<WrittenTablet, void> {
  const { session, signal } = options;
  const interrupt = () => session.interrupt();
  const progress = new WriteProgress(options);
  // It also applies while the caller moves the last tablets to their places.
  session.measureWith((call) => progress.of(call));
  signal.throwIfAborted();
  signal.addEventListener('abort', interrupt, { once: true });
  let begun = false;
  try {
    const rows = options.partitionSql.length === 0 ? [wholeQuery(options)] : partitionsOf(options, progress);
    for await (const tablet of writeBodies(rows, 'body', options, progress)) {
      begun = true;
      yield tablet;
    }
  } catch (error) {
    if (begun || !isOutOfMemory(error)) throw error;
    yield* writeBodies(largeRowsOf(options, progress), 'run', options, progress);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

const wholeQuery = ({ table, sql, params, isSorted = false }: WriteOptions): StagedRows => ({
  partition: [],
  sql: isSorted ? storedRows(table, sql) : sortedRows(table, sql),
  params,
  rowGroupRows: table.indexGranularity,
});

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof TesseraError && error.name === 'OUT_OF_MEMORY';

async function* writeBodies(
  staged: Iterable<StagedRows> | AsyncIterable<StagedRows>,
  name: string,
  options: WriteOptions,
  progress: WriteProgress,
): AsyncGenerator<WrittenTablet, void> {
  let number = 0;
  for await (const { sql, params = [], rowGroupRows, partition } of staged) {
    const path = join(options.directory, `${name}-${number++}.parquet`);
    progress.writing(path, rowGroupRows);
    const rows = await copyRows({ session: options.session, sql, params, path, rowGroupRows });
    progress.wrote(rows);
    if (rows > 0) yield* finishTablets(path, partition, options);
  }
}

/**
 * Runs the query once into a temp table sorted by partition and primary index, which the kernel spills if it
 * is large, and yields the partitions one after the other. The table is dropped when the iteration ends.
 */
async function* partitionsOf(
  options: WriteOptions,
  progress: WriteProgress,
): AsyncGenerator<StagedRows, void> {
  const { session, table, sql } = options;
  const stage = stageName();
  const { values, expressions } = partitionColumns(options);
  const order = [...values.map((value) => `${value} ASC NULLS LAST`), ...orderBy(table)];
  const staged = await session.execute(
    `CREATE TEMP TABLE ${stage} AS SELECT ${[selectList(table), ...expressions].join(', ')} ` +
      `FROM (${sql}) AS "rows" ORDER BY ${order.join(', ')}`,
    options.params ?? [],
  );
  progress.staged(staged);
  try {
    const columns = table.columns.map(({ storedName }) => quoteName(storedName)).join(', ');
    for (const { texts, first, rows } of await partitionRuns(session, stage, values)) {
      options.signal.throwIfAborted();
      yield {
        partition: texts,
        sql: `SELECT ${columns} FROM ${stage} WHERE rowid BETWEEN ${first} AND ${first + rows - 1}`,
        rowGroupRows: table.indexGranularity,
      };
    }
  } finally {
    await dropStage(session, stage);
  }
}
