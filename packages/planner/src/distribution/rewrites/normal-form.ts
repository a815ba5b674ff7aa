import type { Relation } from '../../relational/relation.ts';
import { inputsOf, withInputs } from '../tree/inputs.ts';
import { directMatches, type IsTogether } from './direct-matches.ts';
import { distinctAggregates } from './distinct-aggregates.ts';
import { distinctMatches } from './distinct-matches.ts';
import { withGroupColumns, withJoinColumns, withOnColumns, withPartitionColumns } from './key-columns.ts';
import { limitBelowProjection } from './limit-below-projection.ts';
import { pruneColumns } from './prune-columns.ts';
import { separateWindows } from './separate-windows.ts';
import { unionDistinct } from './union-distinct.ts';

type Rule = (relation: Relation) => Relation;

const RULES: readonly Rule[] = [
  unionDistinct,
  limitBelowProjection,
  withJoinColumns,
  withGroupColumns,
  withOnColumns,
  distinctAggregates,
  withPartitionColumns,
  separateWindows,
  distinctMatches,
];

/**
 * Rewrites the tree into the form that the placement rules expect; its rows are the same.
 * @param isTogether whether rows with equal keys are computed by the same task
 */
export function normalForm(root: Relation, isTogether: IsTogether): Relation {
  return pruneColumns(normalised(pruneColumns(directMatches(root, isTogether))));
}

function normalised(relation: Relation): Relation {
  const inputs = inputsOf(relation).map(normalised);
  let changed = withInputs(relation, inputs);
  for (const rule of RULES) changed = rule(changed);
  return changed;
}
