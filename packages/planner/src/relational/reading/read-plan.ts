import { MANAGED_SCHEMA } from '@tessera/sql';
import type { PlanGet, PlanOperator } from '../../plan-nodes.ts';
import { parsePlan } from '../../serialized-plan.ts';
import type { Relation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { readAggregate } from './aggregate.ts';
import type { BoundRelation, ReadScope, TableSource } from './bound-relation.ts';
import { readCteReference, readMaterializedCte, readRecursiveCte } from './cte.ts';
import { readDelimJoin, readDelimScan } from './delim-join.ts';
import { readDistinct } from './distinct.ts';
import { readFilter } from './filter.ts';
import { readGet } from './get.ts';
import { readAnyJoin, readComparisonJoin, readCrossProduct, readPositionalJoin } from './join.ts';
import { readLimit, readOrder, readTopN } from './order.ts';
import { readProjection } from './projection.ts';
import { readSample } from './sample.ts';
import { readSetOperation } from './set-operation.ts';
import { readUnnest } from './unnest.ts';
import { readColumnData, readDummyScan, readEmptyResult, readExpressionGet } from './values.ts';
import { readWindow } from './window.ts';

export interface ReadPlanOptions {
  /** What a scan stands for. Without it, or where it answers nothing, tables of the managed schema are scans. */
  readonly sourceOf?: (get: PlanGet) => TableSource | undefined;
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
 * The plan that `PLAN_SQL` gives, as relations.
 *
 * @throws UnsupportedPlan for a plan that relations cannot tell
 * @throws TesseraError STATEMENT_FAILED when the kernel gave no plan
 */
export function readPlan(serialized: string, options: ReadPlanOptions = {}): Relation {
  let ids = 0;
  return readOperator(parsePlan(serialized), {
    read: readOperator,
    sourceOf: (get) => options.sourceOf?.(get) ?? managedTable(get),
    nextId: () => ids++,
    shared: new Map(),
  }).relation;
}

function readOperator(node: PlanOperator, scope: ReadScope): BoundRelation {
  const reader = READERS[node.type];
  return reader === undefined ? unsupported(`the operator ${node.type}`) : reader(node as never, scope);
}

function managedTable({ function_data }: PlanGet): TableSource | undefined {
  const { schema, table } = function_data ?? {};
  return schema === MANAGED_SCHEMA && table !== undefined ? { kind: 'scan', relation: table } : undefined;
}
