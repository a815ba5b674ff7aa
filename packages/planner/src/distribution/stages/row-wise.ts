import type { Relation } from '../../relational/relation.ts';

/**
 * Whether each row follows from one row of one input, so that tasks which read parts of the inputs give together what one
 * task gives that reads all of them.
 */
export function isRowWise(relation: Relation): boolean {
  switch (relation.kind) {
    case 'input':
      return true;
    case 'filter':
    case 'project':
    case 'unnest':
      return isRowWise(relation.input);
    case 'set':
      return relation.operation === 'union' && relation.isAll && relation.inputs.every(isRowWise);
    default:
      return false;
  }
}
