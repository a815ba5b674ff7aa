import { createHash } from 'node:crypto';
import { quoteName } from '@tessera/kernel';
import { type BucketRange, bucketSql } from '../hash-buckets.ts';
import type { OutputShape, TaskKey } from '../shuffle.ts';

/** The kernel's database that outputs are tables of. */
const DATABASE = 'exchange';

/** SQL for the kernel's bootstrap, without which nothing can be stored. */
export const shuffleBootstrap: readonly string[] = [`ATTACH ':memory:' AS ${DATABASE}`];

export const BUCKET_COLUMN = '"$bucket"';

/** Names that no two outputs of a node share, also when a query id was made by a client. */
export function outputTable(key: TaskKey): string {
  const query = createHash('sha256').update(key.queryId).digest('hex').slice(0, 24);
  return `${DATABASE}.main."q${query}_${key.run}_${key.stage}_${key.task}_${key.attempt}"`;
}

/** Columns of outputs are named by position: names of a stage's columns may differ in case only, or not at all. */
export const columnName = (position: number): string => `c${position}`;

/** A table has at least one column; what a query without any leaves is their number. */
export const columnCount = (shape: OutputShape): number => Math.max(1, shape.columns.length);

const NO_COLUMN_TYPE = 'BOOLEAN';

/** The type an output keeps a column as, undefined for one that has none yet. */
export function storedType(shape: OutputShape, position: number): string | undefined {
  if (shape.columns.length === 0) return NO_COLUMN_TYPE;
  const { type } = shape.columns[position]!;
  return /^"?null"?$/i.test(type) ? undefined : type;
}

/** The columns by position, of the types of the shape; `of` gives the SQL of a column's values. */
export const typedColumns = (shape: OutputShape, of: (position: number) => string = columnName): string[] =>
  Array.from({ length: columnCount(shape) }, (_, i) => {
    const type = storedType(shape, i);
    return type === undefined
      ? `${of(i)} AS ${columnName(i)}`
      : `CAST(${of(i)} AS ${type}) AS ${columnName(i)}`;
  });

/** The columns under the names that they have in the shape. */
export const namedColumns = (shape: OutputShape): string[] =>
  shape.columns.length === 0
    ? [columnName(0)]
    : shape.columns.map((column, i) => `${columnName(i)} AS ${quoteName(column.name)}`);

export function createOutputSql(table: string, sql: string, shape: OutputShape, disturbed: boolean): string {
  const names = Array.from({ length: columnCount(shape) }, (_, i) => columnName(i));
  const source =
    shape.columns.length === 0
      ? `(SELECT NULL AS c0 FROM (${sql}) AS source)`
      : `(SELECT ${typedColumns(shape).join(', ')} FROM (${sql}) AS source(${names.join(', ')}))`;
  const keys = shape.hashKeys.map(columnName);
  const bucket = keys.length === 0 ? '' : `, ${bucketSql(keys, disturbed)} AS ${BUCKET_COLUMN}`;
  return `CREATE TABLE ${table} AS SELECT ${names.join(', ')}${bucket} FROM ${source} AS typed`;
}

/** Which rows of an output a piece is. */
export interface Selection {
  readonly buckets?: BucketRange | undefined;
  readonly slice?: readonly [slice: number, slices: number] | undefined;
}

/** The condition for the rows of a piece; `rows` of the whole output. */
export function selectionSql({ buckets, slice }: Selection, rows: number): string {
  const conditions: string[] = [];
  if (buckets !== undefined) {
    conditions.push(`${BUCKET_COLUMN} BETWEEN ${buckets[0]} AND ${buckets[1] - 1}`);
  }
  if (slice !== undefined && slice[1] > 1) {
    const [part, parts] = slice;
    // Row ids of an output run from 0 without gaps: nothing is ever deleted from it.
    if (buckets !== undefined) conditions.push(`rowid % ${parts} = ${part}`);
    else conditions.push(`rowid >= ${bound(rows, part, parts)} AND rowid < ${bound(rows, part + 1, parts)}`);
  }
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

const bound = (rows: number, part: number, parts: number): number => Math.floor((rows * part) / parts);
