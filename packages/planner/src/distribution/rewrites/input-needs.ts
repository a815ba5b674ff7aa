import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation } from '../../relational/relation.ts';
import { addReferences } from '../tree/expressions.ts';

/** The positions of needed columns of a relation. */
export type Needs = ReadonlySet<number>;

/** The needed columns of a relation that must keep a column although nothing is read of it: the first one then. */
export const atLeastOne = (needed: Needs): Needs => (needed.size === 0 ? new Set([0]) : needed);

const allOf = ({ columns }: Relation): Needs => new Set(columns.keys());

const withReferences = (needs: Iterable<number>, expressions: readonly PlanExpression[]): Needs => {
  const all = new Set(needs);
  for (const expression of expressions) addReferences(expression, all);
  return all;
};

/**
 * The columns that a relation needs of each of its inputs to return its own `needed` columns. For a shared
 * relation: of its body.
 */
export function inputNeeds(relation: Relation, needed: Needs): readonly Needs[] {
  switch (relation.kind) {
    case 'scan':
    case 'session':
    case 'input':
    case 'values':
    case 'reference':
      return [];
    case 'function':
      return relation.input === undefined ? [] : [allOf(relation.input)];
    case 'filter':
      return [withReferences(needed, relation.predicates)];
    case 'project':
      return [
        withReferences(
          [],
          relation.expressions.filter((_, i) => needed.has(i)),
        ),
      ];
    case 'join': {
      const { type, left, conditions, residual } = relation;
      const both = withReferences([], residual);
      const width = left.columns.length;
      const isRightOnly = type === 'right_semi' || type === 'right_anti';
      const isLeftOnly = type === 'semi' || type === 'anti' || type === 'mark';
      const given = isRightOnly ? [...needed].map((i) => i + width) : [...needed];
      const onLeft = [...given, ...both].filter((i) => i < width);
      const onRight = [...(isLeftOnly ? [] : given), ...both].filter((i) => i >= width).map((i) => i - width);
      return [
        withReferences(
          onLeft,
          conditions.map((c) => c.left),
        ),
        withReferences(
          onRight,
          conditions.map((c) => c.right),
        ),
      ];
    }
    case 'positional_join': {
      const width = relation.left.columns.length;
      return [
        new Set([...needed].filter((i) => i < width)),
        new Set([...needed].filter((i) => i >= width).map((i) => i - width)),
      ];
    }
    case 'aggregate': {
      const first = relation.groups.length;
      return [
        withReferences(
          [],
          [
            ...relation.groups,
            ...keptAggregates(relation.aggregates.length, first, needed).map((i) => relation.aggregates[i]!),
          ],
        ),
      ];
    }
    case 'distinct':
      if (relation.on === undefined) return [allOf(relation.input)];
      return [withReferences(needed, [...relation.on, ...relation.order.map((key) => key.expression)])];
    case 'window': {
      const width = relation.input.columns.length;
      return [
        withReferences(
          [...needed].filter((i) => i < width),
          relation.windows.filter((_, i) => needed.has(width + i)),
        ),
      ];
    }
    case 'unnest': {
      const width = relation.input.columns.length;
      return [
        withReferences(
          [...needed].filter((i) => i < width),
          relation.unnests,
        ),
      ];
    }
    case 'sort':
      return [
        withReferences(
          needed,
          relation.keys.map((key) => key.expression),
        ),
      ];
    case 'limit':
      return [
        withReferences(
          needed,
          [relation.limit, relation.offset].filter((number) => number !== undefined),
        ),
      ];
    case 'sample':
      return [needed];
    case 'set': {
      const isPlainUnion = relation.operation === 'union' && relation.isAll;
      return relation.inputs.map((input) => (isPlainUnion ? atLeastOne(needed) : allOf(input)));
    }
    case 'shared':
      return [needed];
    case 'recursive':
      return [allOf(relation.anchor), allOf(relation.step)];
  }
}

/** The aggregates to keep; at least one, so that an aggregate without groups has a column. */
export function keptAggregates(count: number, groups: number, needed: Needs): readonly number[] {
  const kept = [...Array(count).keys()].filter((i) => needed.has(groups + i));
  return kept.length === 0 && groups === 0 && count > 0 ? [0] : kept;
}
