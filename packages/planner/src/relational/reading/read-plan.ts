import { type Needed, walkNeededColumns } from '../../needed-columns.ts';
import type { PlanExpression, PlanGet, PlanOperator, PlanOrder } from '../../plan-nodes.ts';
import { parsePlan } from '../../serialized-plan.ts';
import { columnOf, isReference } from '../expressions/references.ts';
import type { Relation, SetRelation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { readAggregate } from './aggregate.ts';
import {
  type BoundRelation,
  bindingsOf,
  mappedColumns,
  type ReadScope,
  readInput,
  resolvedAll,
} from './bound-relation.ts';
import { readCteReference, readMaterializedCte, readRecursiveCte } from './cte.ts';
import { readDelimJoin, readDelimScan } from './delim-join.ts';
import { isVirtualColumn, readGet } from './get.ts';
import { readAnyJoin, readComparisonJoin, readCrossProduct, readPositionalJoin } from './join.ts';
import { readLimit, readOrder, readTopN, sortKeys } from './order.ts';
import { readSample } from './sample.ts';
import { readColumnData, readDummyScan, readEmptyResult, readExpressionGet } from './values.ts';

const OPERATIONS: Readonly<Record<string, SetRelation['operation']>> = {
  LOGICAL_UNION: 'union',
  LOGICAL_INTERSECT: 'intersect',
  LOGICAL_EXCEPT: 'except',
};

function readSetOperation(
  node: PlanOperator & { readonly table_index?: number; readonly setop_all?: boolean },
  scope: ReadScope,
): BoundRelation {
  const operation = OPERATIONS[node.type];
  const inputs = (node.children ?? []).map((child) => scope.read(child, scope).relation);
  const [first] = inputs;
  if (operation === undefined || first === undefined || (operation !== 'union' && inputs.length !== 2))
    return unsupported(`the inputs of ${node.type}`);
  if (inputs.some(({ columns }) => columns.length !== first.columns.length))
    return unsupported('a set operation over inputs of several widths');
  return {
    relation: { kind: 'set', operation, isAll: node.setop_all === true, inputs, columns: first.columns },
    bindings: bindingsOf(node.table_index, first.columns),
  };
}

type ReadOperator = (node: never, scope: ReadScope) => BoundRelation;

const READERS: Readonly<Record<string, ReadOperator>> = {
  LOGICAL_GET: readGet,
  LOGICAL_PROJECTION: readProjection,
  LOGICAL_FILTER: readFilter,
  LOGICAL_AGGREGATE_AND_GROUP_BY: readAggregate,
  LOGICAL_WINDOW: readWindow,
  LOGICAL_UNNEST: readUnnest,
  LOGICAL_LIMIT: readLimit,
  LOGICAL_ORDER_BY: readOrder,
  LOGICAL_TOP_N: readTopN,
  LOGICAL_DISTINCT: readDistinct,
  LOGICAL_SAMPLE: readSample,
  LOGICAL_CHUNK_GET: readColumnData,
  LOGICAL_EXPRESSION_GET: readExpressionGet,
  LOGICAL_DUMMY_SCAN: readDummyScan,
  LOGICAL_EMPTY_RESULT: readEmptyResult,
  LOGICAL_DELIM_GET: readDelimScan,
  LOGICAL_DELIM_JOIN: readDelimJoin,
  LOGICAL_COMPARISON_JOIN: readComparisonJoin,
  LOGICAL_ASOF_JOIN: readComparisonJoin,
  LOGICAL_ANY_JOIN: readAnyJoin,
  LOGICAL_CROSS_PRODUCT: readCrossProduct,
  LOGICAL_POSITIONAL_JOIN: readPositionalJoin,
  LOGICAL_UNION: readSetOperation,
  LOGICAL_EXCEPT: readSetOperation,
  LOGICAL_INTERSECT: readSetOperation,
  LOGICAL_MATERIALIZED_CTE: readMaterializedCte,
  LOGICAL_RECURSIVE_CTE: readRecursiveCte,
  LOGICAL_CTE_REF: readCteReference,
};

/**
 * Reads the plan that `PLAN_SQL` returns as relations: managed tables become scans, other tables of the
 * session `local` relations.
 * @throws UnsupportedPlan for a plan that relations cannot represent
 * @throws TesseraError STATEMENT_FAILED if the kernel returned no plan
 */
export async function readPlan(serialized: string): Promise<Relation> {
  const plan = await parsePlan(serialized);
  walkNeededColumns(plan, refuseRowIds);
  let ids = 0;
  const nextId = () => ids++;
  return readOperator(plan, { read: readOperator, nextId, shared: new Map() }).relation;
}

function readOperator(node: PlanOperator, scope: ReadScope): BoundRelation {
  const reader = READERS[node.type];
  return reader === undefined ? unsupported(`the operator ${node.type}`) : reader(node as never, scope);
}

/**
 * Refuses scans that use row ids, because the mirror's row ids differ from those of the tables. If rows are
 * only counted, a row id is present but not used.
 */
function refuseRowIds({ column_indexes = [], projection_ids = [] }: PlanGet, needed: Needed): void {
  const given = projection_ids.length === 0 ? column_indexes : projection_ids.map((i) => column_indexes[i]);
  for (const [i, column] of given.entries())
    if (column !== undefined && isVirtualColumn(column.index) && (needed === 'all' || needed.has(i)))
      unsupported('row ids');
}

function readProjection(
  node: PlanOperator & { readonly table_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const expressions = resolvedAll(node.expressions, [input]);
  const columns = expressions.map((expression) => columnOf(expression, input.relation.columns));
  return {
    relation: { kind: 'project', input: input.relation, expressions, columns },
    bindings: bindingsOf(node.table_index, columns),
  };
}

function readFilter(
  node: PlanOperator & { readonly projection_map?: readonly number[] },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const predicates = resolvedAll(node.expressions, [input]);
  const { columns } = input.relation;
  return mappedColumns(
    { relation: { kind: 'filter', input: input.relation, predicates, columns }, bindings: input.bindings },
    node.projection_map,
  );
}

function readUnnest(
  node: PlanOperator & { readonly unnest_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const unnests = resolvedAll(node.expressions, [input]);
  const inputs = input.relation.columns;
  return {
    relation: {
      kind: 'unnest',
      input: input.relation,
      unnests,
      columns: [...inputs, ...unnests.map((unnest) => columnOf(unnest, inputs))],
    },
    bindings: [...input.bindings, ...bindingsOf(node.unnest_index, unnests)],
  };
}

function readWindow(
  node: PlanOperator & { readonly window_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const windows = resolvedAll(node.expressions, [input]);
  const inputs = input.relation.columns;
  return {
    relation: {
      kind: 'window',
      input: input.relation,
      windows,
      columns: [...inputs, ...windows.map((window) => columnOf(window, inputs))],
    },
    bindings: [...input.bindings, ...bindingsOf(node.window_index, windows)],
  };
}

interface PlanDistinct extends PlanOperator {
  readonly distinct_type?: string;
  readonly distinct_targets?: readonly PlanExpression[];
  readonly order_by?: { readonly orders?: readonly PlanOrder[] } | null;
}

function readDistinct(node: PlanDistinct, scope: ReadScope): BoundRelation {
  const input = readInput(node, scope);
  const { columns } = input.relation;
  const targets = resolvedAll(node.distinct_targets, [input]);
  const order = sortKeys(node.order_by?.orders, input);
  // With a collation, columns are compared by a derived value instead of their own.
  const whole =
    node.distinct_type !== 'DISTINCT_ON' &&
    targets.length === columns.length &&
    targets.every((target, i) => isReference(target) && target.index === i);
  return {
    relation: {
      kind: 'distinct',
      input: input.relation,
      ...(whole ? {} : { on: targets }),
      order: whole ? [] : order,
      columns,
    },
    bindings: input.bindings,
  };
}
