import type { PlanOutline, Stage } from '@tessera/planner';
import { type StageProfile, stageTotals } from '@tessera/scheduler';
import { renamed, type TableNames } from '../read/table-names.ts';
import type { ExplainedNode, ExplainedOperator, ExplainedStage } from './explained-query.ts';

/** A stage before it runs. */
export function stageMember(stage: Stage, names: TableNames): ExplainedStage {
  const { id, partitioning, sources, output, estimate, operators, outline } = stage;
  const modes = new Map(
    sources.flatMap((source) => (source.kind === 'exchange' ? [[source.stage, source.mode] as const] : [])),
  );
  const tree = operators?.() ?? { operator: 'Query', details: { plan: outline.join('\n') }, inputs: [] };
  return {
    stage: id,
    partitioning,
    inputs: sources.flatMap((source) => (source.kind === 'exchange' ? [source.stage] : [])),
    hash_keys: output.hashNames ?? [],
    estimated_rows: estimate.rows,
    estimated_bytes: estimate.bytes,
    operators: withModes(operatorMember(tree, names), modes),
  };
}

/** Says how each output is read. */
function withModes(operator: ExplainedOperator, modes: ReadonlyMap<number, string>): ExplainedOperator {
  const inputs = operator.inputs.map((input) => withModes(input, modes));
  const mode = operator.stage === undefined ? undefined : modes.get(operator.stage);
  return mode === undefined ? { ...operator, inputs } : { ...operator, details: { mode }, inputs };
}

/** The same with the measurements of the stage, and those of its output at its first operator. */
export function executedStageMember(stage: Stage, profile: StageProfile, names: TableNames): ExplainedStage {
  const planned = stageMember(stage, names);
  const { tasks, attempts, elapsedMs } = profile;
  const totals = stageTotals(profile);
  return {
    ...planned,
    operators: { ...planned.operators, rows: totals.rows, bytes: totals.bytes },
    tasks,
    attempts,
    elapsed_ms: elapsedMs,
    cpu_ms: totals.cpuMs,
    rows: totals.rows,
    bytes: totals.bytes,
    skew: totals.skew,
    bytes_from_other_nodes: totals.fetchedBytes,
    bytes_from_storage: totals.storageBytes,
    bytes_spilled: totals.spilledBytes,
    nodes: nodeMembers(profile),
  };
}

function nodeMembers({ tasksByNode }: StageProfile): readonly ExplainedNode[] {
  const byNode = Map.groupBy(tasksByNode, ({ node }) => node);
  return [...byNode]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([node, tasks]) => {
      const totals = stageTotals({ tasksByNode: tasks });
      return {
        node,
        tasks: tasks.length,
        rows: totals.rows,
        bytes: totals.bytes,
        cpu_ms: totals.cpuMs,
        elapsed_ms: Math.max(...tasks.map(({ outcome }) => outcome.elapsedMs)),
        bytes_from_other_nodes: totals.fetchedBytes,
        bytes_from_storage: totals.storageBytes,
        bytes_spilled: totals.spilledBytes,
      };
    });
}

/** An operator as a JSON member, with the names of tables that the user knows. */
export function operatorMember(outline: PlanOutline, names: TableNames): ExplainedOperator {
  const { operator, details, inputs, stage, estimatedRows, rows, timeMs, bytes, rowsScanned } = outline;
  return {
    operator,
    details: Object.fromEntries(Object.entries(details).map(([name, text]) => [name, renamed(text, names)])),
    stage,
    estimated_rows: estimatedRows,
    rows,
    time_ms: timeMs,
    bytes,
    rows_scanned: rowsScanned,
    inputs: inputs.map((input) => operatorMember(input, names)),
  };
}

/** What a figure-bearing operator is known by: its kind, and the tables and stages that it reads. */
const keyOf = (operator: ExplainedOperator): string =>
  `${kindOf(operator)}|${leavesOf(operator).sort().join(',')}`;

/** Limit and sort together are one operator of the kernel. */
const kindOf = ({ operator }: ExplainedOperator): string => (operator === 'Top N' ? 'Sort' : operator);

const leavesOf = ({ operator, details, stage, inputs }: ExplainedOperator): string[] =>
  inputs.length === 0
    ? [stage === undefined ? `${details.table ?? operator}` : `stage ${stage}`]
    : inputs.flatMap(leavesOf);

const preorder = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
  operator,
  ...operator.inputs.flatMap(preorder),
];

/**
 * The operators of the kernel for a stage, with the details that the planner gave them: the columns of a stage have internal
 * names in the kernel. An operator that the planner has not, or has several times, is shown without details. Projections
 * that only pass columns on are left out.
 * @param stages the stages whose outputs the stage reads, in the order of its sources
 */
export function plannedDetails(
  profiled: ExplainedOperator,
  planned: ExplainedOperator,
  stages: readonly number[],
): ExplainedOperator {
  const exchanges = preorder(profiled).filter(({ operator }) => operator === 'Exchange');
  // The kernel does not say which output a scan of received rows reads.
  const isKnown = stages.length === 1 || exchanges.length === 0;
  const simplified = withoutProjections(profiled, isKnown ? stages[0] : undefined);
  const byKey = Map.groupBy(preorder(planned), keyOf);
  const counts = Map.groupBy(preorder(simplified), keyOf);
  const described = (operator: ExplainedOperator): ExplainedOperator => {
    const key = keyOf(operator);
    const found = byKey.get(key);
    const own = found?.length === 1 && counts.get(key)?.length === 1 ? found[0] : undefined;
    return { ...operator, details: own?.details ?? {}, inputs: operator.inputs.map(described) };
  };
  return described(simplified);
}

function withoutProjections(operator: ExplainedOperator, stage: number | undefined): ExplainedOperator {
  const inputs = operator.inputs.map((input) => withoutProjections(input, stage));
  const [only] = inputs;
  if (operator.operator === 'Project' && only !== undefined)
    return { ...only, time_ms: (only.time_ms ?? 0) + (operator.time_ms ?? 0) };
  return operator.operator === 'Exchange' ? { ...operator, stage, inputs } : { ...operator, inputs };
}
