/** The types of columns of `information_schema` and `pg_catalog`, by the kernel's names. */
export type SystemType = ScalarType | `${Exclude<ScalarType, 'TIMESTAMP WITH TIME ZONE'>}[]`;

export type ScalarType =
  | 'VARCHAR'
  | 'BIGINT'
  | 'INTEGER'
  | 'SMALLINT'
  /** The type of OIDs. */
  | 'UINTEGER'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'TIMESTAMP WITH TIME ZONE';

export interface SystemColumn {
  readonly name: string;
  readonly type: SystemType;
}

/** A date is any instant within the day; integers are safe integers. */
export type SystemValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];

/** A view of `information_schema` or a relation of `pg_catalog` with its rows. */
export interface SystemRelation {
  readonly columns: readonly SystemColumn[];
  /** Generated while they are read, because `tablets` may have very many rows. */
  readonly rows: Iterable<readonly SystemValue[]>;
}

/** Columns from texts of the form `name TYPE`; the type is text if it is omitted. */
export const columnsOf = (
  ...columns: readonly (string | readonly [string, SystemType])[]
): readonly SystemColumn[] =>
  columns.map((column) =>
    typeof column === 'string' ? { name: column, type: 'VARCHAR' } : { name: column[0], type: column[1] },
  );

export const TIME = 'TIMESTAMP WITH TIME ZONE';
