import type { SqlTemplate } from '../../distributed-plan.ts';
import { joinSql, sql } from './sql-parts.ts';

/** A SELECT that is being put together. */
export interface QueryBlock {
  /** WITH and its definitions. */
  readonly with?: SqlTemplate | undefined;
  /** Behind FROM; without it there is one row. */
  readonly from?: SqlTemplate | undefined;
  /** `from` is more than one relation: as the right side of a join it stands in parentheses. */
  readonly isJoined?: boolean;
  /** What it selects; references to columns of `from` only, while it `isPlain`. */
  readonly columns: readonly SqlTemplate[];
  readonly isPlain: boolean;
  /** Between SELECT and the columns. */
  readonly distinct?: SqlTemplate | undefined;
  readonly where: readonly string[];
  /** What stands behind WHERE: GROUP BY, ORDER BY, LIMIT, USING SAMPLE. */
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

/** Whether the block only names columns of its FROM, with conditions at most. */
export const isSimple = ({ isPlain, tail, distinct, with: definitions }: QueryBlock): boolean =>
  isPlain && tail.length === 0 && distinct === undefined && definitions === undefined;

/** The text of a column of a plain block. */
export const plainColumns = ({ columns }: QueryBlock): readonly string[] =>
  columns.map((column) => column.join(''));

/** The block as a query whose columns are `c0` to `cn`; one without columns gives one of no meaning. */
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
