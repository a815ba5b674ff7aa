import type { SqlTemplate } from '../../distributed-plan.ts';
import { joinSql, sql } from './sql-parts.ts';

/** A SELECT under construction. */
export interface QueryBlock {
  /** WITH and its definitions. */
  readonly with?: SqlTemplate | undefined;
  /** The text after FROM; without it there is one row. */
  readonly from?: SqlTemplate | undefined;
  /**
   * Whether `from` contains more than one relation, so that the block becomes a subquery as a side of a join.
   */
  readonly isJoined?: boolean;
  /** The select list; it only contains references to columns of `from` while the block `isPlain`. */
  readonly columns: readonly SqlTemplate[];
  readonly isPlain: boolean;
  /** The text between SELECT and the columns. */
  readonly distinct?: SqlTemplate | undefined;
  readonly where: readonly string[];
  /** The clauses after WHERE: GROUP BY, ORDER BY, LIMIT, USING SAMPLE. */
  readonly tail: readonly SqlTemplate[];
}

export const plainBlock = (from: SqlTemplate, columns: readonly string[], isJoined = false): QueryBlock => ({
  from,
  isJoined,
  columns: columns.map((column) => [column]),
  isPlain: true,
  where: [],
  tail: [],
});

/** Whether the block only selects columns of its FROM, with conditions at most. */
export const isSimple = ({ isPlain, tail, distinct, with: definitions }: QueryBlock): boolean =>
  isPlain && tail.length === 0 && distinct === undefined && definitions === undefined;

/** The texts of the columns of a plain block. */
export const plainColumns = ({ columns }: QueryBlock): readonly string[] =>
  columns.map((column) => column.join(''));

/** The block as a query with columns `c0` to `cn`; a block without columns gets one dummy column. */
export function blockQuery(block: QueryBlock): SqlTemplate {
  const { columns, from, where, tail, distinct, with: definitions } = block;
  const selected =
    columns.length === 0
      ? sql`NULL AS c0`
      : joinSql(
          columns.map((column, i) => sql`${column} AS c${String(i)}`),
          ', ',
        );
  return joinSql(
    [
      ...(definitions === undefined ? [] : [definitions]),
      sql`SELECT ${distinct ?? ''}${selected}`,
      ...(from === undefined ? [] : [sql`FROM ${from}`]),
      ...(where.length === 0 ? [] : [sql`WHERE ${where.join(' AND ')}`]),
      ...tail,
    ],
    ' ',
  );
}
