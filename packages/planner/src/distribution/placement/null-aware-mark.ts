import { BIGINT, BOOLEAN } from '../../relational/expressions/expression-type.ts';
import { columnOf } from '../../relational/expressions/references.ts';
import type {
  AggregateRelation,
  JoinRelation,
  Relation,
  SharedReference,
} from '../../relational/relation.ts';
import { append, filter, joinColumns, project } from '../tree/build.ts';
import {
  aggregate,
  caseWhen,
  compare,
  constant,
  isNotNull,
  operator,
  plainReference,
  referenceTo,
} from '../tree/expressions.ts';

/**
 * IN and NOT IN over a right side that is too large for every task, so that both sides can be hashed by the
 * key.
 *     mark join a = b      →    project …, case when there then true when n = 0 then false
 *       left                                    when a is null or n > m then null else false end
 *       right                     join of all pairs
 *                                   left join a = b
 *                                     left
 *                                     distinct b, true as there of right
 *                                   aggregate count(*) n, count(b) m of right
 * A task with only some of the right side's rows cannot know whether there is a NULL among the others, for
 * which NOT IN returns no row at all.
 * Undefined for conditions other than a single equality.
 */
export function nullAwareMark(join: JoinRelation, id: number): Relation | undefined {
  const { left, right, conditions, residual, columns } = join;
  const [condition, ...others] = conditions;
  const isOne = others.length === 0 && residual.length === 0 && condition?.comparison === '=';
  const [key, value] = condition === undefined ? [] : [condition.left, condition.right].map(plainReference);
  if (!isOne || key === undefined || value === undefined) return undefined;
  const definition = project(right, [referenceTo(right, value)]);
  const shared: SharedReference = { kind: 'reference', id, columns: definition.columns };
  const item = referenceTo(shared, 0);
  const present = filter(shared, [isNotNull(item)]);
  const there = append({ kind: 'distinct', input: present, order: [], columns: present.columns }, [
    constant(BOOLEAN, true),
  ]);
  const matched: JoinRelation = {
    kind: 'join',
    type: 'left',
    left,
    right: there,
    conditions: [{ comparison: '=', left: referenceTo(left, key), right: referenceTo(there, 0) }],
    residual: [],
    isAsof: false,
    columns: joinColumns('left', left.columns, there.columns),
  };
  const counts = [aggregate('count_star', [], BIGINT), aggregate('count', [item], BIGINT)];
  const counted: AggregateRelation = {
    kind: 'aggregate',
    input: { ...shared },
    groups: [],
    groupingSets: [[]],
    aggregates: counts,
    groupingCalls: [],
    columns: counts.map((count) => columnOf(count, shared.columns)),
  };
  const both: JoinRelation = {
    ...matched,
    type: 'inner',
    left: matched,
    right: counted,
    conditions: [],
    columns: joinColumns('inner', matched.columns, counted.columns),
  };
  const width = left.columns.length;
  const [flag, all, known] = [width + 1, width + 2, width + 3].map((at) => referenceTo(both, at)) as [
    ReturnType<typeof referenceTo>,
    ReturnType<typeof referenceTo>,
    ReturnType<typeof referenceTo>,
  ];
  const isNull = operator('OPERATOR_IS_NULL', [referenceTo(both, key)], BOOLEAN);
  const mark = caseWhen(
    [
      [flag, constant(BOOLEAN, true)],
      [compare('COMPARE_EQUAL', all, constant(BIGINT, 0)), constant(BOOLEAN, false)],
      [isNull, constant(BOOLEAN, null)],
      [compare('COMPARE_GREATERTHAN', all, known), constant(BOOLEAN, null)],
    ],
    constant(BOOLEAN, false),
    BOOLEAN,
  );
  const body = { ...project(both, [...left.columns.map((_, i) => referenceTo(both, i)), mark]), columns };
  return { kind: 'shared', id, name: 'in', definition, body, columns };
}
