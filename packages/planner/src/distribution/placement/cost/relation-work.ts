import type { PlanExpression } from '../../../plan-nodes.ts';
import { mapExpression } from '../../../relational/expressions/references.ts';
import type { JoinRelation, Relation, RelationColumn, ScanRelation } from '../../../relational/relation.ts';
import type { Estimate } from '../../estimate/estimate.ts';
import { inputsOf } from '../../tree/inputs.ts';
import type { Planning } from '../planning.ts';
import { CHOICE_PRICES, type Prices } from './cost-constants.ts';

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
/** The most rows of a hash table by whose keys the kernel filters the rows of the other side. */
const MAX_FILTERED_BUILD_ROWS = 100_000;

/**
 * Estimates the work of a relation from the row counts of its operators. Rows above scans that are divided
 * among tasks, and above hash or forward exchanges, are divided; every task repeats the work for all other
 * rows.
 */
export function workOf(planning: WorkContext, relation: Relation, prices: Prices = CHOICE_PRICES): Work {
  const rowsOf = (inner: Relation) => planning.estimates.of(inner).rows;
  switch (relation.kind) {
    case 'scan': {
      const cost = scanWork(planning, relation, prices);
      if (!planning.keyLimits.has(relation)) return leaf(cost, planning.partitionedScans.has(relation));
      // Every task reads and tests all rows, but only the rows with its own keys reach the operators above.
      return { divided: 0, repeated: cost + rowsOf(relation) * prices.filterRow, isDivided: true };
    }
    case 'input': {
      const mode = planning.readings.get(relation.id)?.mode;
      return leaf(rowsOf(relation) * prices.scanResidentValue, mode === 'hash' || mode === 'forward');
    }
    case 'join':
      return joinWork(planning, relation, prices);
    case 'filter': {
      const below = workOf(planning, relation.input, prices);
      const own = operatorWork(planning, relation, prices);
      const isLimited = relation.input.kind === 'scan' && planning.keyLimits.has(relation.input);
      const isRepeated = isLimited && !prices.limitsKeysFirst;
      return isRepeated ? { ...below, repeated: below.repeated + own } : plus([below], own, below.isDivided);
    }
    default: {
      const below = inputsOf(relation).map((input) => workOf(planning, input, prices));
      const isDivided = below.some((work) => work.isDivided);
      return plus(below, operatorWork(planning, relation, prices), isDivided);
    }
  }
}

/** The CPU time in µs for reading all rows of a table. */
export function scanWork(planning: WorkContext, scan: ScanRelation, prices: Prices = CHOICE_PRICES): number {
  const external = externalWork(planning, scan, prices);
  if (external !== undefined) return external;
  const value = isResident(planning, scan) ? prices.scanResidentValue : prices.scanParquetValue;
  return planning.estimates.of(scan).rows * Math.max(1, scan.names.length) * value;
}

/** The CPU time in µs for fetching and reading files outside the managed store; undefined for a table. */
function externalWork(
  { facts, estimates, nodes }: WorkContext,
  scan: ScanRelation,
  prices: Prices,
): number | undefined {
  const table = facts.tables.get(scan.relation);
  if (table?.external === undefined) return undefined;
  const fetchedByte =
    table.isServedByNode === true ? (prices.serveByte * (nodes - 1)) / nodes : prices.fetchByte;
  if (table.external === 'text') return table.bytes * (fetchedByte + prices.parseByte);
  const values = estimates.of(scan).rows * Math.max(1, scan.names.length);
  return table.bytes * fetchedByte + values * prices.scanParquetValue;
}

/** Whether the query's tables, or a node's share of them, fit into the memory of a node. */
function isResident(planning: WorkContext, scan: ScanRelation): boolean {
  const { nodeMemoryBytes } = planning.facts.cluster;
  const nodes = planning.partitionedScans.has(scan) ? planning.nodes : 1;
  return planning.tableBytes / nodes <= nodeMemoryBytes * RESIDENT_SHARE;
}

/** The kernel builds a hash table of the smaller side and looks up the rows of the other side. */
function joinWork(planning: WorkContext, join: JoinRelation, prices: Prices): Work {
  const [left, right] = [workOf(planning, join.left, prices), workOf(planning, join.right, prices)];
  const [l, r] = [planning.estimates.of(join.left), planning.estimates.of(join.right)];
  const emitted = planning.estimates.of(join).rows;
  const isRightBuilt = r.rows <= l.rows;
  // The kernel leaves out most rows without a match before it looks them up, if the hash table is small.
  const isSelective =
    /^(?:inner|semi|right_semi)$/.test(join.type) && Math.min(l.rows, r.rows) <= MAX_FILTERED_BUILD_ROWS;
  const sideWork = ({ columns }: Relation, { rows }: Estimate, isBuilt: boolean) => {
    if (join.conditions.length === 0) return 0;
    if (isBuilt) return rows * (prices.buildRow + textsOf(columns) * prices.buildText);
    const matched = isSelective ? Math.min(rows, emitted) : rows;
    return matched * prices.probeRow + (rows - matched) * prices.missRow;
  };
  const sides = [
    plus([left], sideWork(join.left, l, !isRightBuilt), left.isDivided),
    plus([right], sideWork(join.right, r, isRightBuilt), right.isDivided),
  ];
  const pairs = join.conditions.length === 0 ? l.rows * r.rows * prices.filterRow : 0;
  return plus(sides, pairs + emitted * prices.scanResidentValue, left.isDivided || right.isDivided);
}

/** The CPU time in µs of one operator over all of its rows, without its inputs. */
function operatorWork(planning: WorkContext, relation: Relation, prices: Prices): number {
  const { rows } = planning.estimates.of(relation);
  const read = inputsOf(relation).reduce((sum, input) => sum + planning.estimates.of(input).rows, 0);
  switch (relation.kind) {
    case 'filter':
      return read * relation.predicates.reduce((sum, predicate) => sum + conditionCost(predicate, prices), 0);
    case 'project':
      return read * computedColumns(relation.expressions) * prices.filterRow;
    case 'aggregate':
      return (
        read * relation.groupingSets.length * (1 + relation.aggregates.length / 4) * prices.aggregateRow +
        rows *
          (prices.newGroup + textsOf(relation.columns.slice(0, relation.groups.length)) * prices.buildText)
      );
    case 'distinct':
    case 'set':
      return relation.kind === 'set' && relation.operation === 'union' && relation.isAll
        ? 0
        : read * prices.aggregateRow + rows * prices.newGroup;
    case 'window':
    case 'sort':
      return read * prices.sortRow;
    default:
      return Math.max(read, rows) * prices.filterRow;
  }
}

/** CPU µs of one condition on one row. */
function conditionCost(predicate: PlanExpression, prices: Prices): number {
  if (calls(predicate, /~~|like|regexp/)) return prices.matchRow;
  return calls(predicate, /^(?:contains|prefix|suffix|substring)$/) ? prices.findRow : prices.filterRow;
}

function calls(expression: PlanExpression, names: RegExp): boolean {
  let found = false;
  mapExpression(expression, ({ name }) => {
    if (name !== undefined && names.test(name)) found = true;
    return undefined;
  });
  return found;
}

/** The number of texts in a row. */
const textsOf = (columns: readonly RelationColumn[]): number =>
  columns.filter(({ type }) => type.id === 'VARCHAR').length;

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
