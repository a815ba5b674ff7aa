import type { PlanExpression } from '../../plan-nodes.ts';
import { BIGINT } from '../../relational/expressions/expression-type.ts';
import { columnOf } from '../../relational/expressions/references.ts';
import type { AggregateRelation, Relation, WindowRelation } from '../../relational/relation.ts';
import { project } from '../tree/build.ts';
import { DOUBLE, referenceTo } from '../tree/expressions.ts';
import type { Decomposition } from './decomposed-aggregate.ts';
import { decompose } from './decomposition.ts';

/** An aggregate split into one over parts of the rows and one that finishes it. */
export interface SplitAggregate {
  readonly partial: AggregateRelation;
  /**
   * The positions in the partial rows that distinguish groups: the group columns and, with grouping sets, the
   * number of the set.
   */
  readonly keys: readonly number[];
  /**
   * Builds the final aggregate over partial rows, with all rows of a group in one place; it has the columns
   * of the original aggregate.
   */
  readonly finish: (partialRows: Relation) => Relation;
}

/**
 * aggregate g, avg(x)    →    project g, s / n
 *       input                       aggregate g, sum(s) s, sum(n) n
 *                                     aggregate g, sum(x) s, count(x) n        each task
 *                                       input
 * With grouping sets, the partial rows contain the number of their set (`grouping(…)`) and are grouped by it
 * too. Otherwise NULL as the value of a column that the set omits and NULL as an ordinary value would be
 * merged into one group.
 * Undefined if an aggregate has to see all rows.
 */
export function splitAggregate(relation: AggregateRelation): SplitAggregate | undefined {
  const { groups, groupingSets, aggregates, groupingCalls, columns } = relation;
  const parts = aggregates.map((expression) => decompose(expression));
  if (!parts.every((part) => part !== undefined)) return undefined;
  if (new Set(groupingSets.map((set) => [...set].sort().join())).size !== groupingSets.length)
    return undefined;
  const hasSets = groupingSets.length !== 1 || groupingSets[0]?.length !== groups.length;
  const calls = hasSets ? [...groupingCalls, groups.map((_, i) => i)] : [];
  if (groupingCalls.length > 0 && !hasSets) return undefined;
  const states = parts.flatMap(({ partials }) => partials);
  const first = groups.length;
  const partial: AggregateRelation = {
    ...relation,
    aggregates: states,
    groupingCalls: calls,
    columns: [
      ...columns.slice(0, first),
      ...states.map((state) => columnOf(state, relation.input.columns)),
      ...calls.map(() => ({ name: 'grouping', type: BIGINT })),
    ],
  };
  const callsAt = first + states.length;
  const keys = [...groups.keys(), ...calls.map((_, i) => callsAt + i)];
  return {
    partial,
    keys,
    finish: (rows) =>
      finished(rows, { relation, parts, keys, groupCount: first, callCount: groupingCalls.length }),
  };
}

interface Finishing {
  readonly relation: AggregateRelation;
  readonly parts: readonly Decomposition[];
  readonly keys: readonly number[];
  readonly groupCount: number;
  readonly callCount: number;
}

function finished(rows: Relation, { relation, parts, keys, groupCount, callCount }: Finishing): Relation {
  const offsets = startsOf(
    parts.map(({ partials }) => partials.length),
    groupCount,
  );
  const { input, terms } = withTerms(rows, parts, offsets, keys);
  const mergers = parts.map((part, i) =>
    part.mergers((place) => {
      const count = part.partials.length;
      return referenceTo(input, place < count ? offsets[i]! + place : terms[i]! + place - count);
    }),
  );
  const groups = keys.map((key) => referenceTo(input, key));
  const merged: AggregateRelation = {
    kind: 'aggregate',
    input,
    groups,
    groupingSets: [[...groups.keys()]],
    aggregates: mergers.flat(),
    groupingCalls: [],
    columns: [...groups, ...mergers.flat()].map((expression) => columnOf(expression, input.columns)),
  };
  const mergedAt = startsOf(
    mergers.map((list) => list.length),
    groups.length,
  );
  const results: PlanExpression[] = [
    ...relation.groups.map((_, i) => referenceTo(merged, i)),
    ...parts.map((part, i) => part.result((place) => referenceTo(merged, mergedAt[i]! + place))),
    ...Array.from({ length: callCount }, (_, i) => referenceTo(merged, groupCount + i)),
  ];
  return { ...project(merged, results), columns: relation.columns };
}

/**
 * Adds the terms to partial rows. Terms may depend on sums over their whole group, which are computed first.
 */
function withTerms(
  rows: Relation,
  parts: readonly Decomposition[],
  offsets: readonly number[],
  keys: readonly number[],
): { readonly input: Relation; readonly terms: readonly number[] } {
  const totals = parts.map(
    (part, i) => part.totals?.((place) => referenceTo(rows, offsets[i]! + place)) ?? [],
  );
  if (totals.every((list) => list.length === 0)) return { input: rows, terms: [] };
  const windows = totals.flat().map((total) => sumOver(total, rows, keys));
  const window: WindowRelation = {
    kind: 'window',
    input: rows,
    windows,
    columns: [...rows.columns, ...windows.map((_, i) => ({ name: `total ${i}`, type: DOUBLE }))],
  };
  const totalsAt = startsOf(
    totals.map((list) => list.length),
    rows.columns.length,
  );
  const terms = parts.map(
    (part, i) =>
      part.terms?.(
        (place) => referenceTo(window, offsets[i]! + place),
        (place) => referenceTo(window, totalsAt[i]! + place),
      ) ?? [],
  );
  return {
    input: project(window, [...rows.columns.map((_, i) => referenceTo(window, i)), ...terms.flat()]),
    terms: startsOf(
      terms.map((list) => list.length),
      rows.columns.length,
    ),
  };
}

const sumOver = (value: PlanExpression, rows: Relation, keys: readonly number[]): PlanExpression => ({
  expression_class: 'BOUND_WINDOW',
  type: 'WINDOW_AGGREGATE',
  name: 'sum',
  children: [value],
  return_type: DOUBLE,
  partitions: keys.map((key) => referenceTo(rows, key)),
  start: 'UNBOUNDED_PRECEDING',
  end: 'UNBOUNDED_FOLLOWING',
  exclude_clause: 'NO_OTHER',
});

function startsOf(lengths: readonly number[], first: number): readonly number[] {
  let at = first;
  return lengths.map((length) => {
    at += length;
    return at - length;
  });
}
