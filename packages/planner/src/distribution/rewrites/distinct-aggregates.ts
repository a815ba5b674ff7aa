import type { PlanExpression } from '../../plan-nodes.ts';
import { columnOf } from '../../relational/expressions/references.ts';
import type { AggregateRelation, Relation } from '../../relational/relation.ts';
import type { Decomposition } from '../aggregates/decomposed-aggregate.ts';
import { decompose } from '../aggregates/decomposition.ts';
import { append, project } from '../tree/build.ts';
import { plainReference, referenceTo } from '../tree/expressions.ts';

/** Aggregates that are decomposable once their input is distinct. */
const OVER_DISTINCT = new Set(['count', 'sum', 'avg', 'mean']);

/**
 * Removes duplicates of the single column that all distinct aggregates share by a grouping of its own.
 *     aggregate k, count(distinct d), sum(x)    →    aggregate k, count(d), sum(s)
 *                                                      aggregate k, d, sum(x) s
 * Adding up the distinct counts of each task would count a value once per task that has it.
 */
export function distinctAggregates(relation: Relation): Relation {
  if (relation.kind !== 'aggregate') return relation;
  const { groups, groupingSets, aggregates, groupingCalls } = relation;
  if (groupingCalls.length > 0 || groupingSets.length !== 1 || groupingSets[0]?.length !== groups.length)
    return relation;
  const parts = aggregates.map((expression) => decompose(expression));
  const distinct = aggregates.filter((_, i) => parts[i] === undefined);
  const subject = commonSubject(distinct);
  if (subject === undefined || parts.some((part) => part?.totals !== undefined)) return relation;
  const given = plainReference(subject) === undefined ? append(relation.input, [subject]) : relation.input;
  const key = plainReference(subject) ?? given.columns.length - 1;
  const others = parts.filter((part) => part !== undefined);
  const innerGroups = [...groups, referenceTo(given, key)];
  const states = others.flatMap(({ partials }) => partials);
  const inner: AggregateRelation = {
    kind: 'aggregate',
    input: given,
    groups: innerGroups,
    groupingSets: [[...innerGroups.keys()]],
    aggregates: states,
    groupingCalls: [],
    columns: [...innerGroups, ...states].map((expression) => columnOf(expression, given.columns)),
  };
  return outer(relation, inner, parts);
}

/** The argument that all of the aggregates share; undefined if the rewrite does not apply. */
function commonSubject(aggregates: readonly PlanExpression[]): PlanExpression | undefined {
  const [first, ...others] = aggregates;
  const subject = first?.children?.[0];
  if (first === undefined || subject === undefined) return undefined;
  const isPlain = ({ name = '', aggregate_type, children = [], filter, order_bys }: PlanExpression) =>
    aggregate_type === 'DISTINCT' &&
    OVER_DISTINCT.has(name) &&
    children.length === 1 &&
    (filter === undefined || filter === null) &&
    (order_bys?.orders ?? []).length === 0;
  const text = JSON.stringify(stripped(subject));
  const isSame = ({ children = [] }: PlanExpression) => JSON.stringify(stripped(children[0])) === text;
  return [first, ...others].every((expression) => isPlain(expression) && isSame(expression))
    ? subject
    : undefined;
}

/** The expression without its position in the statement. */
const stripped = (expression: unknown): unknown =>
  JSON.parse(
    JSON.stringify(expression, (key, value) =>
      key === 'query_location' || key === 'alias'
        ? undefined
        : typeof value === 'bigint'
          ? `${value}`
          : value,
    ),
  );

function outer(
  relation: AggregateRelation,
  inner: AggregateRelation,
  parts: readonly (Decomposition | undefined)[],
): Relation {
  const width = relation.groups.length;
  let state = width + 1;
  const mergers = parts.map((part, i): readonly PlanExpression[] => {
    if (part === undefined)
      return [
        {
          ...relation.aggregates[i]!,
          aggregate_type: 'NON_DISTINCT',
          children: [referenceTo(inner, width)],
        },
      ];
    const first = state;
    state += part.partials.length;
    return part.mergers((place) => referenceTo(inner, first + place));
  });
  const groups = relation.groups.map((_, i) => referenceTo(inner, i));
  const merged: AggregateRelation = {
    ...relation,
    input: inner,
    groups,
    aggregates: mergers.flat(),
    columns: [...groups, ...mergers.flat()].map((expression) => columnOf(expression, inner.columns)),
  };
  let at = width;
  const results = parts.map((part, i) => {
    const first = at;
    at += mergers[i]!.length;
    return part === undefined
      ? referenceTo(merged, first)
      : part.result((place) => referenceTo(merged, first + place));
  });
  return {
    ...project(merged, [...groups.map((_, i) => referenceTo(merged, i)), ...results]),
    columns: relation.columns,
  };
}
