import type { PlanOutline, Stage } from '@tessera/planner';
import { type StageProfile, stageTotals } from '@tessera/scheduler';
import { renamed, type TableNames } from '../read/table-names.ts';
import { executedOperators } from './executed-operators.ts';
import type { ExplainedNode, ExplainedOperator, ExplainedStage } from './explained-query.ts';

/** A stage before it runs. */
export function stageMember(stage: Stage, names: TableNames): ExplainedStage {
  const { id, partitioning, sources, output, estimate, operators, outline } = stage;
  const modes = new Map(
    sources.flatMap((source) => (source.kind === 'exchange' ? [[source.stage, source.mode] as const] : [])),
  );
  const tree = operators?.() ?? { operator: 'Query', details: { plan: outline().join('\n') }, inputs: [] };
  const texts = output.texts?.() ?? [];
  return {
    stage: id,
    partitioning,
    inputs: sources.flatMap((source) => (source.kind === 'exchange' ? [source.stage] : [])),
    hash_keys: output.hashKeys.flatMap((key) => texts[key] ?? []),
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
  const operators = executedOperators(stage, planned.operators, profile, names) ?? planned.operators;
  return {
    ...planned,
    operators: { ...operators, rows: totals.rows, bytes: totals.bytes },
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
    peak_memory_bytes: totals.peakMemoryBytes,
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
        peak_memory_bytes: totals.peakMemoryBytes,
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
