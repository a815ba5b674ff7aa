import type { Relation } from '../../relational/relation.ts';

/**
 *     semi join k        →    semi join k
 *       a                       a
 *       inner join              distinct
 *                                 inner join
 *
 * Rows that are only looked for need to be there once, and a join gives them once for every match: each task drops its
 * repetitions before rows travel.
 */
export function distinctMatches(relation: Relation): Relation {
  if (relation.kind !== 'join' || (relation.type !== 'semi' && relation.type !== 'anti')) return relation;
  const { right } = relation;
  if (relation.isAsof || right.columns.length === 0 || !isOfJoin(right)) return relation;
  return { ...relation, right: { kind: 'distinct', input: right, order: [], columns: right.columns } };
}

function isOfJoin(relation: Relation): boolean {
  if (relation.kind === 'project' || relation.kind === 'filter') return isOfJoin(relation.input);
  return relation.kind === 'join' && relation.type === 'inner';
}
