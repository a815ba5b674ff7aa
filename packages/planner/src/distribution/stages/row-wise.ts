import type { Relation } from '../../relational/relation.ts';

/**
 * Whether each output row depends on a single row of one input. Tasks that read parts of the inputs then
 * together produce what one task over all inputs would.
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
