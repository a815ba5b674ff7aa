import type { Relation, ScanRelation } from '../../relational/relation.ts';
import { inputsOf, rebuild } from '../tree/inputs.ts';
import { COST_CONSTANTS as COST } from './cost/cost-constants.ts';
import { writeCost } from './cost/exchange-cost.ts';
import { totalWork, workOf } from './cost/relation-work.ts';
import type { Placed } from './fragment.ts';
import type { Planning } from './planning.ts';

/** A stage that takes less CPU time than this number of task starts runs as a single task. */
const STARTS = 2;

/**
 * Whether one task reads whole tables that could be divided among tasks, because it takes more CPU time to start the other tasks than to do
 * the work. This holds for parts of larger queries; a small query that is forced to run on all nodes still does. Outputs that are read where
 * they were produced, and files outside the managed store, stay divided.
 */
export function isForOneTask(planning: Planning, { relation, fragments }: Placed): boolean {
  const isOfTables = fragments.every(
    ({ placement, forwardedFrom, relation: own }) =>
      placement === 'source' && forwardedFrom === undefined && mayBeWhole(planning, own),
  );
  if (!isOfTables || fragments.length === 0 || !planning.isWorthAllNodes) return false;
  const work = fragments.reduce(
    (sum, { relation: own }) => sum + totalWork(workOf(planning, own), 1),
    writeCost(planning.estimates.of(relation)),
  );
  return work < STARTS * COST.startTask;
}

function mayBeWhole(planning: Planning, relation: Relation): boolean {
  if (relation.kind === 'scan') {
    const table = planning.facts.tables.get(relation.relation);
    return (
      table !== undefined &&
      table.external === undefined &&
      table.bytes < planning.facts.cluster.wholeTableBytes
    );
  }
  if (relation.kind === 'input') return planning.readings.get(relation.id)?.mode === undefined;
  return inputsOf(relation).every((input) => mayBeWhole(planning, input));
}

/** The relation with every table read whole. */
export const withWholeScans = (planning: Planning, relation: Relation): Relation =>
  rebuild(relation, (inner) => {
    if (inner.kind !== 'scan' || !planning.partitionedScans.has(inner)) return inner;
    const scan: ScanRelation = { ...inner };
    const filters = planning.dynamicFilters.get(inner);
    if (filters !== undefined) planning.dynamicFilters.set(scan, [...filters]);
    return scan;
  });
