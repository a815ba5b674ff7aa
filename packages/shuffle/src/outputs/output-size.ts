import type { KernelSession, KernelType } from '@tessera/kernel';
import { HASH_BUCKETS } from '../hash-buckets.ts';
import { BUCKET_COLUMN, columnName } from './output-table.ts';

/** Beyond so many rows, a part of them tells how long values are. */
const SAMPLE_ROWS = 100_000;

export interface OutputSize {
  readonly rows: number;
  readonly bytes: number;
  readonly bucketRows: readonly number[];
}

/** Measures a table of outputs in one statement. */
export async function measureOutput(
  session: KernelSession,
  table: string,
  types: readonly KernelType[],
  hasBuckets: boolean,
): Promise<OutputSize> {
  const rows = Number(await session.scalar(`SELECT count(*) FROM ${table}`));
  if (rows === 0) {
    return { rows, bytes: 0, bucketRows: hasBuckets ? new Array<number>(HASH_BUCKETS).fill(0) : [] };
  }
  const variable = types.flatMap((type, i) => (fixedBytes(type) === undefined ? [lengthSql(type, i)] : []));
  const sample = rows > SAMPLE_ROWS ? ` TABLESAMPLE system(${(100 * SAMPLE_ROWS) / rows}%)` : '';
  const mean =
    variable.length === 0
      ? '0.0'
      : `(SELECT coalesce(avg(${variable.join(' + ')}), 0.0) FROM ${table}${sample})`;
  const buckets = hasBuckets
    ? `(SELECT string_agg(concat(b, ':', n), ',') FROM (SELECT ${BUCKET_COLUMN} AS b, count(*) AS n FROM ${table} GROUP BY b))`
    : "''";
  const [meanText, bucketText = ''] = String(
    await session.scalar(`SELECT concat(${mean}::DOUBLE, ';', ${buckets})`),
  ).split(';');
  const fixed = types.reduce((sum, type) => sum + (fixedBytes(type) ?? 0), hasBuckets ? 2 : 0);
  return {
    rows,
    bytes: Math.round(rows * (fixed + Number(meanText))),
    bucketRows: hasBuckets ? counts(bucketText) : [],
  };
}

function counts(text: string): number[] {
  const rows = new Array<number>(HASH_BUCKETS).fill(0);
  for (const pair of text.split(',')) {
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

const FIXED_BYTES: Readonly<Record<string, number>> = {
  BOOLEAN: 1,
  TINYINT: 1,
  UTINYINT: 1,
  SMALLINT: 2,
  USMALLINT: 2,
  INTEGER: 4,
  UINTEGER: 4,
  FLOAT: 4,
  DATE: 4,
  ENUM: 4,
  NULL: 4,
  BIGINT: 8,
  UBIGINT: 8,
  DOUBLE: 8,
  TIME: 8,
  TIME_NS: 8,
  TIMETZ: 8,
  TIMESTAMP: 8,
  TIMESTAMP_S: 8,
  TIMESTAMP_MS: 8,
  TIMESTAMP_NS: 8,
  TIMESTAMPTZ: 8,
  TIMESTAMPTZ_NS: 8,
  HUGEINT: 16,
  UHUGEINT: 16,
  UUID: 16,
  INTERVAL: 16,
};

/** Of a value in memory; undefined where values differ. */
function fixedBytes(type: KernelType): number | undefined {
  switch (type.id) {
    case 'DECIMAL':
      return type.width <= 4 ? 2 : type.width <= 9 ? 4 : type.width <= 18 ? 8 : 16;
    case 'STRUCT': {
      const fields = type.fields.map((field) => fixedBytes(field.type));
      return fields.includes(undefined) ? undefined : fields.reduce<number>((a, b) => a + (b ?? 0), 0);
    }
    default:
      return FIXED_BYTES[type.id];
  }
}
