import { HASH_BUCKETS } from '@tessera/common';
import { type KernelSession, type KernelType, typeWidth } from '@tessera/kernel';
import { BUCKET_COLUMN, columnName } from './output-table.ts';

/** So many rows tell how long values are: the first ones, or of a larger output any. */
const SAMPLE_ROWS = 20_000;

export interface OutputSize {
  readonly rows: number;
  readonly bytes: number;
  readonly bucketRows: readonly number[];
}

/** Measures a table of outputs, in one statement unless it is large. */
export async function measureOutput(
  session: KernelSession,
  table: string,
  types: readonly KernelType[],
  hasBuckets: boolean,
): Promise<OutputSize> {
  const lengths = types.flatMap((type, i) => (typeWidth(type) === undefined ? [lengthSql(type, i)] : []));
  const mean = (from: string) =>
    lengths.length === 0 ? '0.0' : `(SELECT coalesce(avg(${lengths.join(' + ')}), 0.0)::DOUBLE FROM ${from})`;
  const buckets = hasBuckets
    ? `(SELECT string_agg(concat(b, ':', n), ',') FROM (SELECT ${BUCKET_COLUMN} AS b, count(*) AS n FROM ${table} GROUP BY b))`
    : "''";
  const first = `(FROM ${table} LIMIT ${SAMPLE_ROWS})`;
  const told = String(
    await session.scalar(
      `SELECT concat((SELECT count(*) FROM ${table}), ';', ${mean(first)}, ';', ${buckets})`,
    ),
  ).split(';');
  const rows = Number(told[0]);
  let variable = Number(told[1]);
  if (lengths.length > 0 && rows > SAMPLE_ROWS) {
    const sample = `${table} TABLESAMPLE system(${Math.min(100, (1000 * SAMPLE_ROWS) / rows)}%)`;
    variable = Number(await session.scalar(`SELECT ${mean(sample)}`)) || variable;
  }
  const fixed = types.reduce((sum, type) => sum + (typeWidth(type) ?? 0), hasBuckets ? 2 : 0);
  return {
    rows,
    bytes: Math.round(rows * (fixed + variable)),
    bucketRows: hasBuckets ? counts(told[2] ?? '') : [],
  };
}

function counts(text: string): number[] {
  const rows = new Array<number>(HASH_BUCKETS).fill(0);
  for (const pair of text.split(',').filter((pair) => pair !== '')) {
    const [bucket, count] = pair.split(':');
    rows[Number(bucket)] = Number(count);
  }
  return rows;
}

/** Of a value's header beside its content. */
const VARIABLE_OVERHEAD_BYTES = 8;

function lengthSql(type: KernelType, position: number): string {
  const column = columnName(position);
  const length =
    type.id === 'VARCHAR' || type.id === 'JSON'
      ? `strlen(${column})`
      : type.id === 'BLOB'
        ? `octet_length(${column})`
        : `strlen(${column}::VARCHAR)`;
  return `(coalesce(${length}, 0) + ${VARIABLE_OVERHEAD_BYTES})`;
}
