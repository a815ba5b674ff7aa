import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type { ObjectName } from '../statements/object-name.ts';

/** A column of the table that a statement changes; the catalog's `Column` is one. */
export interface TargetColumn {
  readonly name: string;
  readonly storedName: string;
  /** The kernel's SQL for the type. */
  readonly type: string;
  readonly nullable: boolean;
  /** An expression of the dialect. */
  readonly defaultSql?: string | undefined;
  readonly identity?: 'always' | 'by_default' | undefined;
}

/** The table that a statement changes. */
export interface ChangeTarget {
  readonly name: string;
  readonly columns: readonly TargetColumn[];
}

/** @throws TesseraError UNDEFINED_NAME with the nearest name */
export function targetColumn(
  target: ChangeTarget,
  name: string,
  location: SqlLocation | undefined,
): TargetColumn {
  const column = target.columns.find((c) => c.name === name);
  if (column !== undefined) return column;
  const nearest = nearestName(
    name,
    target.columns.map((c) => c.name),
  );
  const message = `Column "${name}" of table "${target.name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
  return fail('UNDEFINED_NAME', { message }, { location });
}

/** @throws TesseraError GENERATED_ALWAYS for a column that takes no values */
export function refuseGenerated({ name, identity }: TargetColumn, location: SqlLocation | undefined): void {
  if (identity === 'always') fail('GENERATED_ALWAYS', { column: name }, { location });
}

/** What stands for the table where the statement gives it no alias. */
export const targetAlias = (table: ObjectName, alias: string | undefined): string =>
  alias ?? table.parts.at(-1)!;
