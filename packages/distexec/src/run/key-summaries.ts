import { type KernelSession, quoteName } from '@tessera/kernel';
import type { OutputColumn } from '@tessera/shuffle';
import { bloomFilterSql } from '../bloom-filter.ts';
import type { KeySummary } from '../dist-exec.ts';
import { MAX_VALUES } from './inline-summaries.ts';

/** The estimate of the number of distinct values is never wrong by more than this factor. */
const SURELY_MORE = 2 * MAX_VALUES;

/**
 * For at most this many rows, everything is computed in one pass: a second pass would cost more than it
 * saves.
 */
const FEW_ROWS = 20_000;

interface ColumnFacts {
  readonly min: string | null;
  readonly max: string | null;
  readonly distinct: number;
  /** Null if there are more values than are listed, or if they were not collected. */
  readonly values: readonly string[] | null;
}

/**
 * Summarises the values in columns of a relation: their bounds, all values of columns that have few, and a
 * Bloom filter for columns that filter rows. NULLs are ignored.
 * @param summarised positions in `columns`
 */
export async function keySummaries(
  session: KernelSession,
  relation: string,
  { columns, summarised, filterKeys = [], rows }: SummarisedRows,
): Promise<KeySummary[]> {
  if (summarised.length === 0) return [];
  const names = summarised.map((position) => quoteName(columns[position]!.name));
  const wanted = names.map((name) => factsSql(name, rows <= FEW_ROWS));
  const facts = await fromJson<ColumnFacts[]>(session, `SELECT [${wanted.join(', ')}] FROM ${relation}`);
  const values =
    rows <= FEW_ROWS ? facts.map((fact) => fact.values) : await valuesOf(session, relation, names, facts);
  const summaries: KeySummary[] = [];
  for (const [i, column] of summarised.entries()) {
    const { min, max } = facts[i]!;
    const all = values[i];
    const bloom = filterKeys.includes(column)
      ? await session.scalar(`SELECT ${bloomFilterSql(names[i]!, rows)} FROM ${relation}`)
      : null;
    summaries.push({
      column,
      ...(min !== null && { min }),
      ...(max !== null && { max }),
      ...(all != null && { values: all }),
      ...(bloom !== null && { bloom: bloom as Uint8Array }),
    });
  }
  return summaries;
}

export interface SummarisedRows {
  readonly columns: readonly OutputColumn[];
  readonly summarised: readonly number[];
  readonly filterKeys?: readonly number[] | undefined;
  /** The number of rows of the relation. */
  readonly rows: number;
}

function factsSql(name: string, withValues: boolean): string {
  const text = `CAST(${name} AS VARCHAR)`;
  const values = withValues
    ? `CASE WHEN count(DISTINCT ${name}) <= ${MAX_VALUES} THEN
        coalesce(list_sort(list(DISTINCT ${text}) FILTER (WHERE ${name} IS NOT NULL)), []) END`
    : 'CAST(NULL AS VARCHAR[])';
  const distinct = withValues ? '0' : `approx_count_distinct(${name})`;
  return `{'min': CAST(min(${name}) AS VARCHAR), 'max': CAST(max(${name}) AS VARCHAR), 'distinct': ${distinct}, 'values': ${values}}`;
}

/** Collects values in a second pass over columns that seem to have few; undefined for other columns. */
async function valuesOf(
  session: KernelSession,
  relation: string,
  names: readonly string[],
  facts: readonly ColumnFacts[],
): Promise<readonly (readonly string[] | undefined)[]> {
  const few = names.filter((_, i) => facts[i]!.distinct <= SURELY_MORE);
  if (few.length === 0) return [];
  const lists = few.map((name) => `(${valuesSql(relation, name)})`);
  const found = await fromJson<string[][]>(session, `SELECT [${lists.join(', ')}]`);
  return names
    .map((name) => found[few.indexOf(name)])
    .map((all) => (all && all.length <= MAX_VALUES ? all : undefined));
}

const valuesSql = (relation: string, name: string): string =>
  `SELECT coalesce(list(v ORDER BY v), []) FROM (
    SELECT DISTINCT CAST(${name} AS VARCHAR) AS v FROM ${relation} WHERE ${name} IS NOT NULL LIMIT ${MAX_VALUES + 1})`;

async function fromJson<T>(session: KernelSession, sql: string): Promise<T> {
  const text = await session.scalar(`SELECT CAST(to_json((${sql})) AS VARCHAR)`);
  return JSON.parse(text as string) as T;
}
