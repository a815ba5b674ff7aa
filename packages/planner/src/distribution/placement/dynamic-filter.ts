import type { JoinRelation, Relation } from '../../relational/relation.ts';
import type { KeyPair } from './equal-keys.ts';
import { isVolatileRelation } from './exchange.ts';
import type { Fragment, Placed } from './fragment.ts';
import { rowsRead } from './partition-replicated.ts';
import type { Planning } from './planning.ts';
import { scanOf } from './scan-of.ts';
import { dropsUnmatched } from './unmatched-rows.ts';

/** Of a build side; more would tell little. */
const MOST_BUILD_ROWS = 1_000_000;
const LEAST_PROBE_ROWS = 100_000;
/** Stored bytes of a table for which a stage more is worth while, when this share of the build side's rows is left at most. */
const LEAST_PROBE_BYTES = 2 ** 28;
const MOST_KEPT = 0.3;

/**
 * Lets a scan leave out what finds no match: the keys of a small build side prune the tablets that the probe side's rows come
 * from.
 *
 *     join k                         join k
 *       scan a (k)            →        scan a (k among those of stage 1)
 *       input b (stage 1)              input b (stage 1, tells its k)
 *
 * Only where probe rows without a match are of no account: a LEFT join would lose them.
 */
export function filterByBuild(
  planning: Planning,
  join: JoinRelation,
  probe: Placed,
  buildSide: 'left' | 'right',
  pairs: readonly KeyPair[],
  build: Relation,
): void {
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  if (!dropsUnmatched(join.type, probeSide) || build.kind !== 'input') return;
  const stage = planning.readings.get(build.id)?.stage;
  if (stage === undefined) return;
  const draft = planning.draft(stage);
  const { rows } = planning.estimates.of(join[buildSide]);
  if (rows > MOST_BUILD_ROWS) return;
  for (const pair of pairs) {
    if (pair.isNullSafe) continue;
    for (const fragment of probe.fragments) {
      const found = scanOf(fragment.relation, pair[probeSide]);
      if (found === undefined || !planning.partitionedScans.has(found.scan)) continue;
      const table = planning.facts.tables.get(found.scan.relation);
      if ((table?.rows ?? 0) < LEAST_PROBE_ROWS || (table?.rows ?? 0) < rows * 10) continue;
      if (draft.isFixed && !draft.summarised.has(pair[buildSide])) continue;
      draft.summarised.add(pair[buildSide]);
      const filters = planning.dynamicFilters.get(found.scan) ?? [];
      planning.dynamicFilters.set(found.scan, filters);
      if (!filters.some((known) => known.stage === stage && known.column === found.column))
        filters.push({ column: found.column, stage, key: pair[buildSide] });
    }
  }
}

/**
 * Whether a build side that every task could compute for itself is sooner computed once, so that its keys prune what the probe
 * side reads: it leaves out much, and there is much to leave out.
 */
export function isWorthSummarising(
  planning: Planning,
  join: JoinRelation,
  probe: Placed,
  buildSide: 'left' | 'right',
  pairs: readonly KeyPair[],
  build: Fragment,
  rows: number,
): boolean {
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  if (!dropsUnmatched(join.type, probeSide) || rows > MOST_BUILD_ROWS) return false;
  if (rows > rowsRead(planning, build.relation) * MOST_KEPT || isVolatileRelation(build.relation))
    return false;
  return pairs.some((pair) =>
    probe.fragments.some(({ relation }) => {
      const found = pair.isNullSafe ? undefined : scanOf(relation, pair[probeSide]);
      if (found === undefined || !planning.partitionedScans.has(found.scan)) return false;
      return (planning.facts.tables.get(found.scan.relation)?.bytes ?? 0) >= LEAST_PROBE_BYTES;
    }),
  );
}
