import type { Relation } from '../../relational/relation.ts';

/** Whether a relation has at most one row: an aggregate without groups, or a join of such relations. */
export function hasOneRow(relation: Relation): boolean {
  switch (relation.kind) {
    case 'aggregate':
      return relation.groupingSets.length === 1 && relation.groupingSets[0]!.length === 0;
    case 'filter':
    case 'project':
      return hasOneRow(relation.input);
    case 'join':
      return relation.type === 'inner' && hasOneRow(relation.left) && hasOneRow(relation.right);
    default:
      return false;
  }
}
