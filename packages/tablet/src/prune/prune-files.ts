import type { Column } from '@tessera/catalog';
import type { Conjunct } from '../predicate.ts';
import { orderOf } from '../values/order.ts';
import { type ColumnBounds, conditionsOf, mayHold } from './condition.ts';

/** What is known about the values of a column in a file. Bounds are the kernel's VARCHAR of a value. */
export interface FileBounds {
  /** No value is smaller; absent means unknown. */
  readonly min?: string | undefined;
  /** No value is larger; absent means unknown. */
  readonly max?: string | undefined;
  readonly someNull: boolean;
  readonly allNull: boolean;
}

/** The bounds of a column by its name; undefined for a column of which nothing is known. */
export type BoundsOf = (column: string) => FileBounds | undefined;

/**
 * Makes a test whether a file may contain rows that one of the references in a statement needs. The test is
 * safe but not exact: a file that passes may contain no matching row.
 * @param columns the names and types of the columns that files have bounds for
 */
export function fileFilter(
  columns: readonly { readonly name: string; readonly type: string }[],
  filters: readonly (readonly Conjunct[])[],
): (bounds: BoundsOf) => boolean {
  const known = columns.map(
    ({ name, type }, id): Column => ({ id, name, storedName: name, type, nullable: true, since: 0 }),
  );
  const references = filters.map((conjuncts) => conditionsOf({ columns: known }, conjuncts));
  if (references.length === 0 || references.some((conditions) => conditions.length === 0)) return () => true;
  return (bounds) => {
    const boundsIn = (column: Column): ColumnBounds | undefined => {
      const found = bounds(column.name);
      const order = orderOf(column.type);
      const parsed = (text: string | undefined) => (text === undefined ? undefined : order?.parse(text));
      return found && { ...found, min: parsed(found.min), max: parsed(found.max) };
    };
    return references.some((conditions) => conditions.every((condition) => mayHold(condition, boundsIn)));
  };
}
