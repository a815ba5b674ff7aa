import type { Relation } from '../../relational/relation.ts';
import { unionAll } from '../tree/build.ts';
import { inputsOf } from '../tree/inputs.ts';
import { isVolatileRelation } from './exchange.ts';
import type { Fragment, Placed } from './fragment.ts';
import { withWholeScans } from './one-task.ts';
import type { Planning } from './planning.ts';

/**
 * Computes a relation in every task that reads it, from whole tables, instead of an exchange.
 *     join            →    join
 *       scan a (source)      scan a (source)
 *       scan b (source)      scan b (replicated)
 * The scans are copied, because another reader of the same relation may still divide the table among tasks.
 * Undefined if a task could compute other rows than the others, or if a table exceeds `whole_table_bytes`.
 */
export function replicate(planning: Planning, placed: Placed): Fragment | undefined {
  const [only] = placed.fragments;
  if (placed.fragments.length === 1 && only?.placement === 'replicated') return only;
  if (!placed.fragments.every((fragment) => isReplicable(planning, fragment))) return undefined;
  return {
    relation: unionAll(placed.fragments.map(({ relation }) => withWholeScans(planning, relation))),
    placement: 'replicated',
    hashKeyChoices: [],
  };
}

const isReplicable = (planning: Planning, { placement, relation, forwardedFrom }: Fragment): boolean =>
  placement === 'replicated' ||
  (placement === 'source' &&
    forwardedFrom === undefined &&
    !isVolatileRelation(relation) &&
    isOfWholeTables(planning, relation));

function isOfWholeTables(planning: Planning, relation: Relation): boolean {
  switch (relation.kind) {
    case 'scan': {
      const table = planning.facts.tables.get(relation.relation);
      if (!planning.partitionedScans.has(relation)) return true;
      return table !== undefined && table.bytes < planning.facts.cluster.wholeTableBytes;
    }
    case 'input':
      return planning.readings.get(relation.id)?.mode === undefined;
    case 'values':
    case 'filter':
    case 'project':
    case 'unnest':
    case 'join':
    case 'set':
      return inputsOf(relation).every((input) => isOfWholeTables(planning, input));
    // Aggregates at this point are partial ones, and the order of rows differs between tasks.
    default:
      return false;
  }
}
