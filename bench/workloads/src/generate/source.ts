import type { ColumnType } from '../parquet/column.ts';
import type { ColumnSchema } from '../parquet/row-group.ts';
import type { WorkloadColumn } from '../workload.ts';

/**
 * What a generator gives for one column: whole numbers, money in hundredths, dates as days and timestamps as
 * microseconds since 1970, `bigint` as either; NULL only where the column may be.
 */
export type Value = number | bigint | string | null;

/** Where the rows of one table come from. Each unit is made from its own number only, so that units can be made anywhere. */
export interface TableSource {
  /** What is counted: rows, or orders of several rows. */
  readonly units: number;
  /** How many units are a row group of the file: it does not depend on the threads. */
  readonly unitsPerGroup: number;
  readonly columns: readonly WorkloadColumn[];
  /** Gives the rows of one unit, in the order of `columns`; `row` may be used again after the call. */
  rows(unit: number, emit: (row: readonly Value[]) => void): void;
}

/** What a module of sources exports: called in each worker. */
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

/** How the column is in a file. */
export function columnTypeOf({ name, type }: WorkloadColumn): ColumnType {
  const known = COLUMN_TYPES[type];
  if (known === undefined) throw new Error(`the type of ${name}, ${type}, is not written`);
  return known;
}

/** The columns of a table's file. */
export const schemaOf = ({ columns }: Pick<TableSource, 'columns'>): readonly ColumnSchema[] =>
  columns.map((column) => ({ name: column.name, type: columnTypeOf(column), nullable: column.nullable }));
