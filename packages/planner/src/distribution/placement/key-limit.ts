import type { JoinRelation, Relation, ScanRelation } from '../../relational/relation.ts';
import { inputsOf } from '../tree/inputs.ts';
import { keyedWithin } from './co-located.ts';
import { scannedColumns } from './column-origin.ts';
import { mayFilterRows } from './dynamic-filter.ts';
import { equalKeys } from './equal-keys.ts';
import type { Fragment, Placed } from './fragment.ts';
import type { KeyLimit, Planning, StageDraft } from './planning.ts';

/** Filtering fewer rows is not worth a condition. */
const LEAST_ROWS = 10_000;

/**
 * Lets each task read only those rows of a replicated side whose join key is in the ranges of keys that the
 * task has of the other side. All other work on the side is then divided among the tasks.
 *     join k                           join k
 *       scan a (source, by k)            scan a (source, by k)
 *       filter                      →    filter
 *         scan b (replicated)              scan b (replicated, k within the task's ranges)
 * A side whose unmatched rows are returned must keep all of its rows.
 * @param replicated the side as `replicate` returned it: only scans that it copied are limited, because others
 * may have further readers
 */
export function limitToKeys(
  planning: Planning,
  join: JoinRelation,
  side: 'left' | 'right',
  { other, own, replicated }: { readonly other: Placed; readonly own: Placed; readonly replicated: Fragment },
): boolean {
  const otherSide = side === 'left' ? 'right' : 'left';
  for (const pair of equalKeys(join)) {
    if (!mayFilterRows(join, side, pair)) continue;
    const keyed = keyedWithin(planning, other, new Set([pair[otherSide]]));
    if (keyed === undefined) continue;
    const before = new Set(own.fragments.flatMap(({ relation }) => leavesOf(relation)));
    const { domain } = keyed.keyed;
    const dividedLeaves = leavesOf(keyed.relation).filter(
      (leaf) =>
        (leaf.kind === 'scan' && planning.partitionedScans.has(leaf)) ||
        (leaf.kind === 'input' && keyed.forwarded.includes(leaf.id)),
    );
    const found = scannedColumns(replicated.relation, pair[side]).filter(
      ({ scan }) =>
        !before.has(scan) &&
        planning.estimates.of(scan).rows >= LEAST_ROWS &&
        planning.facts.tables.get(scan.relation)?.external === undefined,
    );
    for (const { scan, column } of found) planning.keyLimits.set(scan, { column, domain, dividedLeaves });
    if (found.length > 0) return true;
  }
  return false;
}

/** The limit of a replicated scan, if the tasks of the stage have the ranges of keys that it refers to. */
export function keyLimitIn(
  planning: Planning,
  { partitioning, relation }: StageDraft,
  scan: ScanRelation,
): KeyLimit | undefined {
  const limit = planning.keyLimits.get(scan);
  if (limit === undefined || partitioning !== 'source') return undefined;
  const leaves = new Set(leavesOf(relation));
  const isDivided = (leaf: Relation) =>
    leaves.has(leaf) &&
    (leaf.kind === 'scan'
      ? planning.partitionedScans.has(leaf)
      : leaf.kind === 'input' && planning.readings.get(leaf.id)?.mode === 'forward');
  return limit.dividedLeaves.length > 0 && limit.dividedLeaves.every(isDivided) ? limit : undefined;
}

const leavesOf = (relation: Relation): readonly Relation[] => {
  const inputs = inputsOf(relation);
  return inputs.length === 0 ? [relation] : inputs.flatMap(leavesOf);
};
