import type { LimitRelation, ProjectRelation, Relation } from '../../relational/relation.ts';

/**
 *     limit                 project
 *       project      →        limit
 *         sort                  sort
 *
 * So that a limit stands on the order that it cuts, below however many projections.
 */
export function limitBelowProjection(relation: Relation): Relation {
  if (relation.kind !== 'limit' || relation.input.kind !== 'project') return relation;
  return isOverSort(relation.input) ? below(relation, relation.input) : relation;
}

function isOverSort({ input }: ProjectRelation): boolean {
  return input.kind === 'sort' || (input.kind === 'project' && isOverSort(input));
}

function below(limit: LimitRelation, projection: ProjectRelation): Relation {
  const { input } = projection;
  return {
    ...projection,
    input: input.kind === 'project' ? below(limit, input) : { ...limit, input, columns: input.columns },
  };
}
