import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type { ObjectName } from '../statements/object-name.ts';

/** A column of the table that a statement changes; the catalog's `Column` is one. */
export interface TargetColumn {
  readonly name: string;
  readonly storedName: string;
  /** The column's type as SQL of the kernel. */
  readonly type: string;
  /** `Column.declared`. */
  readonly declared?: string | undefined;
  readonly nullable: boolean;
  /** The default as an expression of the dialect. */
  readonly defaultSql?: string | undefined;
  readonly identity?: 'always' | 'by_default' | undefined;
}

/** The type that a new value is cast to, as SQL of the dialect. */
export const assignedType = ({ type, declared }: TargetColumn): string =>
  declared === 'jsonb' || declared?.startsWith('timestamp(') ? declared : type;

/** SQL of the kernel: a value of any type as a column stores it. */
export const storedForm = (
  value: string,
  { type, declared }: Pick<TargetColumn, 'type' | 'declared'>,
): string => (declared === 'jsonb' ? `tsr_to_jsonb(${value})` : `CAST(${value} AS ${type})`);

/** The table that a statement changes. */
export interface ChangeTarget {
  readonly name: string;
  readonly columns: readonly TargetColumn[];
}

/**
 * The column of the given name.
 * @throws TesseraError UNDEFINED_NAME that suggests the nearest name
 */
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

/** @throws TesseraError GENERATED_ALWAYS if statements may not give the column a value */
export function refuseGenerated({ name, identity }: TargetColumn, location: SqlLocation | undefined): void {
  if (identity === 'always') fail('GENERATED_ALWAYS', { column: name }, { location });
}

/** The name by which expressions refer to the table: its alias, or else its own name. */
export const targetAlias = (table: ObjectName, alias: string | undefined): string =>
  alias ?? table.parts.at(-1)!;
