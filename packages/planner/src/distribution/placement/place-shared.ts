import type { Relation, SharedReference, SharedRelation } from '../../relational/relation.ts';
import { anyRelation } from '../tree/inputs.ts';
import { cut, freshReading, isVolatileRelation } from './exchange.ts';
import { inOnePlace, type Place, type Placed, placedAs } from './fragment.ts';
import type { Planning } from './planning.ts';
import { rowsRead } from './shard-whole.ts';

/** Rows of whole tables that are sooner read by each reader than left to them by a stage. */
const INLINE_ROWS = 20_000;

/**
 * What is shared is computed once, by a stage, and read by all that refer to it; a little that is the same in every task is
 * computed by each. Nothing volatile is: every reader must see the same rows.
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
    isInline(planning, definition) ? definition : { ...definition, fragments: cut(planning, definition) },
  );
  const body = below(relation.body, isResult);
  return placedAs(relation, ...body.fragments);
}

/** What references to a shared relation read. */
export function placeReference(planning: Planning, relation: SharedReference): Placed {
  const shared = planning.shared.get(relation.id);
  if (shared === undefined) throw new RangeError(`No shared relation ${relation.id}`);
  const fragments = shared.fragments.map((fragment) => freshReading(planning, fragment));
  return placedAs(relation, ...fragments);
}

function isInline(planning: Planning, definition: Placed): boolean {
  const only = inOnePlace(definition);
  return (
    only?.placement === 'whole' &&
    rowsRead(planning, only.relation) < INLINE_ROWS &&
    !anyRelation(only.relation, isOrderSensitive) &&
    !isVolatileRelation(only.relation)
  );
}

/** Whose rows follow from the order in which rows come. */
const isOrderSensitive = ({ kind }: Relation): boolean =>
  kind === 'window' || kind === 'limit' || kind === 'sort';
