import type { Column, ColumnStatistics, TableObject, Tablet } from '@tessera/catalog';
import type { Conjunct } from '../predicate.ts';
import { orderOf } from '../values/order.ts';
import { type ColumnBounds, type Condition, conditionsOf, mayHold } from './condition.ts';

/**
 * The tablets that may hold rows for one of the appearances of the table, each with the conditions that its rows meet.
 * Always right, never exact: a tablet that stays may hold none.
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

const ALL_NULL: ColumnBounds = { someNull: true, allNull: true };

function boundsIn(tablet: Tablet, column: Column): ColumnBounds | undefined {
  if (column.since > tablet.schemaVersion) return column.initialSql === undefined ? ALL_NULL : undefined;
  // Tablets list their columns in much the same order.
  const { statistics } = tablet;
  const hint = statistics[column.id - 1];
  const found = hint?.column === column.id ? hint : statistics.find((one) => one.column === column.id);
  return found === undefined ? undefined : readBounds(found, column, tablet.rows);
}

/** Statistics never change, and tablets are shared by all snapshots: texts are read once. */
const cache = new WeakMap<ColumnStatistics, ColumnBounds>();

function readBounds(statistics: ColumnStatistics, column: Column, rows: number): ColumnBounds {
  const known = cache.get(statistics);
  if (known !== undefined) return known;
  const order = orderOf(column.type);
  const bounds: ColumnBounds = {
    min: statistics.min === undefined ? undefined : order?.parse(statistics.min),
    max: statistics.max === undefined ? undefined : order?.parse(statistics.max),
    someNull: statistics.nulls > 0,
    allNull: statistics.nulls >= rows,
  };
  cache.set(statistics, bounds);
  return bounds;
}
