import type { Column, TableObject } from '@tessera/catalog';
import type { HybridHeader, KeyValue } from '../header/hybrid-header.ts';
import { type OrderedValue, orderOf, type ValueOrder } from '../values/order.ts';
import type { Condition } from './condition.ts';

/** More combinations of equalities than this are not tried one by one. */
const MAX_RANGES = 256;

/** The keys from `low` to `high`. Both are prefixes of keys; further key columns are unrestricted. */
interface KeyRange {
  readonly low: readonly OrderedValue[];
  readonly high: readonly OrderedValue[];
  /** Whether keys that begin with the bound itself are excluded. */
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
}

interface KeyColumn {
  readonly column: Column;
  readonly order: ValueOrder;
}

/**
 * Finds the granules that may contain rows by the sparse primary index: the rows of a granule lie between its
 * first key and that of the next granule.
 */
export class KeyRanges {
  readonly #columns: readonly KeyColumn[];
  readonly #keys: HybridHeader['primaryIndex']['keys'];
  readonly #ranges = new Map<readonly Condition[], readonly KeyRange[]>();

  constructor(table: TableObject, { primaryIndex }: HybridHeader) {
    this.#columns = keyColumnsOf(table, primaryIndex.columns);
    this.#keys = primaryIndex.keys;
  }

  /** Whether the granule may contain a row that satisfies all conditions. */
  mayHold(conditions: readonly Condition[], granule: number): boolean {
    const key = this.#keys[granule];
    if (key === undefined || this.#columns.length === 0) return true;
    const next = this.#keys[granule + 1];
    return this.#rangesOf(conditions).some(
      ({ low, high, lowOpen, highOpen }) =>
        !this.#isAbove(key, high, highOpen) && (next === undefined || !this.#isBelow(next, low, lowOpen)),
    );
  }

  /** Whether every row from `key` on is beyond the end of the range. */
  #isAbove(key: readonly KeyValue[], high: readonly OrderedValue[], open: boolean): boolean {
    const order = this.#compare(key, high);
    return order !== undefined && (order > 0 || (open && order === 0 && high.length > 0));
  }

  /** Whether every row up to `key` is before the beginning of the range. */
  #isBelow(key: readonly KeyValue[], low: readonly OrderedValue[], open: boolean): boolean {
    const order = this.#compare(key, low);
    return order !== undefined && (order < 0 || (open && order === 0 && low.length > 0));
  }

  /** Compares the beginning of the key with the bound; undefined if the order is unknown. */
  #compare(key: readonly KeyValue[], bound: readonly OrderedValue[]): number | undefined {
    for (const [i, value] of bound.entries()) {
      const order = compareKey(key[i]!, value, this.#columns[i]!.order);
      if (order !== 0) return order;
    }
    return 0;
  }

  #rangesOf(conditions: readonly Condition[]): readonly KeyRange[] {
    let ranges = this.#ranges.get(conditions);
    if (ranges === undefined) {
      ranges = alternatives(conditions).flatMap((alternative) => this.#range(alternative));
      if (ranges.length > MAX_RANGES) ranges = [{ low: [], high: [], lowOpen: false, highOpen: false }];
      this.#ranges.set(conditions, ranges);
    }
    return ranges;
  }

  /** The key ranges of equalities on the first columns, followed by at most one column with bounds. */
  #range(conditions: readonly Condition[]): KeyRange[] {
    let prefixes: OrderedValue[][] = [[]];
    for (const { column, order } of this.#columns) {
      const equal = equalTo(conditions, column);
      if (equal !== undefined && prefixes.length * equal.length <= MAX_RANGES) {
        prefixes = prefixes.flatMap((prefix) => equal.map((value) => [...prefix, value]));
        continue;
      }
      const { low, high, lowOpen, highOpen } = between(conditions, column, order);
      return prefixes.map((prefix) => ({
        low: low === undefined ? prefix : [...prefix, low],
        high: high === undefined ? prefix : [...prefix, high],
        lowOpen: low !== undefined && lowOpen,
        highOpen: high !== undefined && highOpen,
      }));
    }
    return prefixes.map((prefix) => ({ low: prefix, high: prefix, lowOpen: false, highOpen: false }));
  }
}

/** The first key columns whose values can be compared. */
function keyColumnsOf(table: TableObject, ids: readonly number[]): KeyColumn[] {
  const columns: KeyColumn[] = [];
  for (const id of ids) {
    const column = table.columns.find((one) => one.id === id);
    const order = column === undefined ? undefined : orderOf(column.type);
    if (order === undefined) break;
    columns.push({ column: column!, order });
  }
  return columns;
}

/** Compares two key values; NULL is the largest. */
function compareKey(key: KeyValue, value: OrderedValue, order: ValueOrder): number | undefined {
  if (key.kind === 'null') return 1;
  const place = order.parse(key.text);
  if (place === undefined) return undefined;
  // A truncated text can only be compared with a text that does not begin with it.
  if (key.kind === 'prefix' && String(value).startsWith(key.text)) return undefined;
  return order.compare(place, value);
}

/**
 * One list of plain conditions for each combination of `or` branches; with too many combinations, `or`s are
 * dropped.
 */
function alternatives(conditions: readonly Condition[]): (readonly Condition[])[] {
  let chosen: (readonly Condition[])[] = [conditions.filter(({ kind }) => kind !== 'or')];
  for (const condition of conditions) {
    if (condition.kind !== 'or') continue;
    const branches = condition.branches.flatMap((branch) => alternatives(branch));
    if (chosen.length * branches.length > MAX_RANGES) continue;
    chosen = chosen.flatMap((before) => branches.map((branch) => [...before, ...branch]));
  }
  return chosen;
}

function equalTo(conditions: readonly Condition[], column: Column): readonly OrderedValue[] | undefined {
  let shortest: readonly OrderedValue[] | undefined;
  for (const condition of conditions) {
    if (condition.kind === 'or' || condition.column.id !== column.id) continue;
    const values =
      condition.kind === 'in'
        ? condition.values
        : condition.kind === 'compare' && condition.operator === '='
          ? [condition.value]
          : undefined;
    if (values !== undefined && (shortest === undefined || values.length < shortest.length))
      shortest = values;
  }
  return shortest;
}

function between(conditions: readonly Condition[], column: Column, { compare }: ValueOrder) {
  let [low, high]: (OrderedValue | undefined)[] = [];
  let [lowOpen, highOpen] = [false, false];
  for (const condition of conditions) {
    if (condition.kind !== 'compare' || condition.column.id !== column.id) continue;
    const { operator, value } = condition;
    if (operator === '>' || operator === '>=') {
      if (low !== undefined && compare(value, low) < 0) continue;
      lowOpen = operator === '>' || (low === value && lowOpen);
      low = value;
    } else if (operator === '<' || operator === '<=') {
      if (high !== undefined && compare(value, high) > 0) continue;
      highOpen = operator === '<' || (high === value && highOpen);
      high = value;
    }
  }
  return { low, high, lowOpen, highOpen };
}
