import { substituteReferences } from '../../relational/expressions/references.ts';
import type { LimitRelation, ProjectRelation, Relation } from '../../relational/relation.ts';

/**
 *     limit                 project
 *       project      →        limit
 *         sort                  sort
 *
 * The limit then stands on the order that it cuts, below however many projections. Where its numbers are columns of the
 * projection (`LIMIT (SELECT …)`), the projected expressions take their place.
 */
export function limitBelowProjection(relation: Relation): Relation {
  if (relation.kind !== 'limit' || relation.input.kind !== 'project') return relation;
  return isOverSort(relation.input) ? below(relation, relation.input) : relation;
}

function isOverSort({ input }: ProjectRelation): boolean {
  return input.kind === 'sort' || (input.kind === 'project' && isOverSort(input));
}

function below(limit: LimitRelation, projection: ProjectRelation): Relation {
  const { input, expressions } = projection;
  const moved: LimitRelation = {
    ...limit,
    input,
    limit: limit.limit && substituteReferences(limit.limit, expressions),
    offset: limit.offset && substituteReferences(limit.offset, expressions),
    columns: input.columns,
  };
  return { ...projection, input: input.kind === 'project' ? below(moved, input) : moved };
}
