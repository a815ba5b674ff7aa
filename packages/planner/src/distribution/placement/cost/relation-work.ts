import type { PlanExpression } from '../../../plan-nodes.ts';
import { mapExpression } from '../../../relational/expressions/references.ts';
import type { JoinRelation, Relation, ScanRelation } from '../../../relational/relation.ts';
import type { Estimate } from '../../estimate/estimate.ts';
import { inputsOf } from '../../tree/inputs.ts';
import type { Planning } from '../planning.ts';
import { COST_CONSTANTS as COST } from './cost-constants.ts';

/** The CPU time in µs that the tasks of a stage spend on a relation. */
export interface Work {
  /** The time of all tasks together for rows that are divided among them. */
  readonly divided: number;
  /** The time that every task spends, because it has all of these rows. */
  readonly repeated: number;
  /** Whether the rows of the relation are divided among the tasks. */
  readonly isDivided: boolean;
}

/** The part of the planning state that work depends on. */
export type WorkContext = Pick<
  Planning,
  'estimates' | 'facts' | 'tableBytes' | 'readings' | 'partitionedScans' | 'keyLimits' | 'nodes'
>;

/** The CPU time in µs of all tasks. */
export const totalWork = ({ divided, repeated }: Work, tasks: number): number => divided + tasks * repeated;

/** The CPU time in µs of one task. */
export const workOfTask = ({ divided, repeated }: Work, tasks: number): number => divided / tasks + repeated;

/**
 * The fraction of a node's memory up to which the model assumes that tables are resident; beyond it, that
 * they are read from files.
 */
const RESIDENT_SHARE = 0.5;

/**
 * Estimates the work of a relation from the row counts of its operators. Rows above scans that are divided
 * among tasks, and above hash or forward exchanges, are divided; every task repeats the work for all other
 * rows.
 */
export function workOf(planning: WorkContext, relation: Relation): Work {
  const rowsOf = (inner: Relation) => planning.estimates.of(inner).rows;
  switch (relation.kind) {
    case 'scan': {
      const cost = scanWork(planning, relation);
      if (!planning.keyLimits.has(relation)) return leaf(cost, planning.partitionedScans.has(relation));
      // Every task reads and tests all rows, but only the rows with its own keys reach the operators above.
      return { divided: 0, repeated: cost + rowsOf(relation) * COST.filterRow, isDivided: true };
    }
    case 'input': {
      const mode = planning.readings.get(relation.id)?.mode;
      return leaf(rowsOf(relation) * COST.scanResidentValue, mode === 'hash' || mode === 'forward');
    }
    case 'join':
      return joinWork(planning, relation);
    default: {
      const below = inputsOf(relation).map((input) => workOf(planning, input));
      const isDivided = below.some((work) => work.isDivided);
      return plus(below, operatorWork(planning, relation), isDivided);
    }
  }
}

/** The CPU time in µs for reading all rows of a table. */
export function scanWork(planning: WorkContext, scan: ScanRelation): number {
  const external = externalWork(planning, scan);
  if (external !== undefined) return external;
  const value = isResident(planning, scan) ? COST.scanResidentValue : COST.scanParquetValue;
  return planning.estimates.of(scan).rows * Math.max(1, scan.names.length) * value;
}

/** The CPU time in µs for fetching and reading files outside the managed store; undefined for a table. */
function externalWork({ facts, estimates, nodes }: WorkContext, scan: ScanRelation): number | undefined {
  const table = facts.tables.get(scan.relation);
  if (table?.external === undefined) return undefined;
  const fetchedByte = table.isServedByNode === true ? (COST.serveByte * (nodes - 1)) / nodes : COST.fetchByte;
  if (table.external === 'text') return table.bytes * (fetchedByte + COST.parseByte);
  const values = estimates.of(scan).rows * Math.max(1, scan.names.length);
  return table.bytes * fetchedByte + values * COST.scanParquetValue;
}

/** Whether the query's tables, or a node's share of them, fit into the memory of a node. */
function isResident(planning: WorkContext, scan: ScanRelation): boolean {
  const { nodeMemoryBytes } = planning.facts.cluster;
  const nodes = planning.partitionedScans.has(scan) ? planning.nodes : 1;
  return planning.tableBytes / nodes <= nodeMemoryBytes * RESIDENT_SHARE;
}

/** The kernel builds a hash table of the smaller side and looks up the rows of the other side. */
function joinWork(planning: WorkContext, join: JoinRelation): Work {
  const [left, right] = [workOf(planning, join.left), workOf(planning, join.right)];
  const [l, r] = [planning.estimates.of(join.left), planning.estimates.of(join.right)];
  const isRightBuilt = r.rows <= l.rows || join.type !== 'inner';
  const built = (rows: Estimate, isBuilt: boolean) => rows.rows * (isBuilt ? COST.buildRow : COST.probeRow);
  const sides = [
    plus([left], join.conditions.length === 0 ? 0 : built(l, !isRightBuilt), left.isDivided),
    plus([right], join.conditions.length === 0 ? 0 : built(r, isRightBuilt), right.isDivided),
  ];
  const pairs = join.conditions.length === 0 ? l.rows * r.rows * COST.filterRow : 0;
  const emitted = planning.estimates.of(join).rows * COST.scanResidentValue;
  return plus(sides, pairs + emitted, left.isDivided || right.isDivided);
}

/** The CPU time in µs of one operator over all of its rows, without its inputs. */
function operatorWork(planning: WorkContext, relation: Relation): number {
  const { rows } = planning.estimates.of(relation);
  const read = inputsOf(relation).reduce((sum, input) => sum + planning.estimates.of(input).rows, 0);
  switch (relation.kind) {
    case 'filter':
      return read * relation.predicates.reduce((sum, predicate) => sum + conditionCost(predicate), 0);
    case 'project':
      return read * computedColumns(relation.expressions) * COST.filterRow;
    case 'aggregate':
      return (
        read * relation.groupingSets.length * (1 + relation.aggregates.length / 4) * COST.aggregateRow +
        rows * COST.newGroup
      );
    case 'distinct':
    case 'set':
      return relation.kind === 'set' && relation.operation === 'union' && relation.isAll
        ? 0
        : read * COST.aggregateRow + rows * COST.newGroup;
    case 'window':
    case 'sort':
      return read * COST.sortRow;
    default:
      return Math.max(read, rows) * COST.filterRow;
  }
}

/** CPU µs of one condition on one row. */
const conditionCost = (predicate: PlanExpression): number =>
  matchesText(predicate) ? COST.matchRow : COST.filterRow;

function matchesText(expression: PlanExpression): boolean {
  let found = false;
  mapExpression(expression, ({ name }) => {
    if (name !== undefined && /~~|like|regexp/.test(name)) found = true;
    return undefined;
  });
  return found;
}

const computedColumns = (expressions: readonly { readonly type: string }[]): number =>
  expressions.filter(({ type }) => type !== 'BOUND_REF').length;

const leaf = (cost: number, isDivided: boolean): Work =>
  isDivided ? { divided: cost, repeated: 0, isDivided } : { divided: 0, repeated: cost, isDivided };

/**
 * The work of the inputs and of one operator above them, which every task repeats unless its rows are
 * divided.
 */
function plus(inputs: readonly Work[], own: number, isDivided: boolean): Work {
  const divided = inputs.reduce((sum, work) => sum + work.divided, 0);
  const repeated = inputs.reduce((sum, work) => sum + work.repeated, 0);
  return isDivided
    ? { divided: divided + own, repeated, isDivided }
    : { divided, repeated: repeated + own, isDivided };
}
