import type { ColumnType } from '../parquet/column.ts';
import type { ColumnSchema } from '../parquet/row-group.ts';
import type { WorkloadColumn } from '../workload.ts';

/**
 * A generated value of one column: integers, money in hundredths, dates in days and timestamps in
 * microseconds since 1970, and `bigint` for large ones; NULL only if the column allows it.
 */
export type Value = number | bigint | string | null;

/**
 * The source of the rows of one table. Each unit depends only on its own number, so units can be generated
 * anywhere.
 */
export interface TableSource {
  /** The number of units: rows, or orders of several rows. */
  readonly units: number;
  /** The number of units in a row group of the file; it does not depend on the number of threads. */
  readonly unitsPerGroup: number;
  readonly columns: readonly WorkloadColumn[];
  /** Emits the rows of one unit, in the order of `columns`; `row` may be reused after the call. */
  rows(unit: number, emit: (row: readonly Value[]) => void): void;
}

/** The export of a module of sources, which each worker calls. */
export type OpenSource = (table: string, scale: number) => TableSource;

export interface SourceModule {
  readonly openSource: OpenSource;
}

const COLUMN_TYPES: Readonly<Record<string, ColumnType>> = {
  smallint: 'smallint',
  integer: 'integer',
  bigint: 'bigint',
  'numeric(5,2)': 'decimal(5)',
  'numeric(7,2)': 'decimal(7)',
  'numeric(15,2)': 'decimal',
  date: 'date',
  timestamp: 'timestamp',
  text: 'text',
};

/** The type of the column in a file. */
export function columnTypeOf({ name, type }: WorkloadColumn): ColumnType {
  const known = COLUMN_TYPES[type];
  if (known === undefined) throw new Error(`the type of ${name}, ${type}, is not written`);
  return known;
}

/** The columns of a table's file. */
export const schemaOf = ({ columns }: Pick<TableSource, 'columns'>): readonly ColumnSchema[] =>
  columns.map((column) => ({ name: column.name, type: columnTypeOf(column), nullable: column.nullable }));
