import type { Relation, ScanRelation, SharedReference, SharedRelation } from '../../relational/relation.ts';
import { anyRelation, rebuild } from '../tree/inputs.ts';
import { COST_CONSTANTS } from './cost/cost-constants.ts';
import { exchangeCost, writeCost } from './cost/exchange-cost.ts';
import { totalWork, workOf } from './cost/relation-work.ts';
import { isVolatileRelation, materialize, readAgain } from './exchange.ts';
import { commonKeys, type Place, type Placed, placedAs, singleFragment } from './fragment.ts';
import { rowsRead } from './partition-replicated.ts';
import type { Planning } from './planning.ts';
import { isSameEverywhere } from './same-everywhere.ts';

/**
 * Computing a shared relation where a key's rows are saves each reader about this many exchanges of its size,
 * each with a task on every node.
 */
const EXCHANGES_SAVED = 4;

/**
 * Below this number of rows, each reader computes the shared relation itself instead of reading the output of
 * a stage.
 */
const INLINE_ROWS = 20_000;

/**
 * Computes a shared relation once, in a stage whose output all references read. A small relation that is the
 * same in every task is instead computed by each reader, unless it is volatile: every reader must see the
 * same rows. The same applies to a relation whose rows are divided by ranges of a key, unless it takes much
 * work: reading it from a stage would lose that property.
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
  const fragments = shared.fragments.map((fragment) =>
    fragment.placement === 'source'
      ? { ...fragment, relation: withOwnScans(planning, fragment.relation) }
      : readAgain(planning, fragment),
  );
  return placedAs(relation, ...fragments);
}

function isInline(planning: Planning, definition: Placed): boolean {
  if (isKeyedInline(planning, definition)) return true;
  const only = singleFragment(definition);
  return (
    only?.placement === 'replicated' &&
    rowsRead(planning, only.relation) < INLINE_ROWS &&
    !anyRelation(only.relation, isOrderSensitive) &&
    !isVolatileRelation(only.relation)
  );
}

function isKeyedInline(planning: Planning, { fragments, relation }: Placed): boolean {
  if (commonKeys(fragments) === undefined) return false;
  const work = fragments.reduce(
    (sum, { relation }) => sum + totalWork(workOf(planning, relation), planning.nodes),
    0,
  );
  const rows = planning.estimates.of(relation);
  const exchange =
    planning.nodes * COST_CONSTANTS.startTask + writeCost(rows) + exchangeCost(rows, 'hash', planning.nodes);
  return (
    work <= EXCHANGES_SAVED * exchange &&
    fragments.every(
      ({ relation: own }) =>
        !anyRelation(own, (inner) => !isSameAgain(planning, inner)) && !isVolatileRelation(own),
    )
  );
}

/** Whether the operator returns the same rows whenever and wherever it is computed. */
function isSameAgain(planning: Planning, relation: Relation): boolean {
  switch (relation.kind) {
    case 'scan':
    case 'filter':
    case 'project':
    case 'join':
      return true;
    case 'aggregate':
      return isSameEverywhere(relation);
    case 'input':
      return planning.readings.get(relation.id)?.mode === undefined;
    default:
      return false;
  }
}

/** Gives each reader its own scans, because a dynamic filter of one reader must not affect the others. */
const withOwnScans = (planning: Planning, relation: Relation): Relation =>
  rebuild(relation, (inner) => {
    if (inner.kind === 'input') return planning.readAgain(inner);
    if (inner.kind !== 'scan' || !planning.partitionedScans.has(inner)) return inner;
    const scan: ScanRelation = { ...inner };
    planning.partitionedScans.add(scan);
    const filters = planning.dynamicFilters.get(inner);
    if (filters !== undefined) planning.dynamicFilters.set(scan, [...filters]);
    return scan;
  });

/** Whether the rows of the operator depend on the order of its input. */
const isOrderSensitive = ({ kind }: Relation): boolean =>
  kind === 'window' || kind === 'limit' || kind === 'sort';
