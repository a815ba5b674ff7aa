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
    const stages = state.stages.filter(({ stage }) => stage.id !== rootOf(state));
    const parts = stages.map((stage) => this.#partDone(stage));
    const mean = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
    this.#percent = Math.max(this.#percent, 100 * mean);
    return { stages: stages.map(stageProgress), percent: this.#percent };
  }

  #partDone({ stage, tasks, succeeded: done, finished }: StageState): number {
    if (finished !== undefined) return 1;
    const running = [...(this.#percents.get(stage.id)?.values() ?? [])];
    return (done + running.reduce((sum, percent) => sum + percent, 0) / 100) / Math.max(1, tasks.length);
  }
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
