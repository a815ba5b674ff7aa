import { newUlid } from '@tessera/common';
import { type KernelSession, quoteName } from '@tessera/kernel';
import { orderBy, selectList } from './copy-rows.ts';
import type { WriteOptions } from './tablet-writer.ts';

/** The rows of one value of the partition expressions. */
export interface Partition {
  readonly values: readonly (string | null)[];
  /** A query of the rows in their stored form, sorted. */
  readonly sql: string;
}

/**
 * Runs the query once into a temp table sorted by partition and primary index, which the kernel spills when it is large,
 * and gives the partitions one after the other. The table is gone when the iteration ends.
 */
export async function* partitionsOf(options: WriteOptions): AsyncGenerator<Partition, void> {
  const { session, table, sql, partitionSql } = options;
  const stage = quoteName(`tablet_stage_${newUlid()}`);
  const values = partitionSql.map((_, i) => quoteName(`$partition${i}`));
  const expressions = partitionSql.map((expression, i) => `(${expression}) AS ${values[i]}`);
  const order = [...values.map((value) => `${value} ASC NULLS LAST`), ...orderBy(table)];
  await session.execute(
    `CREATE TEMP TABLE ${stage} AS SELECT ${selectList(table)}, ${expressions.join(', ')} ` +
      `FROM (${sql}) AS "rows" ORDER BY ${order.join(', ')}`,
    options.params ?? [],
  );
  try {
    const columns = table.columns.map(({ storedName }) => quoteName(storedName)).join(', ');
    for (const { texts, first, rows } of await runsOf(session, stage, values)) {
      options.signal.throwIfAborted();
      yield {
        values: texts,
        sql: `SELECT ${columns} FROM ${stage} WHERE rowid BETWEEN ${first} AND ${first + rows - 1}`,
      };
    }
  } finally {
    await session.execute(`DROP TABLE IF EXISTS ${stage}`);
  }
}

interface Run {
  readonly texts: (string | null)[];
  readonly first: number;
  readonly rows: number;
}

/** The rows of a partition stand together, because the table is sorted. */
async function runsOf(session: KernelSession, stage: string, values: readonly string[]): Promise<Run[]> {
  const groups = values.join(', ');
  const answer = await session.scalar(
    `SELECT coalesce(to_json(list({texts: [${values.map(canonicalText).join(', ')}], "first": "first", "rows": "rows"} ` +
      `ORDER BY "first"))::VARCHAR, '[]') FROM ` +
      `(SELECT ${groups}, min(rowid) AS "first", count(*) AS "rows" FROM ${stage} GROUP BY ${groups})`,
  );
  return JSON.parse(answer as string) as Run[];
}

/** The VARCHAR of a value, of moments the one in UTC, whatever the session's zone is. */
const canonicalText = (value: string): string =>
  `CASE WHEN typeof(${value}) = 'TIMESTAMP WITH TIME ZONE' AND isfinite(TRY_CAST(${value}::VARCHAR AS TIMESTAMPTZ)) ` +
  `THEN timezone('UTC', TRY_CAST(${value}::VARCHAR AS TIMESTAMPTZ))::VARCHAR || '+00' ELSE ${value}::VARCHAR END`;
