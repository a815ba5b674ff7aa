import type { SystemRelation, SystemValue } from '../facts/system-relation.ts';
import { catalogColumns } from './system-relations.ts';

/** A row by column names; columns that are not named are NULL. */
export type Row = Readonly<Record<string, SystemValue>>;

/** A relation of `pg_catalog` with rows in the order of its columns. */
export function catalogRelation(name: string, rows: Iterable<Row>): SystemRelation {
  const columns = catalogColumns(name)!;
  return { columns, rows: ordered(rows) };

  function* ordered(of: Iterable<Row>): Generator<readonly SystemValue[]> {
    for (const row of of) yield columns.map((column) => row[column.name]);
  }
}
