import type { InputRelation, Relation } from '../../relational/relation.ts';

/** The stage output whose rows a relation sorts and then processes one by one, in their order. */
export function sortedInput(relation: Relation): InputRelation | undefined {
  switch (relation.kind) {
    case 'filter':
    case 'project':
      return sortedInput(relation.input);
    case 'sort':
      return inputOfProjection(relation.input);
    default:
      return undefined;
  }
}

function inputOfProjection(relation: Relation): InputRelation | undefined {
  if (relation.kind === 'project') return inputOfProjection(relation.input);
  return relation.kind === 'input' ? relation : undefined;
}
