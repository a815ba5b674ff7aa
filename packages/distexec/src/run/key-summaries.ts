import { type KernelSession, quoteName } from '@tessera/kernel';
import type { OutputColumn } from '@tessera/shuffle';
import type { KeySummary } from '../dist-exec.ts';

/** More distinct values than this are not told one by one. */
const MAX_VALUES = 1_000;
/** An estimate of the number of distinct values that is beyond this is not that far off. */
const SURELY_MORE = 2 * MAX_VALUES;

interface ColumnFacts {
  readonly min: string | null;
  readonly max: string | null;
  readonly distinct: number;
}

/**
 * What values columns of a relation have: one pass for the bounds, another over columns that seem to have few values.
 * NULLs are left out.
 * @param summarised positions in `columns`
 */
export async function keySummaries(
  session: KernelSession,
  relation: string,
  columns: readonly OutputColumn[],
  summarised: readonly number[],
): Promise<KeySummary[]> {
  if (summarised.length === 0) return [];
  const names = summarised.map((position) => quoteName(columns[position]!.name));
  const bounds = names.map(
    (name) =>
      `{'min': CAST(min(${name}) AS VARCHAR), 'max': CAST(max(${name}) AS VARCHAR), 'distinct': approx_count_distinct(${name})}`,
  );
  const facts = await fromJson<ColumnFacts[]>(session, `SELECT [${bounds.join(', ')}] FROM ${relation}`);
  const few = names.filter((_, i) => facts[i]!.distinct <= SURELY_MORE);
  const lists = few.map((name) => `(${valuesSql(relation, name)})`);
  const values = few.length === 0 ? [] : await fromJson<string[][]>(session, `SELECT [${lists.join(', ')}]`);
  const valuesOf = new Map(few.map((name, i) => [name, values[i]!]));
  return summarised.map((column, i) => {
    const { min, max } = facts[i]!;
    const all = valuesOf.get(names[i]!);
    return {
      column,
      ...(min !== null && { min }),
      ...(max !== null && { max }),
      ...(all !== undefined && all.length <= MAX_VALUES && { values: all }),
    };
  });
}

const valuesSql = (relation: string, name: string): string =>
  `SELECT coalesce(list(v ORDER BY v), []) FROM (
    SELECT DISTINCT CAST(${name} AS VARCHAR) AS v FROM ${relation} WHERE ${name} IS NOT NULL LIMIT ${MAX_VALUES + 1})`;

async function fromJson<T>(session: KernelSession, sql: string): Promise<T> {
  const text = await session.scalar(`SELECT CAST(to_json((${sql})) AS VARCHAR)`);
  return JSON.parse(text as string) as T;
}
