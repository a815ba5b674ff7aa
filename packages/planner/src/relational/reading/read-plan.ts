import { type Needed, walkNeededColumns } from '../../needed-columns.ts';
import type { PlanGet, PlanOperator } from '../../plan-nodes.ts';
import { parsePlan } from '../../serialized-plan.ts';
import type { Relation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { readAggregate } from './aggregate.ts';
import type { BoundRelation, ReadScope } from './bound-relation.ts';
import { readCteReference, readMaterializedCte, readRecursiveCte } from './cte.ts';
import { readDelimJoin, readDelimScan } from './delim-join.ts';
import { readDistinct } from './distinct.ts';
import { readFilter } from './filter.ts';
import { isVirtualColumn, readGet } from './get.ts';
import { readAnyJoin, readComparisonJoin, readCrossProduct, readPositionalJoin } from './join.ts';
import { readLimit, readOrder, readTopN } from './order.ts';
import { readProjection } from './projection.ts';
import { readSample } from './sample.ts';
import { readSetOperation } from './set-operation.ts';
import { readUnnest } from './unnest.ts';
import { readColumnData, readDummyScan, readEmptyResult, readExpressionGet } from './values.ts';
import { readWindow } from './window.ts';

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
export function readPlan(serialized: string): Relation {
  const plan = parsePlan(serialized);
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
