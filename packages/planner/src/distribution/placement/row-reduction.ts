import type { JoinRelation, Relation } from '../../relational/relation.ts';
import type { Estimate } from '../estimate/estimate.ts';
import { anyRelation } from '../tree/inputs.ts';
import { scannedColumns } from './column-origin.ts';
import { exchangeCost, writeCost } from './cost/exchange-cost.ts';
import { mayFilterRows, stageColumn, testingScans } from './dynamic-filter.ts';
import type { KeyPair } from './equal-keys.ts';
import type { Placed } from './fragment.ts';
import type { Planning, StageDraft } from './planning.ts';

/** The measured CPU time in µs to test one row against a filter, or to add one row to it. */
const TESTED_ROW_US = 0.07;
const ADDED_KEY_US = 0.06;
/** The CPU time in µs to send one key of a filter to a node and to load it there. */
const SENT_KEY_US = 0.08;
/** The CPU time in µs of the statements that a filter needs on each node. */
const EACH_NODE_US = 3_000;

/**
 * A filter that the estimate does not favour is nevertheless built if that costs less than this fraction of
 * what it saves when the side turns out to have hardly any keys.
 */
const WORTH_TRYING = 0.05;

/** The fraction of keys that pass a filter although they are not in it. */
const FALSE_POSITIVES = 0.05;
/** A filter with more keys is larger than a task message should be. */
const MOST_KEYS = 8_000_000;

/** A choice of the side of a hash join whose keys filter the rows of the other side. */
export interface RowReduction {
  readonly buildSide: 'left' | 'right';
  readonly pair: KeyPair;
}

/** Operators whose result contains every value that a column has in their input. */
const KEEPS_VALUES: ReadonlySet<Relation['kind']> = new Set([
  'input',
  'project',
  'aggregate',
  'distinct',
  'window',
  'sort',
]);

/** The placed sides of a join, and which of them an exchange moves. */
export interface JoinSides {
  readonly left: Placed;
  readonly right: Placed;
  /** False for a broadcast, which leaves the rows of the other side in place. */
  readonly isProbeMoved: boolean;
}

/**
 * Chooses the side of a join to compute first, so that its keys filter the rows below the other side before
 * these are moved. Undefined if moving the removed rows costs less than building the filter and testing every
 * row.
 *     stage 1: scan a, hash of k           stage 1: scan a, hash of k, builds a filter of its k
 *     stage 2: scan b, hash of k      →    stage 2: scan b (k in the filter of stage 1), hash of k
 *     stage 3: join k                      stage 3: join k
 * @param first the side that is computed first in any case; undefined means either
 */
export function rowReduction(
  planning: Planning,
  join: JoinRelation,
  sides: JoinSides,
  pairs: readonly KeyPair[],
  first: 'left' | 'right' | undefined,
): RowReduction | undefined {
  if (planning.facts.cluster.joinKeyFilters === 'never') return undefined;
  const choices = (first === undefined ? (['left', 'right'] as const) : [first]).flatMap((buildSide) =>
    pairs.map((pair) => ({ buildSide, pair, gain: reductionGain(planning, join, sides, buildSide, pair) })),
  );
  return choices.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain)[0];
}

/**
 * The key of a build side from which a filter should be built before it is known whether the filter pays: the
 * other side waits for the size of this one in any case, and the plan is refined when the size is known.
 * Undefined if building the filter costs too much for a chance.
 */
export function possibleReduction(
  planning: Planning,
  join: JoinRelation,
  sides: JoinSides,
  pairs: readonly KeyPair[],
  buildSide: 'left' | 'right',
): KeyPair | undefined {
  if (planning.facts.cluster.joinKeyFilters === 'never') return undefined;
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  return pairs.find((pair) => {
    if (!mayFilterRows(join, probeSide, pair)) return false;
    const added = addedKeys(planning, join[buildSide], sides[buildSide], pair[buildSide]);
    if (added === undefined || added.rows > MOST_KEYS) return false;
    const { tested, movedCost } = testedRows(planning, join, sides, probeSide, pair[probeSide]);
    const each = planning.nodes * EACH_NODE_US;
    const mostSaved = movedCost * (1 - FALSE_POSITIVES) - tested * TESTED_ROW_US - each;
    return added.rows * ADDED_KEY_US + each < mostSaved * WORTH_TRYING;
  });
}

/** The CPU time in µs that is saved if a key of `buildSide` filters the rows of the other side. */
function reductionGain(
  planning: Planning,
  join: JoinRelation,
  sides: JoinSides,
  buildSide: 'left' | 'right',
  pair: KeyPair,
): number {
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  if (!mayFilterRows(join, probeSide, pair)) return 0;
  const added = addedKeys(planning, join[buildSide], sides[buildSide], pair[buildSide]);
  if (added === undefined || added.distinct > MOST_KEYS) return 0;
  const { tested, movedCost } = testedRows(planning, join, sides, probeSide, pair[probeSide]);
  if (tested === 0) return 0;
  if (planning.facts.cluster.joinKeyFilters === 'always') return movedCost;
  const probe = planning.estimates.of(join[probeSide]);
  const all = Math.min(
    probe.distinct[pair[probeSide]] ?? probe.rows,
    ...keysOfTable(planning, join[buildSide], pair[buildSide]),
  );
  const share = Math.min(1, added.distinct / Math.max(1, all));
  const saved = movedCost * (1 - share - FALSE_POSITIVES);
  const spentOnce = tested * TESTED_ROW_US + added.rows * ADDED_KEY_US;
  return saved - spentOnce - planning.nodes * (added.distinct * SENT_KEY_US + EACH_NODE_US);
}

/**
 * The distinct values of a column in the tables that it comes from. Keys usually refer to existing rows, so a
 * build side with all rows of its table filters nothing.
 */
const keysOfTable = (planning: Planning, relation: Relation, position: number): readonly number[] =>
  scannedColumns(relation, position).map(
    ({ scan, column }) => planning.estimates.of(scan).distinct[scan.names.indexOf(column)]!,
  );

/**
 * The number of rows of the scans that would test the column, and the cost of moving the rows that come from
 * them.
 */
function testedRows(
  planning: Planning,
  join: JoinRelation,
  sides: JoinSides,
  probeSide: 'left' | 'right',
  position: number,
): { readonly tested: number; readonly movedCost: number } {
  const moved = new Set<Estimate | StageDraft>();
  let tested = 0;
  for (const { scan, draft } of testingScans(
    planning,
    join[probeSide],
    sides[probeSide].fragments,
    position,
  )) {
    if (draft === undefined && !sides.isProbeMoved) continue;
    tested += planning.estimates.of(scan).rows;
    moved.add(draft ?? planning.estimates.of(join[probeSide]));
  }
  const movedCost = [...moved].reduce(
    (sum, rows) => sum + writeCost(rows) + exchangeCost(rows, 'hash', planning.nodes),
    0,
  );
  return { tested, movedCost };
}

/**
 * The rows of the stage whose column would provide the filter, and its distinct values; undefined if no
 * single stage has them.
 */
function addedKeys(
  planning: Planning,
  relation: Relation,
  { fragments }: Placed,
  position: number,
): { readonly rows: number; readonly distinct: number } | undefined {
  const [only] = fragments;
  if (only === undefined || fragments.length > 1) return undefined;
  const { rows, distinct } = planning.estimates.of(relation);
  const own = { rows, distinct: Math.min(rows, distinct[position] ?? rows) };
  if (only.placement !== 'hash' && only.placement !== 'output') return own;
  const found = stageColumn(planning, only.relation, position);
  if (found === undefined) return undefined;
  const draft = planning.draft(found.stage);
  if (draft.isFixed && !draft.filterKeys.has(found.position)) return undefined;
  const size = planning.finished.get(found.stage)?.rows ?? draft.rows;
  // The filter contains all values of the stage's column, including those that operators above remove.
  const losesValues = anyRelation(only.relation, ({ kind }) => !KEEPS_VALUES.has(kind));
  return { rows: size, distinct: losesValues ? size : Math.min(own.distinct, size) };
}
