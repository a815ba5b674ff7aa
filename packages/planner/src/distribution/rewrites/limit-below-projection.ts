import { substituteReferences } from '../../relational/expressions/references.ts';
import type { LimitRelation, ProjectRelation, Relation } from '../../relational/relation.ts';

/**
 * limit                 project
 *       project      →        limit
 *         sort                  sort
 * Moves a limit below all projections, directly above the sort that it cuts. If its numbers are columns of
 * the projection (`LIMIT (SELECT …)`), they are replaced by the projected expressions.
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
