import type { Relation } from '../../relational/relation.ts';

/**
 *     limit                 project
 *       project      →        limit
 *         sort                  sort
 *
 * So that a limit stands on the order that it cuts.
 */
export function limitBelowProjection(relation: Relation): Relation {
  if (relation.kind !== 'limit' || relation.input.kind !== 'project') return relation;
  const { input: projection } = relation;
  if (projection.input.kind !== 'sort') return relation;
  const { input } = projection;
  return { ...projection, input: { ...relation, input, columns: input.columns } };
}
