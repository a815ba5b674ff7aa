import type { Column, TableObject } from '@tessera/catalog';
import type { HybridHeader } from '../header/hybrid-header.ts';
import type { Conjunct } from '../predicate.ts';
import { orderOf } from '../values/order.ts';
import { type ColumnBounds, type Condition, conditionsOf, mayHold } from './condition.ts';
import { KeyRanges } from './key-ranges.ts';

/**
 * The numbers of the granules, ascending, that may contain rows for one of the table's references in a query.
 * Decided by their min, max and NULL counts, and by the primary index.
 */
export function pruneGranules(
  table: TableObject,
  header: HybridHeader,
  filters: readonly (readonly Conjunct[])[],
): readonly number[] {
  const all = header.granuleRows.map((_, granule) => granule);
  const appearances = filters.map((conjuncts) => conditionsOf(table, conjuncts));
  if (appearances.length === 0 || appearances.some((conditions) => conditions.length === 0)) return all;
  const bounds = new GranuleBounds(header);
  const keys = new KeyRanges(table, header);
  const needed = (conditions: readonly Condition[], granule: number) =>
    conditions.every((condition) => mayHold(condition, (column) => bounds.of(column, granule))) &&
    keys.mayHold(conditions, granule);
  return all.filter((granule) => appearances.some((conditions) => needed(conditions, granule)));
}

class GranuleBounds {
  readonly #header: HybridHeader;
  readonly #known = new Map<number, readonly (ColumnBounds | undefined)[] | undefined>();

  constructor(header: HybridHeader) {
    this.#header = header;
  }

  of(column: Column, granule: number): ColumnBounds | undefined {
    if (!this.#known.has(column.id)) this.#known.set(column.id, this.#read(column));
    return this.#known.get(column.id)?.[granule];
  }

  #read(column: Column): (ColumnBounds | undefined)[] | undefined {
    const stored = this.#header.columns.find(({ id }) => id === column.id);
    const order = orderOf(column.type);
    return stored?.granules.map(({ min, max, nulls }, granule) =>
      nulls === undefined
        ? undefined
        : {
            min: min === undefined ? undefined : order?.parse(min),
            max: max === undefined ? undefined : order?.parse(max),
            someNull: nulls > 0,
            allNull: nulls >= this.#header.granuleRows[granule]!,
          },
    );
  }
}
