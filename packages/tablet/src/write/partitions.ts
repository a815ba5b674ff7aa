import { newUlid } from '@tessera/common';
import { type KernelParams, type KernelSession, quoteName } from '@tessera/kernel';
import { orderBy, selectList } from './copy-rows.ts';
import { partitionRuns } from './partition-runs.ts';
import type { WriteOptions } from './tablet-writer.ts';

/** Rows of one value of the partition expressions that become one body. */
export interface StagedRows {
  readonly partition: readonly (string | null)[];
  /** A query of the rows in their stored form, sorted. */
  readonly sql: string;
  readonly params?: KernelParams | undefined;
  readonly rowGroupRows: number;
}

/**
 * Runs the query once into a temp table sorted by partition and primary index, which the kernel spills when it is large,
 * and gives the partitions one after the other. The table is gone when the iteration ends.
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

export const stageName = (): string => quoteName(`tablet_stage_${newUlid()}`);

/** What failed before is what matters; a session that cannot drop loses its temp tables when it is closed. */
export async function dropStage(session: KernelSession, stage: string): Promise<void> {
  await session.execute(`DROP TABLE IF EXISTS ${stage}`).catch(() => undefined);
}

/** The partition expressions as columns of a stage. */
export function partitionColumns({ partitionSql }: WriteOptions) {
  const values = partitionSql.map((_, i) => quoteName(`$partition${i}`));
  return { values, expressions: partitionSql.map((expression, i) => `(${expression}) AS ${values[i]}`) };
}
