import type { Relation } from '../../relational/relation.ts';
import { anyRelation, inputsOf, withInputs } from '../tree/inputs.ts';
import { inOne, isVolatileRelation } from './exchange.ts';
import { type Fragment, type Place, type Placed, placedAs, placeOfAll } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * What no rule shares out: its inputs come together in one place, and it is computed there. Always right. Of a recursion, what
 * does not look at the steps before is an input.
 *
 *     recursive t                      recursive t
 *       scan a                →          input (stage: scan a)
 *       join                             join
 *         reference t                      reference t
 *         filter                           input (stage: filter, scan b)
 *           scan b
 */
export function placeInOne(planning: Planning, relation: Relation, below: Place): Placed {
  const fragments: Fragment[] = [];
  const gathered = gather(relation, new Set(boundIds(relation)));
  const where = placeOfAll(fragments);
  return placedAs(relation, {
    relation: gathered,
    placement:
      where === 'whole' && (relation.kind !== 'recursive' || isVolatileRelation(gathered)) ? 'single' : where,
    hashed: [],
  });

  /** `bound`: shared relations that exist only here. */
  function gather(inner: Relation, bound: ReadonlySet<number>): Relation {
    const inputs = inputsOf(inner);
    return withInputs(
      inner,
      inputs.map((input) => {
        if (dependsOn(input, bound)) return gather(input, new Set([...bound, ...boundIds(input)]));
        const placed = below(input);
        const fragment = inOne(planning, placed);
        if (fragment.placement === 'whole') planning.gatherReason(reasonOf(relation), input);
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
