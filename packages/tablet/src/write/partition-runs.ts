import type { KernelSession } from '@tessera/kernel';

/** The consecutive rows of one partition in a table. */
export interface PartitionRun {
  /** The value of each partition expression, as the kernel's VARCHAR. */
  readonly texts: readonly (string | null)[];
  /** The `rowid` of the first row. */
  readonly first: number;
  readonly rows: number;
}

/** The partitions of a table that is sorted by the columns `values`, in their order. */
export async function partitionRuns(
  session: KernelSession,
  table: string,
  values: readonly string[],
): Promise<PartitionRun[]> {
  const groups = values.length === 0 ? '()' : values.join(', ');
  const answer = await session.scalar(
    `SELECT coalesce(to_json(list({texts: ${listOf(values.map(canonicalText))}, "first": "first", "rows": "rows"} ` +
      `ORDER BY "first") FILTER ("rows" > 0))::VARCHAR, '[]') FROM (SELECT ${[...values, ''].join(', ')}` +
      `min(rowid) AS "first", count(*) AS "rows" FROM ${table} GROUP BY ${groups})`,
  );
  return JSON.parse(answer as string) as PartitionRun[];
}

const listOf = (items: readonly string[]): string => `[${items.join(', ')}]::VARCHAR[]`;

/** The VARCHAR of a value; timestamps are in UTC, whatever the session's zone. */
const canonicalText = (value: string): string =>
  `CASE WHEN typeof(${value}) = 'TIMESTAMP WITH TIME ZONE' AND isfinite(TRY_CAST(${value}::VARCHAR AS TIMESTAMPTZ)) ` +
  `THEN timezone('UTC', TRY_CAST(${value}::VARCHAR AS TIMESTAMPTZ))::VARCHAR || '+00' ELSE ${value}::VARCHAR END`;
