import type { Column, TableObject } from '@tessera/catalog';
import { quoteName, quoteText } from '@tessera/kernel';

/** The columns of a relation: those that a statement reads, and whether it needs row positions. */
export interface RelationShape {
  readonly table: TableObject;
  /** The ids of the columns to read. */
  readonly read: ReadonlySet<number>;
  /** The ids of columns that no expression names; they may be replaced by NULL. */
  readonly unnamed?: ReadonlySet<number> | undefined;
  /** The ids of columns that the relation lacks, unless it would have no column. */
  readonly omitted: ReadonlySet<number>;
  /** Whether it may have other columns too, because the statement contains no name of theirs and depends on no place of a column. */
  readonly mayHaveMore: boolean;
  readonly rowPositions: boolean;
}

export const TABLET_COLUMN = '"$tablet"';
export const ROW_COLUMN = '"$row"';

/** The columns of a relation, without those for row positions. */
function columnsOf({ table, omitted }: RelationShape): readonly Column[] {
  const kept = omitted.size === 0 ? table.columns : table.columns.filter(({ id }) => !omitted.has(id));
  return kept.length > 0 ? kept : table.columns.slice(0, 1);
}

/**
 * The select list of a relation: every column of the relation, in order, by name. A column that is not read is
 * an expression that fails when it is evaluated and costs nothing otherwise. If no expression names the
 * column, it is NULL, because the kernel sometimes evaluates columns that nothing uses.
 * @param source SQL for the value of a column that is read
 */
export function selectList(shape: RelationShape, source: (column: Column) => string): string {
  return columnsOf(shape)
    .map((column) => {
      const value = shape.read.has(column.id) ? source(column) : notRead(shape, column);
      return `${value} AS ${quoteName(column.name)}`;
    })
    .join(', ');
}

const notRead = ({ table, unnamed }: RelationShape, column: Column): string =>
  unnamed?.has(column.id) === true ? `CAST(NULL AS ${column.type})` : failing(table, column);

const failing = (table: TableObject, column: Column): string =>
  `CAST(error(${quoteText(`Column ${column.name} of table ${table.name} was not fetched`)}) AS ${column.type})`;

/** The value of a column in tablets that were written before the column was added. */
export const initialValue = (column: Column): string =>
  `CAST(${column.initialSql ?? 'NULL'} AS ${column.type})`;

/** A relation with the right columns and no rows. */
export function emptyRelation(shape: RelationShape): string {
  const columns = columnsOf(shape).map((c) => `CAST(NULL AS ${c.type}) AS ${quoteName(c.name)}`);
  const positions = shape.rowPositions
    ? [`CAST(NULL AS INTEGER) AS ${TABLET_COLUMN}`, `CAST(NULL AS BIGINT) AS ${ROW_COLUMN}`]
    : [];
  return `(SELECT ${[...columns, ...positions].join(', ')} WHERE false)`;
}

/** One relation of all branches, each a SELECT of the same columns. */
export const unionOf = (branches: readonly string[]): string => `(${branches.join(' UNION ALL ')})`;
