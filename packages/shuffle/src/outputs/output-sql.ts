import { type KernelType, quoteName } from '@tessera/kernel';
import { bucketSql } from '../hash-buckets.ts';
import type { OutputShape } from '../shuffle.ts';
import { encodedSql } from '../types/exchange-encoding.ts';

/** The last column of outputs with hash keys. */
const BUCKET_COLUMN = '"$bucket"';

/**
 * The name of an output's column. Columns are named by position, because names of a stage's columns may be
 * equal or differ only in case.
 */
export const columnName = (position: number): string => `c${position}`;

/**
 * The number of columns of an output, at least one: the output of a query without columns holds the number of
 * its rows.
 */
export const columnCount = (shape: OutputShape): number => Math.max(1, shape.columns.length);

const NO_COLUMN_TYPE = 'BOOLEAN';

/** The type in which an output stores a column; undefined if it has none yet. */
export function storedType(shape: OutputShape, position: number): string | undefined {
  if (shape.columns.length === 0) return NO_COLUMN_TYPE;
  const { type } = shape.columns[position]!;
  return /^"?null"?$/i.test(type) ? undefined : type;
}

/** The columns by position, with the types of the shape; `of` returns the SQL of a column's values. */
export const typedColumns = (shape: OutputShape, of: (position: number) => string = columnName): string[] =>
  Array.from({ length: columnCount(shape) }, (_, i) => {
    const type = storedType(shape, i);
    return type === undefined
      ? `${of(i)} AS ${columnName(i)}`
      : `CAST(${of(i)} AS ${type}) AS ${columnName(i)}`;
  });

/** The columns under their names in the shape. */
export const namedColumns = (shape: OutputShape): string[] =>
  shape.columns.length === 0
    ? [columnName(0)]
    : shape.columns.map((column, i) => `${columnName(i)} AS ${quoteName(column.name)}`);

/**
 * The query of a task in its transfer encoding: columns by position, encoded, and with hash keys followed by
 * the bucket of each row.
 * @param types the types of the shape's columns
 * @param disturbed for tests: computes buckets as another kernel might
 */
export function outputSql(
  sql: string,
  shape: OutputShape,
  types: readonly KernelType[],
  disturbed: boolean,
): string {
  const names = types.map((_, i) => columnName(i));
  const typed =
    shape.columns.length === 0
      ? `(SELECT NULL AS c0 FROM (${sql}) AS source)`
      : `(SELECT ${typedColumns(shape).join(', ')} FROM (${sql}) AS source(${names.join(', ')}))`;
  const encoded = types.map((type, i) => `${encodedSql(columnName(i), type)} AS ${columnName(i)}`);
  const keys = shape.hashKeys.map(columnName);
  const bucket = keys.length === 0 ? [] : [`${bucketSql(keys, disturbed)} AS ${BUCKET_COLUMN}`];
  return `SELECT ${[...encoded, ...bucket].join(', ')} FROM ${typed} AS typed`;
}
