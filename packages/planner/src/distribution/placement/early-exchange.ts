import type { JoinRelation, Relation } from '../../relational/relation.ts';
import { groupCount } from '../estimate/estimate.ts';
import { plainReference } from '../tree/expressions.ts';
import { inputsOf, withInputs } from '../tree/inputs.ts';
import { exchangeCost, writeCost } from './cost/exchange-cost.ts';
import { imbalance } from './cost/imbalance.ts';
import { equalKeys } from './equal-keys.ts';
import { repartition } from './exchange.ts';
import type { Fragment, Placed } from './fragment.ts';
import type { Planning } from './planning.ts';

/** With fewer keys per node than this, hashing by them would leave nodes without work. */
export const KEYS_FOR_EACH_NODE = 20;

/** A point below which the rows of a fragment may be exchanged, instead of at its top. */
interface Cut {
  /** The relation as the statement has it. Refinements find the stage of the cut by it. */
  readonly logical: Relation;
  /** The same relation as tasks compute it. */
  readonly physical: Relation;
  /** For columns of the fragment, the columns of this relation that hold the same values. */
  readonly columns: ReadonlyMap<number, number>;
  /** The relation of the fragment over another relation in place of `physical`. */
  readonly above: (relation: Relation) => Relation;
}

/** Returns the cost in CPU µs of writing and hashing all rows of a relation by the keys. */
export function hashCost(planning: Planning, relation: Relation, keys: readonly number[]): number {
  const moved = planning.estimates.of(relation);
  const wait = imbalance(moved, keys, planning.nodes, true);
  return writeCost(moved) + exchangeCost(moved, 'hash', planning.nodes) * wait;
}

/**
 * Exchanges rows below joins with replicated sides, where they are narrower or fewer than above these joins. Every task of the hash
 * stage then computes the replicated sides.
 *
 *     hash by c_custkey                        join o_custkey = c_custkey
 *       join o_custkey = c_custkey        →      hash by o_custkey
 *         scan orders (source)                     scan orders (source)
 *         scan customer (replicated)             scan customer (replicated)
 *
 * @param keys columns of the fragment: rows with equal values of any of them that is chosen come to the same task
 * @param limit the cost in CPU µs of the exchange that this one replaces
 */
export function exchangeBelow(
  planning: Planning,
  { relation, fragments }: Placed,
  keys: readonly number[],
  limit: number,
): Fragment | undefined {
  const [only] = fragments;
  if (only === undefined || fragments.length > 1 || only.placement !== 'source') return undefined;
  const top: Cut = {
    logical: relation,
    physical: only.relation,
    columns: new Map(keys.map((key) => [key, key])),
    above: (inner) => inner,
  };
  let [best, least]: [Cut | undefined, number] = [undefined, limit];
  for (let cut = cutBelow(planning, top); cut !== undefined; cut = cutBelow(planning, cut)) {
    const cost = planning.materialized.has(cut.logical)
      ? 0
      : hashCost(planning, cut.logical, [...new Set(cut.columns.values())]);
    if (cost < least && hasEnoughKeys(planning, cut)) [best, least] = [cut, cost];
  }
  return best && exchangedAt(planning, best);
}

function exchangedAt(planning: Planning, { logical, physical, columns, above }: Cut): Fragment {
  const byColumn = new Map([...columns].map(([position, column]) => [column, position]));
  const spine: Fragment = { relation: physical, placement: 'source', hashKeyChoices: [] };
  const hashed = repartition(planning, { relation: logical, fragments: [spine] }, [...byColumn.keys()]);
  return {
    relation: above(hashed.relation),
    placement: 'hash',
    hashKeyChoices: [[...byColumn.values()]],
  };
}

function hasEnoughKeys(planning: Planning, { logical, columns }: Cut): boolean {
  const { rows, distinct } = planning.estimates.of(logical);
  const keys = [...new Set(columns.values())];
  const values = groupCount(
    keys.map((key) => distinct[key] ?? 1),
    rows,
  );
  return keys.length > 0 && values >= KEYS_FOR_EACH_NODE * planning.nodes;
}

/** The next point on the way to the rows that are divided among tasks; undefined where there is no such way. */
function cutBelow(planning: Planning, { logical, physical, columns, above }: Cut): Cut | undefined {
  if (logical.kind === 'shared')
    return cutBelow(planning, { logical: logical.body, physical, columns, above });
  if (logical.kind !== physical.kind) return undefined;
  switch (logical.kind) {
    case 'filter': {
      const { input } = physical as typeof logical;
      return {
        logical: logical.input,
        physical: input,
        columns,
        above: (inner) => above(withInputs(physical, [inner])),
      };
    }
    case 'project': {
      const { input, expressions } = physical as typeof logical;
      return {
        logical: logical.input,
        physical: input,
        columns: mapped(columns, (column) => plainReference(expressions[column]!)),
        above: (inner) => above(withInputs(physical, [inner])),
      };
    }
    case 'join': {
      const { left, right, conditions } = physical as typeof logical;
      if (conditions !== logical.conditions) return undefined;
      const [isLeft, isRight] = [isDivided(planning, left), isDivided(planning, right)];
      if (isLeft === isRight) return undefined;
      return {
        logical: isLeft ? logical.left : logical.right,
        physical: isLeft ? left : right,
        columns: mapped(columns, (column) => columnOfSide(logical, isLeft ? 'left' : 'right', column)),
        above: (inner) => above(withInputs(physical, isLeft ? [inner, right] : [left, inner])),
      };
    }
    default:
      return undefined;
  }
}

function mapped(
  columns: ReadonlyMap<number, number>,
  below: (column: number) => number | undefined,
): ReadonlyMap<number, number> {
  return new Map(
    [...columns].flatMap(([position, column]) => {
      const found = below(column);
      return found === undefined ? [] : [[position, found] as const];
    }),
  );
}

/** The column of a side that has the values of a column of the join. */
function columnOfSide(join: JoinRelation, side: 'left' | 'right', column: number): number | undefined {
  const { type, left, isAsof } = join;
  if (type === 'right_semi' || type === 'right_anti') return side === 'right' ? column : undefined;
  const width = left.columns.length;
  const isOfSide = side === 'left' ? column < width : column >= width;
  const own = column < width ? column : column - width;
  if (isOfSide) return own;
  if (type !== 'inner' || isAsof) return undefined;
  const across = side === 'left' ? 'right' : 'left';
  return equalKeys(join).find((pair) => !pair.isNullSafe && pair[across] === own)?.[side];
}

/** Whether the rows of a relation are divided among the tasks that compute it. */
function isDivided(planning: Planning, relation: Relation): boolean {
  if (relation.kind === 'scan') return planning.partitionedScans.has(relation);
  if (relation.kind === 'input') return planning.readings.get(relation.id)?.mode !== undefined;
  return inputsOf(relation).some((input) => isDivided(planning, input));
}
