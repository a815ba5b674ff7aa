import type { PlanExpression } from '../../plan-nodes.ts';
import type { AggregateRelation, JoinRelation, Relation } from '../../relational/relation.ts';
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
    case 'join':
      return joinNeeds(relation, needed);
    case 'positional_join': {
      const width = relation.left.columns.length;
      return [new Set(below(width, needed)), new Set(from(width, needed))];
    }
    case 'aggregate':
      return [aggregateNeeds(relation, needed)];
    case 'distinct':
      if (relation.on === undefined) return [allOf(relation.input)];
      return [withReferences(needed, [...relation.on, ...relation.order.map((key) => key.expression)])];
    case 'window': {
      const width = relation.input.columns.length;
      const windows = relation.windows.filter((_, i) => needed.has(width + i));
      return [withReferences(below(width, needed), windows)];
    }
    case 'unnest':
      return [withReferences(below(relation.input.columns.length, needed), relation.unnests)];
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

/** The positions below `width`: those in the first of two inputs. */
const below = (width: number, needed: Iterable<number>): readonly number[] =>
  [...needed].filter((i) => i < width);

/** The other positions, counted from `width`: those in the second of two inputs. */
const from = (width: number, needed: Iterable<number>): readonly number[] =>
  [...needed].filter((i) => i >= width).map((i) => i - width);

function joinNeeds({ type, left, conditions, residual }: JoinRelation, needed: Needs): readonly Needs[] {
  const both = withReferences([], residual);
  const width = left.columns.length;
  const isRightOnly = type === 'right_semi' || type === 'right_anti';
  const isLeftOnly = type === 'semi' || type === 'anti' || type === 'mark';
  const given = isRightOnly ? [...needed].map((i) => i + width) : [...needed];
  const onLeft = below(width, [...given, ...both]);
  const onRight = from(width, [...(isLeftOnly ? [] : given), ...both]);
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

function aggregateNeeds({ groups, aggregates }: AggregateRelation, needed: Needs): Needs {
  const kept = keptAggregates(aggregates.length, groups.length, needed);
  return withReferences([], [...groups, ...kept.map((i) => aggregates[i]!)]);
}

/** The aggregates to keep; at least one, so that an aggregate without groups has a column. */
export function keptAggregates(count: number, groups: number, needed: Needs): readonly number[] {
  const kept = [...Array(count).keys()].filter((i) => needed.has(groups + i));
  return kept.length === 0 && groups === 0 && count > 0 ? [0] : kept;
}
