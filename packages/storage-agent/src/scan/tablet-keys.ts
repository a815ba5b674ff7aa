import type { TableObject } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import {
  type Conjunct,
  type HybridHeader,
  type KeyRange,
  pruneGranules,
  type TabletKeys,
} from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import { storedOrInitial } from './file-branch.ts';

/** The condition that a row of a tablet's body has one of the keys. */
export function keyCondition(table: TableObject, schemaVersion: number, keys: TabletKeys): string {
  const column = keyColumn(table, keys);
  const value = storedOrInitial(column, schemaVersion);
  const constant = (text: string) => `CAST(${quoteText(text)} AS ${column.type})`;
  const branches = keys.ranges.map(({ from, to }) => {
    const low = from === undefined ? undefined : `${value} >= ${constant(from)}`;
    const high = to === undefined ? undefined : `${value} < ${constant(to)}`;
    if (low === undefined) return high === undefined ? 'true' : `(${high} OR ${value} IS NULL)`;
    return high === undefined ? low : `(${low} AND ${high})`;
  });
  return `(${branches.join(' OR ')})`;
}

/** Returns those of the needed granules (undefined: all) that may hold rows with one of the keys. */
export function granulesWithKeys(
  table: TableObject,
  header: HybridHeader,
  keys: TabletKeys,
  needed: readonly number[] | undefined,
): readonly number[] {
  const { name } = keyColumn(table, keys);
  const filters = keys.ranges.map((range) => conjunctsOf(name, range));
  const held = pruneGranules(table, header, filters);
  const isNeeded = needed && new Set(needed);
  return isNeeded === undefined ? held : held.filter((granule) => isNeeded.has(granule));
}

function conjunctsOf(column: string, { from, to }: KeyRange): readonly Conjunct[] {
  const low = from === undefined ? [] : [{ kind: 'compare', column, operator: '>=', value: from } as const];
  const high = to === undefined ? [] : [{ kind: 'compare', column, operator: '<', value: to } as const];
  if (from !== undefined || to === undefined) return [...low, ...high];
  return [{ kind: 'or', branches: [high, [{ kind: 'null', column, isNull: true }]] }];
}

function keyColumn({ columns, name }: TableObject, { column }: TabletKeys) {
  const found = columns.find(({ id }) => id === column);
  if (found === undefined) throw new RangeError(`Table ${name} has no column ${column} to read it by`);
  return found;
}

/** The columns of a tablet to fetch: those of the request and the key column that selects the rows. */
export const columnsWithKey = (
  columns: readonly number[],
  keys: TabletKeys | undefined,
): readonly number[] =>
  keys === undefined || columns.includes(keys.column) ? columns : [...columns, keys.column];

/** An identity of the keys: equal texts mean equal keys; '' means all. */
export const keysIdentity = ({ keys }: Pick<ScanTablet, 'keys'>): string =>
  keys === undefined ? '' : JSON.stringify([keys.column, keys.ranges]);

/** The estimated number of rows with the keys. */
export const rowsWithKeys = ({ tablet, keys }: Pick<ScanTablet, 'tablet' | 'keys'>, rows: number): number =>
  keys === undefined ? rows : Math.round((rows * keys.rows) / tablet.rows);

/** The union of the disjoint keys of several parts of one tablet; undefined means all keys. */
export function keysTogether(parts: readonly Pick<ScanTablet, 'keys'>[]): TabletKeys | undefined {
  const [first] = parts;
  if (first?.keys === undefined || parts.some(({ keys }) => keys === undefined)) return undefined;
  const starts = new Map(parts.flatMap(({ keys }) => keys!.ranges.map((range) => [range.from, range])));
  const ends = new Set([...starts.values()].map(({ to }) => to).filter((to) => to !== undefined));
  const ranges = [...starts.values()]
    .filter(({ from }) => from === undefined || !ends.has(from))
    .map(({ from, to }): KeyRange => {
      let end = to;
      while (end !== undefined && starts.has(end)) end = starts.get(end)!.to;
      return { ...(from !== undefined && { from }), ...(end !== undefined && { to: end }) };
    });
  if (ranges.some(({ from, to }) => from === undefined && to === undefined)) return undefined;
  return {
    column: first.keys.column,
    ranges,
    rows: parts.reduce((sum, { keys }) => sum + keys!.rows, 0),
  };
}
