import type { SampleRelation } from '../../relational/relation.ts';
import { gather } from './exchange.ts';
import { type Place, type Placed, placedAs } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * Samples a percentage of the rows where they are, row by row. A fixed number of rows, or a repeatable
 * sample, is drawn from all rows in one place.
 */
export function placeSample(planning: Planning, relation: SampleRelation, below: Place): Placed {
  const input = below(relation.input);
  const isRowByRow =
    /%|percent/i.test(relation.sql) &&
    !/repeatable|,\s*\d+\s*\)/i.test(relation.sql) &&
    !/reservoir/i.test(relation.sql);
  if (isRowByRow && input.fragments.every(({ placement }) => placement === 'source' || placement === 'hash'))
    return placedAs(
      relation,
      ...input.fragments.map((fragment) => ({
        ...fragment,
        relation: { ...relation, input: fragment.relation },
      })),
    );
  const fragment = gather(planning, input);
  if (fragment.placement === 'replicated')
    planning.gatherReason('a sample is drawn in one task', relation.input);
  return placedAs(relation, {
    relation: { ...relation, input: fragment.relation },
    placement: fragment.placement === 'coordinator' ? 'coordinator' : 'single',
    hashKeyChoices: [],
  });
}
