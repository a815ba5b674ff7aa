import type { StageId } from '@tessera/planner';
import type { ExecutionProgress, StageProgress } from '../stage-execution.ts';
import type { AttemptRef } from '../state/events.ts';
import { isComplete, rootOf, type SchedulerState, type StageState } from '../state/scheduler-state.ts';

/** Shorter tasks tell nothing about the speed of others. */
const LEAST_MEASURED_MS = 50;

interface RunningTask {
  readonly sinceMs: number;
  /** The progress that it has reported, 0 to 100. */
  percent: number | undefined;
}

/**
 * The progress of a run and the duration of its stages. It is computed when somebody asks for it. A task reports its progress
 * only after a while, and not at all where it cannot know it; until then, the part of its estimated time that has passed counts,
 * at the speed of the tasks that have ended.
 */
export class RunProgress {
  readonly #now: () => number;
  readonly #running = new Map<StageId, Map<number, RunningTask>>();
  readonly #times = new Map<StageId, { readonly fromMs: number; toMs: number }>();
  /** The actual and the estimated time of the tasks that have ended. */
  readonly #ended = { ms: 0, estimatedMs: 0 };
  #percent = 0;
  #state: SchedulerState | undefined;
  #final: ExecutionProgress | undefined;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  began({ stage, task }: AttemptRef): void {
    const sinceMs = this.#now();
    if (!this.#times.has(stage)) this.#times.set(stage, { fromMs: sinceMs, toMs: sinceMs });
    if (!this.#running.has(stage)) this.#running.set(stage, new Map());
    this.#running.get(stage)!.set(task, { sinceMs, percent: undefined });
  }

  reported({ stage, task }: AttemptRef, percent: number | undefined): void {
    const running = this.#running.get(stage)?.get(task);
    if (running !== undefined && percent !== undefined) running.percent = percent;
  }

  ended({ stage, task }: AttemptRef): void {
    const nowMs = this.#now();
    this.#times.get(stage)!.toMs = nowMs;
    const running = this.#running.get(stage)?.get(task);
    this.#running.get(stage)?.delete(task);
    const state = this.#state?.stages[this.#state.positions.get(stage) ?? -1];
    if (running === undefined || state === undefined) return;
    this.#ended.ms += nowMs - running.sinceMs;
    this.#ended.estimatedMs += taskMs(state);
  }

  /** The time from the first start of a task to the last end. */
  elapsedMs(stage: StageId): number {
    const { fromMs, toMs } = this.#times.get(stage) ?? { fromMs: 0, toMs: 0 };
    return toMs - fromMs;
  }

  changed(state: SchedulerState): void {
    if (this.#final === undefined) this.#state = state;
  }

  /** Keeps the final progress: all stages have finished while the root runs. */
  close(): void {
    this.#final = this.now();
    this.#state = undefined;
  }

  now(): ExecutionProgress {
    if (this.#final !== undefined) return this.#final;
    const state = this.#state!;
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

  #partDone(state: StageState): number {
    const { stage, tasks, succeeded, finished } = state;
    if (finished !== undefined) return 1;
    const running = [...(this.#running.get(stage.id)?.values() ?? [])];
    const parts = running.reduce(
      (sum, { sinceMs, percent }) =>
        sum + (percent === undefined ? this.#expected(state, sinceMs) : percent / 100),
      0,
    );
    return Math.min(1, (succeeded + parts) / Math.max(1, tasks.length));
  }

  /** The part of a running task that is expected to be done, less than 1. */
  #expected(state: StageState, sinceMs: number): number {
    const { ms, estimatedMs } = this.#ended;
    if (ms < LEAST_MEASURED_MS) return 0;
    const share = (this.#now() - sinceMs) / ((ms / estimatedMs) * taskMs(state));
    return share / (1 + share ** 4) ** 0.25;
  }
}

/** The estimated work of a stage, in relation to the others. */
const weightOf = ({ stage: { estimate } }: StageState): number => Math.max(estimate.cpuMs ?? 1, 1e-3);

const taskMs = (state: StageState): number => weightOf(state) / Math.max(1, state.tasks.length);

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
