import type { PlanExpression } from '../../plan-nodes.ts';
import { columnOf } from '../../relational/expressions/references.ts';
import type {
  FilterRelation,
  JoinRelation,
  JoinType,
  LimitRelation,
  ProjectRelation,
  Relation,
  RelationColumn,
  SetRelation,
  SortKey,
  SortRelation,
} from '../../relational/relation.ts';
import { constant, referenceTo } from './expressions.ts';

export const project = (input: Relation, expressions: readonly PlanExpression[]): ProjectRelation => ({
  kind: 'project',
  input,
  expressions,
  columns: expressions.map((expression) => columnOf(expression, input.columns)),
});

/** Only the columns at `positions`; the relation itself if these are all of its columns. */
export function pick(input: Relation, positions: readonly number[]): Relation {
  if (positions.length === input.columns.length && positions.every((p, i) => p === i)) return input;
  return project(
    input,
    positions.map((p) => referenceTo(input, p)),
  );
}

/** The columns of the relation followed by the expressions. */
export const append = (input: Relation, expressions: readonly PlanExpression[]): Relation =>
  expressions.length === 0
    ? input
    : project(input, [...input.columns.map((_, i) => referenceTo(input, i)), ...expressions]);

export const filter = (input: Relation, predicates: readonly PlanExpression[]): FilterRelation => ({
  kind: 'filter',
  input,
  predicates,
  columns: input.columns,
});

export const sort = (input: Relation, keys: readonly SortKey[]): SortRelation => ({
  kind: 'sort',
  input,
  keys,
  columns: input.columns,
});

export const firstRows = (input: Relation, rows: number): LimitRelation => ({
  kind: 'limit',
  input,
  limit: constant({ id: 'BIGINT' }, rows),
  isPercent: false,
  columns: input.columns,
});

/** One relation with all rows of several relations; a single relation is returned unchanged. */
export function unionAll(inputs: readonly Relation[]): Relation {
  const [first] = inputs as readonly [Relation];
  if (inputs.length === 1) return first;
  return {
    kind: 'set',
    operation: 'union',
    isAll: true,
    inputs,
    columns: first.columns,
  } satisfies SetRelation;
}

export function joinColumns(
  type: JoinType,
  left: readonly RelationColumn[],
  right: readonly RelationColumn[],
  mark?: RelationColumn,
): readonly RelationColumn[] {
  switch (type) {
    case 'semi':
    case 'anti':
      return left;
    case 'right_semi':
    case 'right_anti':
      return right;
    case 'mark':
      return [...left, mark ?? { name: 'mark', type: { id: 'BOOLEAN' } }];
    default:
      return [...left, ...right];
  }
}

/** The join over other inputs; its expressions must already refer to their columns. */
export const rejoin = (join: JoinRelation, left: Relation, right: Relation): JoinRelation => ({
  ...join,
  left,
  right,
  columns: joinColumns(join.type, left.columns, right.columns, join.columns.at(-1)),
});
