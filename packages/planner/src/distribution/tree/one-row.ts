import type { Relation } from '../../relational/relation.ts';

/** Whether a relation has at most one row: an aggregate without groups. */
export function hasOneRow(relation: Relation): boolean {
  switch (relation.kind) {
    case 'aggregate':
      return relation.groupingSets.length === 1 && relation.groupingSets[0]!.length === 0;
    case 'filter':
    case 'project':
      return hasOneRow(relation.input);
    default:
      return false;
  }
}
