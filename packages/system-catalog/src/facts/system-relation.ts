/** Types that columns of `information_schema` and `pg_catalog` have: the kernel's names. */
export type SystemType = ScalarType | `${Exclude<ScalarType, 'TIMESTAMP WITH TIME ZONE'>}[]`;

type ScalarType =
  | 'VARCHAR'
  | 'BIGINT'
  | 'INTEGER'
  | 'SMALLINT'
  /** OIDs have it. */
  | 'UINTEGER'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'TIMESTAMP WITH TIME ZONE';

export interface SystemColumn {
  readonly name: string;
  readonly type: SystemType;
}

/** Dates are times of the day they name; integers are safe integers. */
export type SystemValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];

/** A view of `information_schema` or a relation of `pg_catalog` with its rows. */
export interface SystemRelation {
  readonly columns: readonly SystemColumn[];
  /** Made while they are read: `tablets` may have very many. */
  readonly rows: Iterable<readonly SystemValue[]>;
}

/** Columns from `name TYPE` texts; text is the type where none is told. */
export const columnsOf = (
  ...columns: readonly (string | readonly [string, SystemType])[]
): readonly SystemColumn[] =>
  columns.map((column) =>
    typeof column === 'string' ? { name: column, type: 'VARCHAR' } : { name: column[0], type: column[1] },
  );

export const TIME = 'TIMESTAMP WITH TIME ZONE';
