import type { TableObject } from '@tessera/catalog';
import type { Comparison, Conjunct } from '../predicate.ts';
import { type Condition, conditionsOf, mayHold } from '../prune/condition.ts';
import { bloomHas, type GranuleFilter } from './granule-filter.ts';

/** The kind of filter that a skip index has of a column, by the column's name; undefined for other columns. */
export type FilterKinds = ReadonlyMap<string, GranuleFilter['kind']>;

/** A condition on one column with constants. */
export type ValueCondition = Comparison | Extract<Conjunct, { kind: 'in' }>;

const isOnValue = (conjunct: Conjunct): conjunct is ValueCondition =>
  conjunct.kind === 'compare' || conjunct.kind === 'in';

/** The constants of a condition that asks for equal values; undefined for other conditions. */
const equalTo = (condition: ValueCondition): readonly string[] | undefined =>
  condition.kind === 'in' ? condition.values : condition.operator === '=' ? [condition.value] : undefined;

/**
 * The conditions that filters can decide; empty if some reference to the table (an item of `filters`) has none, so that
 * all granules are needed whatever the filters say.
 */
export function decidedConditions(
  filters: readonly (readonly Conjunct[])[],
  kinds: FilterKinds,
): readonly ValueCondition[] {
  const decided = filters.map((conjuncts) => conjuncts.flatMap((conjunct) => decidedIn(conjunct, kinds)));
  return decided.some((conditions) => conditions.length === 0) ? [] : decided.flat();
}

function decidedIn(conjunct: Conjunct, kinds: FilterKinds): readonly ValueCondition[] {
  if (conjunct.kind === 'or') {
    const branches = conjunct.branches.map((branch) => branch.flatMap((one) => decidedIn(one, kinds)));
    return branches.some((conditions) => conditions.length === 0) ? [] : branches.flat();
  }
  if (!isOnValue(conjunct)) return [];
  const kind = kinds.get(conjunct.column);
  return kind === 'set' || (kind === 'bloom_filter' && equalTo(conjunct) !== undefined) ? [conjunct] : [];
}

/** The constants that Bloom filters are asked for, by column. */
export function hashedConstants(
  conditions: readonly ValueCondition[],
  kinds: FilterKinds,
): ReadonlyMap<string, readonly string[]> {
  const hashed = conditions.filter(({ column }) => kinds.get(column) === 'bloom_filter');
  const byColumn = Map.groupBy(hashed, ({ column }) => column);
  return new Map(
    [...byColumn].map(([column, ones]) => [column, [...new Set(ones.flatMap((one) => equalTo(one) ?? []))]]),
  );
}

/** The hashes of constants, by column and text. */
export type ConstantHashes = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/**
 * Makes a test whether a granule may contain rows that one of the references needs, given the filters of its columns by
 * name. Columns without a filter, and constants without a hash, decide nothing.
 */
export function granuleTest(
  table: Pick<TableObject, 'columns'>,
  filters: readonly (readonly Conjunct[])[],
  hashes: ConstantHashes,
): (granule: ReadonlyMap<string, GranuleFilter>) => boolean {
  const conditions = new Map<ValueCondition, Condition | undefined>();
  const conditionOf = (one: ValueCondition): Condition | undefined => {
    if (!conditions.has(one)) conditions.set(one, conditionsOf(table, [one])[0]);
    return conditions.get(one);
  };
  const isInSet = (values: ValueSet['values'], wanted: readonly ValueCondition[]): boolean =>
    values.some((value) =>
      wanted.every((one) => {
        const condition = conditionOf(one);
        const bounds = { min: value, max: value, someNull: false, allNull: false };
        return condition === undefined || mayHold(condition, () => bounds);
      }),
    );
  const isInBloomFilter = (bits: Uint8Array, condition: ValueCondition): boolean => {
    const values = equalTo(condition);
    return (
      values === undefined ||
      values.some((value) => {
        const hash = hashes.get(condition.column)?.get(value);
        return hash === undefined || bloomHas(bits, hash);
      })
    );
  };
  return (granule) => {
    // A row has one value in a column, so one value of a set must satisfy all conditions on the column.
    const mayHoldAll = (conjuncts: readonly Conjunct[]): boolean => {
      const onValues = Map.groupBy(conjuncts.filter(isOnValue), ({ column }) => column);
      for (const [column, wanted] of onValues) {
        const filter = granule.get(column);
        if (filter?.kind === 'set' && !isInSet(filter.values, wanted)) return false;
        if (filter?.kind === 'bloom_filter' && !wanted.every((one) => isInBloomFilter(filter.bits, one)))
          return false;
      }
      return conjuncts.every((one) => one.kind !== 'or' || one.branches.some(mayHoldAll));
    };
    return filters.some(mayHoldAll);
  };
}

type ValueSet = Extract<GranuleFilter, { kind: 'set' }>;
