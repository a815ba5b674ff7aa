import { COMPARISONS } from '../../comparisons.ts';
import type { PlanExpression, PlanOperator } from '../../plan-nodes.ts';
import { BOOLEAN } from '../expressions/expression-type.ts';
import type { JoinCondition, JoinRelation, JoinType, RelationColumn } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import {
  type Binding,
  type BoundRelation,
  mappedColumns,
  type ReadScope,
  readInputs,
  resolved,
} from './bound-relation.ts';

export interface PlanJoin extends PlanOperator {
  readonly join_type?: string;
  readonly mark_index?: number;
  readonly left_projection_map?: readonly number[];
  readonly right_projection_map?: readonly number[];
  readonly conditions?: readonly {
    readonly left: PlanExpression;
    readonly right: PlanExpression;
    readonly comparison: string;
  }[];
  readonly condition?: PlanExpression;
  readonly predicate?: PlanExpression | null;
}

const TYPES: Readonly<Record<string, JoinType>> = {
  INNER: 'inner',
  LEFT: 'left',
  RIGHT: 'right',
  OUTER: 'full',
  FULL: 'full',
  SEMI: 'semi',
  ANTI: 'anti',
  RIGHT_SEMI: 'right_semi',
  RIGHT_ANTI: 'right_anti',
  MARK: 'mark',
  SINGLE: 'single',
};

export function readComparisonJoin(node: PlanJoin, scope: ReadScope): BoundRelation {
  return comparisonJoin(node, ...readInputs(node, scope));
}

/** Reads a join by `conditions` over inputs that were already read. */
export function comparisonJoin(node: PlanJoin, left: BoundRelation, right: BoundRelation): BoundRelation {
  const conditions = (node.conditions ?? []).map((condition): JoinCondition => {
    const comparison = COMPARISONS[condition.comparison];
    if (comparison === undefined) return unsupported(`a join by ${condition.comparison}`);
    return {
      comparison,
      left: resolved(condition.left, [left]),
      right: resolved(condition.right, [right]),
    };
  });
  const { predicate } = node;
  const residual = predicate === undefined || predicate === null ? [] : [resolved(predicate, [left, right])];
  return joined(node, left, right, { conditions, residual });
}

export function readAnyJoin(node: PlanJoin, scope: ReadScope): BoundRelation {
  const [left, right] = readInputs(node, scope);
  if (node.condition === undefined) return unsupported('a join without its condition');
  return joined(node, left, right, { conditions: [], residual: [resolved(node.condition, [left, right])] });
}

export function readCrossProduct(node: PlanJoin, scope: ReadScope): BoundRelation {
  const [left, right] = readInputs(node, scope);
  return joined({ ...node, join_type: 'INNER' }, left, right, { conditions: [], residual: [] });
}

export function readPositionalJoin(node: PlanOperator, scope: ReadScope): BoundRelation {
  const [left, right] = readInputs(node, scope);
  return {
    relation: {
      kind: 'positional_join',
      left: left.relation,
      right: right.relation,
      columns: [...left.relation.columns, ...right.relation.columns],
    },
    bindings: [...left.bindings, ...right.bindings],
  };
}

function joined(
  node: PlanJoin,
  left: BoundRelation,
  right: BoundRelation,
  by: Pick<JoinRelation, 'conditions' | 'residual'>,
): BoundRelation {
  const type = TYPES[node.join_type ?? ''];
  if (type === undefined) return unsupported(`a join of type ${node.join_type}`);
  const shape = joinShape(type, left, right, node.mark_index);
  const relation: JoinRelation = {
    kind: 'join',
    type,
    left: left.relation,
    right: right.relation,
    ...by,
    isAsof: node.type === 'LOGICAL_ASOF_JOIN',
    columns: shape.columns,
  };
  return mappedColumns({ relation, bindings: shape.bindings }, projectionMap(node, type, left, right));
}

function joinShape(
  type: JoinType,
  left: BoundRelation,
  right: BoundRelation,
  markIndex: number | undefined,
): { readonly columns: readonly RelationColumn[]; readonly bindings: readonly Binding[] } {
  const [lefts, rights] = [left.relation.columns, right.relation.columns];
  switch (type) {
    case 'semi':
    case 'anti':
      return { columns: lefts, bindings: left.bindings };
    case 'right_semi':
    case 'right_anti':
      return { columns: rights, bindings: right.bindings };
    case 'mark':
      return {
        columns: [...lefts, { name: 'mark', type: BOOLEAN }],
        bindings: [...left.bindings, { table: Number(markIndex ?? 0), column: 0 }],
      };
    default:
      return { columns: [...lefts, ...rights], bindings: [...left.bindings, ...right.bindings] };
  }
}

/** Combines the maps of both sides into one over the columns of the join without maps. */
function projectionMap(
  { left_projection_map: leftMap = [], right_projection_map: rightMap = [] }: PlanJoin,
  type: JoinType,
  left: BoundRelation,
  right: BoundRelation,
): readonly number[] | undefined {
  if (leftMap.length === 0 && rightMap.length === 0) return undefined;
  const whole = (map: readonly number[], { relation }: BoundRelation) =>
    map.length === 0 ? relation.columns.map((_, i) => i) : map;
  const lefts = whole(leftMap, left);
  const width = left.relation.columns.length;
  switch (type) {
    case 'semi':
    case 'anti':
      return lefts;
    case 'right_semi':
    case 'right_anti':
      return whole(rightMap, right);
    case 'mark':
      return [...lefts, width];
    default:
      return [...lefts, ...whole(rightMap, right).map((i) => i + width)];
  }
}
