import type { Relation } from '../../relational/relation.ts';
import { decompose } from '../aggregates/decomposition.ts';
import { hasOneRow } from '../tree/one-row.ts';

/**
 * Whether the operators of a relation hold no rows, and no state that grows with them: an aggregate without groups over a
 * scan. An aggregate that can be computed from parts has a state of a fixed size; those over distinct values and lists do
 * not.
 */
export function holdsNoRows(relation: Relation): boolean {
  switch (relation.kind) {
    case 'aggregate': {
      const { groupingSets, aggregates, input } = relation;
      const hasGroups = groupingSets.length !== 1 || groupingSets[0]!.length > 0;
      return !hasGroups && aggregates.every((one) => decompose(one) !== undefined) && isRowWiseScan(input);
    }
    case 'filter':
    case 'project':
      return holdsNoRows(relation.input);
    case 'join':
      return hasOneRow(relation) && holdsNoRows(relation.left) && holdsNoRows(relation.right);
    default:
      return false;
  }
}

function isRowWiseScan(relation: Relation): boolean {
  switch (relation.kind) {
    case 'scan':
      return true;
    case 'filter':
    case 'project':
      return isRowWiseScan(relation.input);
    default:
      return false;
  }
}
