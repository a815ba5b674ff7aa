import type { Relation, SharedReference, SharedRelation } from '../../relational/relation.ts';
import { anyRelation } from '../tree/inputs.ts';
import { isVolatileRelation, materialize, readAgain } from './exchange.ts';
import { type Place, type Placed, placedAs, singleFragment } from './fragment.ts';
import { rowsRead } from './partition-replicated.ts';
import type { Planning } from './planning.ts';

/** Below this number of rows each reader computes the shared relation itself instead of reading the output of a stage. */
const INLINE_ROWS = 20_000;

/**
 * A shared relation is computed once, by a stage, and all references read its output. A small relation that is the same in every
 * task is computed by each reader instead, unless it is volatile: every reader must see the same rows.
 */
export function placeShared(
  planning: Planning,
  relation: SharedRelation,
  below: Place,
  isResult: boolean,
): Placed {
  planning.estimates.share(relation.id, relation.definition);
  const definition = below(relation.definition);
  planning.shared.set(
    relation.id,
    isInline(planning, definition)
      ? definition
      : { ...definition, fragments: materialize(planning, definition) },
  );
  const body = below(relation.body, isResult);
  return placedAs(relation, ...body.fragments);
}

/** Places a reference to a shared relation. */
export function placeReference(planning: Planning, relation: SharedReference): Placed {
  const shared = planning.shared.get(relation.id);
  if (shared === undefined) throw new RangeError(`No shared relation ${relation.id}`);
  const fragments = shared.fragments.map((fragment) => readAgain(planning, fragment));
  return placedAs(relation, ...fragments);
}

function isInline(planning: Planning, definition: Placed): boolean {
  const only = singleFragment(definition);
  return (
    only?.placement === 'replicated' &&
    rowsRead(planning, only.relation) < INLINE_ROWS &&
    !anyRelation(only.relation, isOrderSensitive) &&
    !isVolatileRelation(only.relation)
  );
}

/** Whether the rows of the operator depend on the order of its input. */
const isOrderSensitive = ({ kind }: Relation): boolean =>
  kind === 'window' || kind === 'limit' || kind === 'sort';
