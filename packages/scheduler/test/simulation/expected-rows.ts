import type { StageId } from '@tessera/planner';
import { isComplete, type SchedulerState } from '../../src/state/scheduler-state.ts';
import type { SimulatedPlan } from './random-plan.ts';
import { outputName } from './simulated-node.ts';
import { type Row, rowsOfStage, tabletRows } from './stage-rows.ts';

/**
 * The rows that the root must read. They are computed without tasks from the tables, and for stages whose
 * attempts differ, from the outputs of the attempts that count.
 */
export function expectedRows(
  { plan, tables, volatile, unsteady, skewed }: SimulatedPlan,
  state: SchedulerState,
  left: ReadonlyMap<string, readonly Row[]>,
): readonly Row[] {
  const known = new Map<StageId, readonly Row[]>();
  const rowsOf = (id: StageId): readonly Row[] => {
    const kept = known.get(id);
    if (kept) return kept;
    const stage = plan.stages.find((one) => one.id === id)!;
    const sources = stage.sources.map((source): readonly Row[] => {
      if (source.kind === 'exchange') return rowsOf(source.stage);
      if (source.kind === 'session') return [];
      return tables
        .get(source.relation)!
        .flatMap((rows, tablet) => tabletRows(Number(source.relation.slice(1)), tablet, rows));
    });
    const rows =
      volatile.has(id) || unsteady.has(id) ? chosenRows(id) : rowsOfStage(stage, sources, { skewed });
    known.set(id, rows);
    return rows;
  };
  const chosenRows = (id: StageId): readonly Row[] => {
    const { tasks } = state.stages[state.positions.get(id)!]!;
    return tasks.flatMap(({ attempt }, task) => left.get(outputName({ stage: id, task, attempt })) ?? []);
  };
  return rowsOf(plan.stages.at(-1)!.id);
}

/** Checks that the counters of the state match its contents. */
export function countProblems(state: SchedulerState): readonly string[] {
  const problems: string[] = [];
  const running = state.nodes.map(() => 0);
  for (const stage of state.stages) {
    for (const status of ['created', 'succeeded', 'outputLost'] as const) {
      const actual = stage.tasks.filter((task) => task.status === status).length;
      if (actual !== stage[status])
        problems.push(`stage ${stage.stage.id}: ${stage[status]} ${status}, really ${actual}`);
    }
    for (const task of stage.tasks) if (task.status === 'running') running[task.node]!++;
    if (isComplete(stage) && stage.finished === undefined && stage.stage.id !== state.plan.stages.at(-1)!.id)
      problems.push(`stage ${stage.stage.id} has not finished`);
  }
  state.nodes.forEach((node, i) => {
    if (node.running !== running[i])
      problems.push(`node ${i}: ${node.running} running, really ${running[i]}`);
    const limit = i === 0 ? 1 : state.options.tasksPerNode;
    if (node.running > limit) problems.push(`node ${i} runs ${node.running} tasks`);
    if (node.status === 'lost' && node.running > 0) problems.push(`node ${i} is lost and runs tasks`);
  });
  return problems;
}
