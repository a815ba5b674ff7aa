import type { Column, ColumnStatistics, TableObject, Tablet } from '@tessera/catalog';
import type { Conjunct } from '../predicate.ts';
import { orderOf } from '../values/order.ts';
import { type ColumnBounds, type Condition, conditionsOf, mayHold } from './condition.ts';

/**
 * The tablets that may contain rows for one of the table's references in a query, each with the conditions of
 * its rows. The result is safe but not exact: a remaining tablet may contain no matching row.
 */
export function pruneTablets(
  table: TableObject,
  tablets: readonly Tablet[],
  filters: readonly (readonly Conjunct[])[],
): readonly Tablet[] {
  const appearances = filters.map((conjuncts) => conditionsOf(table, conjuncts));
  if (appearances.length === 0 || appearances.some((conditions) => conditions.length === 0)) return tablets;
  return tablets.filter((tablet) => appearances.some((conditions) => mayHaveRows(tablet, conditions)));
}

function mayHaveRows(tablet: Tablet, conditions: readonly Condition[]): boolean {
  const bounds = (column: Column) => boundsIn(tablet, column);
  return conditions.every((condition) => mayHold(condition, bounds));
}

const ALL_NULL: ColumnBounds = { min: undefined, max: undefined, someNull: true, allNull: true };

function boundsIn(tablet: Tablet, column: Column): ColumnBounds | undefined {
  if (column.since > tablet.schemaVersion) return column.initialSql === undefined ? ALL_NULL : undefined;
  // Tablets list their columns in mostly the same order.
  const { statistics } = tablet;
  const hint = statistics[column.id - 1];
  const found = hint?.column === column.id ? hint : statistics.find((one) => one.column === column.id);
  return found === undefined ? undefined : new StatisticsBounds(found, column, tablet.rows);
}

/** Bounds that parse their texts on demand, because most tablets are decided by one of the two. */
class StatisticsBounds implements ColumnBounds {
  readonly #statistics: ColumnStatistics;
  readonly #column: Column;
  readonly #rows: number;

  constructor(statistics: ColumnStatistics, column: Column, rows: number) {
    this.#statistics = statistics;
    this.#column = column;
    this.#rows = rows;
  }

  get min() {
    const { min } = this.#statistics;
    return min === undefined ? undefined : orderOf(this.#column.type)?.parse(min);
  }

  get max() {
    const { max } = this.#statistics;
    return max === undefined ? undefined : orderOf(this.#column.type)?.parse(max);
  }

  get someNull() {
    return this.#statistics.nulls > 0;
  }

  get allNull() {
    return this.#statistics.nulls >= this.#rows;
  }
}
