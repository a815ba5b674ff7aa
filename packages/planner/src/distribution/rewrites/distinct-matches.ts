import type { Relation } from '../../relational/relation.ts';

/**
 * semi join k        →    semi join k
 *       a                       a
 *       inner join              distinct
 *                                 inner join
 * A semi join needs each row of its right side only once, while an inner join returns it once per match. So
 * each task removes duplicates before rows are sent.
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
