import type { Relation } from '../../relational/relation.ts';
import { anyRelation, inputsOf, withInputs } from '../tree/inputs.ts';
import { gather, isVolatileRelation } from './exchange.ts';
import { commonPlacement, type Fragment, type Place, type Placed, placedAs } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * The fallback for operators that no rule distributes: gather the inputs into one task and compute the operator there. In a
 * recursive query, everything that does not depend on the previous step is an input.
 *
 *     recursive t                      recursive t
 *       scan a                →          input (stage: scan a)
 *       join                             join
 *         reference t                      reference t
 *         filter                           input (stage: filter, scan b)
 *           scan b
 */
export function placeSingle(planning: Planning, relation: Relation, below: Place): Placed {
  const fragments: Fragment[] = [];
  const gathered = gatherInputs(relation, new Set(boundIds(relation)));
  const where = commonPlacement(fragments);
  return placedAs(relation, {
    relation: gathered,
    placement:
      where === 'replicated' && (relation.kind !== 'recursive' || isVolatileRelation(gathered))
        ? 'single'
        : where,
    hashKeyChoices: [],
  });

  /** @param bound ids of shared relations that exist only here */
  function gatherInputs(inner: Relation, bound: ReadonlySet<number>): Relation {
    const inputs = inputsOf(inner);
    return withInputs(
      inner,
      inputs.map((input) => {
        if (dependsOn(input, bound)) return gatherInputs(input, new Set([...bound, ...boundIds(input)]));
        const placed = below(input);
        const fragment = gather(planning, placed);
        if (fragment.placement === 'replicated') planning.gatherReason(reasonOf(relation), input);
        fragments.push(fragment);
        return fragment.relation;
      }),
    );
  }
}

function boundIds(relation: Relation): readonly number[] {
  if (relation.kind === 'shared') return [relation.id];
  if (relation.kind !== 'recursive') return [];
  return relation.recurringId === undefined ? [relation.id] : [relation.id, relation.recurringId];
}

const dependsOn = (relation: Relation, ids: ReadonlySet<number>): boolean =>
  anyRelation(relation, (inner) => inner.kind === 'reference' && ids.has(inner.id));

const reasonOf = ({ kind }: Relation): string =>
  kind === 'recursive'
    ? 'a recursive query runs in one task'
    : `${kind.replaceAll('_', ' ')} runs in one task`;
