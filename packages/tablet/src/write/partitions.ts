import { quoteName } from '@tessera/kernel';
import { orderBy, selectList } from './copy-rows.ts';
import { partitionRuns } from './partition-runs.ts';
import { dropStage, partitionColumns, type StagedRows, stageName } from './stage.ts';
import type { WriteOptions } from './write-options.ts';

/**
 * Runs the query once into a temp table sorted by partition and primary index, which the kernel spills if it
 * is large, and yields the partitions one after the other. The table is dropped when the iteration ends.
 */
export async function* partitionsOf(options: WriteOptions): AsyncGenerator<StagedRows, void> {
  const { session, table, sql } = options;
  const stage = stageName();
  const { values, expressions } = partitionColumns(options);
  const order = [...values.map((value) => `${value} ASC NULLS LAST`), ...orderBy(table)];
  await session.execute(
    `CREATE TEMP TABLE ${stage} AS SELECT ${[selectList(table), ...expressions].join(', ')} ` +
      `FROM (${sql}) AS "rows" ORDER BY ${order.join(', ')}`,
    options.params ?? [],
  );
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
