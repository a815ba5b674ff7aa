import type { StageId } from '@tessera/planner';
import type { ExecutionProgress, StageProgress } from '../stage-execution.ts';
import type { AttemptRef } from '../state/events.ts';
import { isComplete, rootOf, type SchedulerState, type StageState } from '../state/scheduler-state.ts';

const TELL_EVERY_MS = 100;

/** The progress of a run and the duration of its stages. Reported at most ten times a second. */
export class RunProgress {
  readonly #tell: (progress: ExecutionProgress) => void;
  readonly #percents = new Map<StageId, Map<number, number>>();
  readonly #times = new Map<StageId, { readonly fromMs: number; toMs: number }>();
  #timer: NodeJS.Timeout | undefined;
  #percent = 0;
  #state: SchedulerState | undefined;

  constructor(tell: (progress: ExecutionProgress) => void) {
    this.#tell = tell;
  }

  began({ stage, task }: AttemptRef): void {
    const nowMs = performance.now();
    if (!this.#times.has(stage)) this.#times.set(stage, { fromMs: nowMs, toMs: nowMs });
    this.#percents.get(stage)?.delete(task);
  }

  told({ stage, task }: AttemptRef, percent: number | undefined): void {
    if (percent === undefined) return;
    if (!this.#percents.has(stage)) this.#percents.set(stage, new Map());
    this.#percents.get(stage)!.set(task, percent);
  }

  ended({ stage, task }: AttemptRef): void {
    this.#times.get(stage)!.toMs = performance.now();
    this.#percents.get(stage)?.delete(task);
  }

  /** The time from the first start of a task to the last end. */
  elapsedMs(stage: StageId): number {
    const { fromMs, toMs } = this.#times.get(stage) ?? { fromMs: 0, toMs: 0 };
    return toMs - fromMs;
  }

  changed(state: SchedulerState): void {
    this.#state = state;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tell(this.#now(this.#state!));
    }, TELL_EVERY_MS).unref();
  }

  /** Reports the final progress: all stages have finished while the root runs. */
  close(): void {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#tell(this.#now(this.#state!));
    }
    this.changed = () => {};
  }

  #now(state: SchedulerState): ExecutionProgress {
    const root = rootOf(state);
    const stages = state.stages.filter(({ stage }) => stage.id !== root);
    const weights = stages.map(weightOf);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const done = stages.reduce((sum, stage, i) => sum + weights[i]! * this.#partDone(stage), 0);
    this.#percent = Math.max(this.#percent, total === 0 ? 0 : (100 * done) / total);
    const last = weightOf(state.stages[state.positions.get(root)!]!);
    return {
      stages: stages.map(stageProgress),
      percent: this.#percent,
      lastShare: last / (total + last),
      nodes: new Set(state.nodes.filter(({ isUsed }) => isUsed).map(({ node }) => node.name)).size,
      ...readsOf(stages),
    };
  }

  #partDone({ stage, tasks, succeeded: done, finished }: StageState): number {
    if (finished !== undefined) return 1;
    const running = [...(this.#percents.get(stage.id)?.values() ?? [])];
    return (done + running.reduce((sum, percent) => sum + percent, 0) / 100) / Math.max(1, tasks.length);
  }
}

/** The estimated work of a stage, in relation to the others. */
const weightOf = ({ stage: { estimate } }: StageState): number => Math.max(estimate.cpuMs ?? 1, 1e-3);

/** What the tasks that have finished read of tables and files. */
function readsOf(stages: readonly StageState[]): Pick<ExecutionProgress, 'rowsRead' | 'bytesRead'> {
  const reads = stages.flatMap(({ tasks }) => tasks.flatMap(({ outcome }) => outcome?.reads ?? []));
  return {
    rowsRead: reads.reduce((sum, { rows }) => sum + rows, 0),
    bytesRead: reads.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export function stageProgress(state: StageState): StageProgress {
  const { stage, status, tasks, succeeded: done, finished } = state;
  const isFinished = isComplete(state) || finished !== undefined;
  return {
    stage: stage.id,
    state: isFinished ? 'finished' : status === 'started' ? 'running' : 'waiting',
    tasks: tasks.length,
    tasksFinished: isFinished ? tasks.length : done,
    attempts: tasks.reduce((sum, { attempt }) => sum + attempt + 1, 0),
  };
}
