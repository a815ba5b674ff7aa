import type { PlannedRows } from '../protocol/messages.ts';

/** An operator of a plan in the kernel's JSON. */
export interface PlanNode {
  readonly name: string;
  readonly children?: readonly PlanNode[];
  readonly extra_info?: Readonly<Record<string, unknown>>;
}

/**
 * A part of a plan in which rows flow from a source through operators to the operator that collects them: the build side of a
 * join, an aggregate, a sort or the result.
 */
export interface PlannedPipeline {
  readonly source: 'scan' | 'received' | 'collected';
  /** The rows that the optimiser expects of the source. The kernel counts the progress of the pipeline in them. */
  readonly rows: number;
  /** The estimated CPU time in µs, which only counts in relation to other pipelines. */
  readonly work: number;
  /**
   * The estimated CPU time in µs before the source returns the first row: for hash tables, groups and sorted runs that are
   * completed when all their rows have been collected.
   */
  readonly before: number;
}

/** CPU times in µs, rounded from those of the TPC-H queries on tables in memory. */
const COST = {
  /** Passes a row from one operator to the next. */
  row: 0.003,
  scanValue: 0.0008,
  filterRow: 0.0035,
  /** LIKE with a fixed beginning, end or middle, and with any other pattern. */
  findRow: 0.02,
  matchRow: 0.15,
  buildRow: 0.03,
  finishBuildRow: 0.023,
  probeRow: 0.0005,
  aggregateRow: 0.04,
  finishGroup: 0.001,
  sortRow: 0.03,
  finishSortRow: 0.001,
  topRow: 0.05,
  windowRow: 0.2,
  receivedRow: 0.05,
};

/** The additional time in µs of a lookup in a hash table with many rows, which the cache of the processor does not hold. */
const MISSED_CACHE = { us: 0.02, fromRows: 90_000, toRows: 200_000 };

function missedCache(rows: number): number {
  const { us, fromRows, toRows } = MISSED_CACHE;
  return us * Math.max(0, Math.min(1, Math.log(rows / fromRows) / Math.log(toRows / fromRows)));
}

/** The part of the rows of a table that the optimiser expects to pass a filter without statistics. */
const FILTERED = 0.2;

/**
 * The part of these rows that is expected to lie in a range with two ends, for which the optimiser makes the same guess as for one
 * end.
 */
const IN_RANGE = 0.3;

/** The part of all rows that is expected to differ from a value or a pattern, for which the optimiser makes the same guess as for equality. */
const DIFFERENT = 0.9;

/** Without statistics of the keys, the optimiser expects about as many groups as rows; then this part is expected instead. */
const GROUPS = { unknownFrom: 0.9, part: 0.1 };

/** The pipelines of a plan, in the order in which the kernel runs them. */
export function pipelinesOf(root: PlanNode, receivedFunction: string): PlannedPipeline[] {
  const plan: Plan = { pipelines: [], receivedFunction, tables: new Map() };
  addPipelines(root, undefined, plan);
  return plan.pipelines;
}

interface Plan {
  readonly pipelines: PlannedPipeline[];
  readonly receivedFunction: string;
  /** The queries of common table expressions, by their numbers. */
  readonly tables: Map<string, PlanNode>;
}

/** The part of the optimiser's estimate that is expected, because it contains groups of keys without statistics. */
function partExpected(node: PlanNode, tables: Plan['tables']): number {
  const table = node.name.includes('CTE_SCAN') ? tables.get(numberOf(node)) : undefined;
  const input = table ?? childrenOf(node)[0];
  if (input === undefined) return 1;
  const isUnknown =
    node.name.includes('HASH_GROUP_BY') && estimateOf(node) > GROUPS.unknownFrom * estimateOf(input);
  return (isUnknown ? GROUPS.part : 1) * partExpected(input, tables);
}

/** The number of a common table expression, in the operator that computes it and in those that read it. */
const numberOf = ({ extra_info }: PlanNode): string =>
  String(extra_info?.['CTE Index'] ?? extra_info?.['Table Index']);

/** The operators above a UNION ALL, through which the rows of all its branches go, and the share of one branch. */
interface Shared {
  /** From the UNION ALL up to the collector. */
  readonly operators: readonly PlanNode[];
  /** The part of all rows that the branch is expected to return. */
  readonly part: number;
  readonly isFirst: boolean;
}

const NOT_SHARED: Shared = { operators: [], part: 1, isFirst: true };

/**
 * Adds the pipeline whose last operator is `top`, after those that it waits for: the kernel builds the hash tables of the
 * joins from the top down, and then reads the source. Each branch of a UNION ALL is the source of a pipeline.
 */
function addPipelines(
  top: PlanNode,
  collector: PlanNode | undefined,
  plan: Plan,
  shared: Shared = NOT_SHARED,
): void {
  const operators: PlanNode[] = [];
  for (let node = top; ; ) {
    if (isUnion(node)) {
      addBranches(node, collector, plan, { ...shared, operators: [...operators, ...shared.operators] });
      break;
    }
    operators.unshift(node);
    const [first, ...others] = childrenOf(node);
    if (first === undefined || isCollector(node)) {
      if (first !== undefined) addPipelines(first, node, plan);
      plan.pipelines.push(pipelineOf(operators, collector, plan, shared));
      break;
    }
    if (isTable(node)) plan.tables.set(numberOf(node), first);
    const [next = first, inputs] = hasInputsFirst(node) ? [others[0], [first]] : [first, others];
    for (const input of inputs) if (!isPlaceholder(input)) addPipelines(input, node, plan);
    node = next;
  }
  for (const operator of operators)
    if (returnsUnmatched(operator)) plan.pipelines.push(unmatchedOf(operator));
}

function addBranches(union: PlanNode, collector: PlanNode | undefined, plan: Plan, shared: Shared): void {
  const branches = childrenOf(union);
  const rows = branches.reduce((total, branch) => total + estimateOf(branch), 0);
  for (const [i, branch] of branches.entries()) {
    const part = shared.part * (rows === 0 ? 1 / branches.length : estimateOf(branch) / rows);
    addPipelines(branch, collector, plan, { ...shared, part, isFirst: shared.isFirst && i === 0 });
  }
}

const isUnion = ({ name }: PlanNode): boolean => /^\s*UNION\s*$/.test(name);

/** The first child of these is computed before their second one, which is part of the pipeline. */
const hasInputsFirst = ({ name }: PlanNode): boolean => /DELIM_JOIN|CTE$/.test(name.trim());

const isTable = ({ name }: PlanNode): boolean => /^\s*CTE\s*$/.test(name);

/** Stands for rows that a delim join hands over itself. */
const isPlaceholder = ({ name }: PlanNode): boolean => name.includes('DUMMY_SCAN');

const isHashJoin = ({ name }: PlanNode): boolean => name.includes('HASH_JOIN');

/** Whether the join is the source of another pipeline, which returns rows of its hash table. */
const returnsUnmatched = (operator: PlanNode): boolean =>
  isHashJoin(operator) && /RIGHT|FULL|OUTER/.test(String(operator.extra_info?.['Join Type']));

function unmatchedOf(join: PlanNode): PlannedPipeline {
  const rows = Math.max(1, estimateOf(join));
  return { source: 'collected', rows, work: rows * COST.row, before: 0 };
}

function pipelineOf(
  [source, ...operators]: readonly PlanNode[],
  collector: PlanNode | undefined,
  { receivedFunction, tables }: Plan,
  shared: Shared,
): PlannedPipeline {
  const isCollected = childrenOf(source!).length > 0;
  const isReceived = source!.name.trim().toLowerCase() === receivedFunction;
  let rows = estimateOf(source!);
  let work = isCollected ? rows * COST.row : isReceived ? rows * COST.receivedRow : scanWork(source!);
  let before = isCollected ? finishWork(source!) : 0;
  const partRead = partOfGuess(listOf(source!, 'Filters'));
  rows *= partRead;
  const apply = (operator: PlanNode, partOfRows: number) => {
    const returned = returnedRows(operator, rows, partRead * partOfRows);
    work += operatorWork(operator, rows, returned);
    rows = returned;
  };
  for (const operator of operators) apply(operator, 1);
  for (const operator of shared.operators) apply(operator, shared.part);
  // The hash tables are finished before the first branch is read.
  for (const operator of shared.isFirst ? [...operators, ...shared.operators] : operators)
    if (isHashJoin(operator)) before += builtRows(operator) * COST.finishBuildRow;
  if (collector !== undefined) work += collectorWork(collector, rows);
  // The rows of COPY are counted when they have been written.
  if (isCollected && collector?.name.includes('COPY') === true) work = before = 0;
  const part = partExpected(source!, tables);
  return {
    source: isCollected ? 'collected' : isReceived ? 'received' : 'scan',
    rows: Math.max(1, estimateOf(source!)),
    work: work * part,
    before: before * part,
  };
}

/** The rows that a scan is expected to return, as a multiple of the optimiser's guess for its filters. */
function partOfGuess(filters: readonly string[]): number {
  if (filters.some(isRange)) return IN_RANGE;
  return filters.length > 0 && filters.every(isDifference) ? DIFFERENT / FILTERED : 1;
}

const isRange = (filter: string): boolean => /([\w"]+)>=?.* AND \1<=?/.test(filter);

/** An optional filter is one that another operator applies too. */
const isDifference = (filter: string): boolean => /!=|!~~|^\(?NOT |^optional:/.test(filter);

/**
 * The rows that an operator is expected to return for `rows` rows, which are this part of all its rows. The optimiser multiplies what it does not know about the
 * conditions of joins: it may expect many times the rows of both sides where nearly none match. Few joins return more than the
 * larger of their sides.
 */
function returnedRows(operator: PlanNode, rows: number, part: number): number {
  const estimate = estimateOf(operator) * part || rows;
  if (isHashJoin(operator)) return Math.min(estimate, Math.max(rows, builtRows(operator)));
  return /PROJECTION|FILTER/.test(operator.name) ? Math.min(estimate, rows) : estimate;
}

function scanWork(scan: PlanNode): number {
  const filters = listOf(scan, 'Filters');
  const rows = estimateOf(scan) / (filters.length > 0 ? FILTERED : 1);
  const values = Math.max(1, listOf(scan, 'Projections').length + filters.length);
  return rows * (values * COST.scanValue + conditionsCost(filters));
}

function operatorWork(operator: PlanNode, rows: number, returned: number): number {
  const { name } = operator;
  if (isHashJoin(operator))
    return rows * (COST.probeRow + missedCache(builtRows(operator))) + returned * COST.row;
  if (name.includes('FILTER')) return rows * conditionsCost(listOf(operator, 'Expression'));
  if (name.includes('WINDOW')) return rows * COST.windowRow;
  return Math.max(rows, returned) * COST.row;
}

function collectorWork(collector: PlanNode, rows: number): number {
  const { name } = collector;
  if (name.includes('COPY')) return 0;
  if (name.includes('JOIN')) return rows * COST.buildRow;
  if (/GROUP_BY|AGGREGATE/.test(name)) {
    const aggregates = listOf(collector, 'Aggregates').length;
    const groups = name.includes('HASH') ? estimateOf(collector) : 1;
    return rows * ((1 + aggregates / 4) * COST.aggregateRow + missedCache(groups));
  }
  if (name.includes('ORDER')) return rows * COST.sortRow;
  if (name.includes('WINDOW')) return rows * COST.windowRow;
  if (name.includes('TOP_N')) return rows * COST.topRow;
  return rows * COST.row;
}

/** The work of a collector between its last input row and the first row that it returns. */
function finishWork(collector: PlanNode): number {
  const { name } = collector;
  if (name.includes('HASH_GROUP_BY')) return estimateOf(collector) * COST.finishGroup;
  return name.includes('ORDER') ? estimateOf(collector) * COST.finishSortRow : 0;
}

/** The rows in the hash table of a join. */
const builtRows = (join: PlanNode): number => estimateOf(childrenOf(join)[1] ?? join);

const conditionsCost = (conditions: readonly string[]): number =>
  conditions.reduce((sum, condition) => sum + conditionCost(condition), 0);

function conditionCost(condition: string): number {
  if (/~~|LIKE|regexp/i.test(condition)) return COST.matchRow;
  return /contains|prefix|suffix/i.test(condition) ? COST.findRow : COST.filterRow;
}

/** Whether the operator takes all rows of its input before it returns the first. */
const isCollector = ({ name }: PlanNode): boolean =>
  /GROUP_BY|AGGREGATE|ORDER_BY|TOP_N|COPY|CREATE_TABLE|INSERT|^\s*(WINDOW|LIMIT)/.test(name);

/**
 * Whether the result contains the rows of a UNION ALL of which a later branch first builds a hash table, groups, sorts or the like.
 * The kernel begins with these when the rows of the branches before it have been read, but expects the reader only when nothing but
 * the result is left to compute: with more rows than fit into its buffer, both wait for each other.
 */
export function waitsForReader(root: PlanNode): boolean {
  if (isCollector(root)) return false;
  const [first, ...others] = childrenOf(root);
  if (isUnion(root) && others.some((branch) => !isStreamed(branch))) return true;
  const next = hasInputsFirst(root) ? others[0] : first;
  return next !== undefined && waitsForReader(next);
}

/** Whether all operators return rows while they read. */
const isStreamed = (node: PlanNode): boolean =>
  (childrenOf(node).length === 0 ||
    isUnion(node) ||
    /PROJECTION|FILTER|^\s*(STREAMING|UNNEST)/.test(node.name)) &&
  childrenOf(node).every(isStreamed);

/** The estimated rows of all scans, and of the result. */
export function rowsOf(root: PlanNode): PlannedRows {
  let scanned = 0;
  const nodes = [root];
  for (const node of nodes) {
    const children = childrenOf(node);
    if (children.length === 0) scanned += estimateOf(node);
    nodes.push(...children);
  }
  // The root of COPY and of ORDER BY has no estimate of its own.
  return { scanned, returned: nodes.map(estimateOf).find((rows) => rows > 0) ?? 0 };
}

const childrenOf = ({ children = [] }: PlanNode): readonly PlanNode[] => children;

/** The rows that an operator is expected to return. The kernel names none for an operator that returns what it gets. */
function estimateOf({ name, extra_info, children }: PlanNode): number {
  const named = extra_info?.['Estimated Cardinality'] ?? extra_info?.Top;
  if (named !== undefined) return Number(named) || 0;
  return name.includes('ORDER') && children?.[0] !== undefined ? estimateOf(children[0]) : 0;
}

function listOf({ extra_info }: PlanNode, property: string): readonly string[] {
  const value = extra_info?.[property];
  if (Array.isArray(value)) return value.map(String);
  return value === undefined || value === '' ? [] : [String(value)];
}
