import type { NodeName } from '@tessera/common';
import type { TaskOperator, TaskOutcome } from '@tessera/distexec';
import { operatorWord, type Stage, type StageSource } from '@tessera/planner';
import type { StageProfile } from '@tessera/scheduler';
import type { ExecutableQuery } from '../read/executable-query.ts';
import { renamed, type TableNames } from '../read/table-names.ts';
import type { ExplainedNodeOfOperator, ExplainedOperator } from './explained-query.ts';
import { keyOf, plannedDetails } from './planned-details.ts';

/** An operator of one task, with the node that ran it. */
interface Part {
  readonly node: NodeName;
  readonly operator: ExplainedOperator;
}

/**
 * The operators of a stage with the figures of all its tasks. The kernels of two nodes may choose different plans: the plan of
 * the task that took the most time is shown, and what other plans have besides counts as time of the operator above it.
 * Undefined if no task was profiled.
 */
export function executedOperators(
  stage: Stage,
  planned: ExplainedOperator,
  { tasksByNode }: Pick<StageProfile, 'tasksByNode'>,
  names: TableNames,
): ExplainedOperator | undefined {
  const stages = stage.sources.flatMap((source) => (source.kind === 'exchange' ? [source.stage] : []));
  const parts = tasksByNode.flatMap(({ node, outcome: { profile, reads } }): Part[] => {
    if (profile === undefined) return [];
    const executed = memberOf(profile.operators, { stage, names, reads });
    return [{ node, operator: plannedDetails(executed, planned, stages) }];
  });
  const nodes = new Set(parts.map(({ node }) => node));
  return parts.length === 0 ? undefined : merged(parts, nodes.size);
}

/** The sources of a task, with the amounts that it read of them. */
interface TaskSources extends Pick<TaskOutcome, 'reads'> {
  readonly stage: Stage;
  readonly names: TableNames;
}

function memberOf(executed: TaskOperator, sources: TaskSources): ExplainedOperator {
  const { name, source: position, rows, bytes, timeMs } = executed;
  const { stage, names, reads } = sources;
  const source = position === undefined ? undefined : stage.sources[position];
  const inputs = executed.inputs.map((input) => memberOf(input, sources));
  const figures = { rows, bytes, time_ms: timeMs, inputs };
  if (source?.kind === 'exchange')
    return { operator: 'Exchange', details: {}, stage: source.stage, ...figures };
  if (source?.kind === 'scan') {
    const table = renamed(source.relation, names);
    // The kernel does not say which of several scans of a table it means.
    const isOnly = stage.sources.filter((one) => tableOf(one, names) === table).length === 1;
    const read = isOnly ? reads.find((one) => one.source === position) : undefined;
    return { operator: 'Scan table', details: { table }, ...figures, rows_scanned: read?.rows };
  }
  const word = operatorWord(
    name,
    executed.inputs.map((input) => input.rows),
  );
  return { operator: name === 'TESSERA_RECEIVED' ? 'Exchange' : word, details: {}, ...figures };
}

/**
 * The operators of a query on one node, with the rows that their scans read before their filters. Which of several scans of a table
 * read how many is unknown, and the kernel's own figure is its estimate for each thread.
 */
export function withRowsScanned(
  root: ExplainedOperator,
  tables: ExecutableQuery['tables'],
): ExplainedOperator {
  const scans = operatorsOf(root).map(({ details }) => details.table);
  const within = (operator: ExplainedOperator): ExplainedOperator => {
    const inputs = operator.inputs.map(within);
    const { table } = operator.details;
    const [read, ...others] = tables.filter((access) => access.table.name === table);
    const isOnly = others.length === 0 && scans.indexOf(table) === scans.lastIndexOf(table);
    return { ...operator, inputs, rows_scanned: isOnly ? read?.use.read.rows : undefined };
  };
  return within(root);
}

const operatorsOf = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
  operator,
  ...operator.inputs.flatMap(operatorsOf),
];

const tableOf = (source: StageSource, names: TableNames): string | undefined =>
  source.kind === 'scan' ? renamed(source.relation, names) : undefined;

/** One operator for those of several tasks, of which the one whose plan takes the most time is shown. */
function merged(parts: readonly Part[], nodes: number): ExplainedOperator {
  const [{ operator: shown }, ...others] = parts.toSorted(
    (a, b) => timeOf(b.operator) - timeOf(a.operator),
  ) as [Part, ...Part[]];
  const rest = others.map(({ node, operator }) => ({ node, inputs: [...operator.inputs] }));
  const inputs = shown.inputs.map((input) => {
    const same = rest.flatMap(({ node, inputs: left }): Part[] => {
      const at = left.findIndex((one) => keyOf(one) === keyOf(input));
      return at < 0 ? [] : [{ node, operator: left.splice(at, 1)[0]! }];
    });
    const { node } = parts.find(({ operator }) => operator === shown)!;
    return merged([{ node, operator: input }, ...same], nodes);
  });
  const byNode = Map.groupBy(parts, ({ node }) => node);
  const figures = [...byNode]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([node, own]): ExplainedNodeOfOperator => {
      const of = (figure: 'rows' | 'time_ms' | 'bytes') =>
        sum(own.map(({ operator }) => operator[figure] ?? 0));
      const unmatched = rest.flatMap((one) => (one.node === node ? one.inputs : []));
      const time_ms = of('time_ms') + sum(unmatched.map(timeOf));
      return { node, rows: of('rows'), time_ms, bytes: of('bytes') };
    });
  const timeMs = sum(figures.map(({ time_ms }) => time_ms));
  const scanned = sum(parts.map(({ operator }) => operator.rows_scanned ?? 0));
  return {
    ...shown,
    inputs,
    rows: sum(figures.map(({ rows }) => rows)),
    time_ms: timeMs,
    bytes: sum(figures.map(({ bytes }) => bytes)),
    rows_scanned: scanned > 0 ? scanned : undefined,
    skew: nodes === 1 ? undefined : skewOf(figures, timeMs, nodes),
    nodes: nodes === 1 ? undefined : figures,
  };
}

const skewOf = (figures: readonly ExplainedNodeOfOperator[], timeMs: number, nodes: number): number =>
  timeMs === 0 ? 1 : (Math.max(...figures.map(({ time_ms }) => time_ms)) * nodes) / timeMs;

const timeOf = ({ time_ms = 0, inputs }: ExplainedOperator): number => time_ms + sum(inputs.map(timeOf));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
