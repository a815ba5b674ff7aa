import { expectedProgress } from '@tessera/common';
import type { StageId } from '@tessera/planner';
import type { ExecutionProgress, StageProgress } from '../stage-execution.ts';
import type { AttemptRef } from '../state/events.ts';
import { isComplete, rootOf, type SchedulerState, type StageState } from '../state/scheduler-state.ts';

/** A task that has not reported for longer than this may not go on as fast as before. */
const LONGEST_GAP_MS = 500;

interface RunningTask {
  readonly sinceMs: number;
  /** The greatest part that it has reported, 0 to 1, and when. */
  reported: { readonly part: number; readonly atMs: number } | undefined;
}

/**
 * The progress of a run and the duration of its stages. It is computed when somebody asks for it. Tasks report their progress
 * every few hundred milliseconds; between two reports, a task is assumed to go on as fast as before. Before its first report, and
 * where it cannot know its progress, the part of its estimated time that has passed counts, at the speed of the tasks that have
 * ended, in this run or else in earlier ones.
 */
export class RunProgress {
  readonly #now: () => number;
  readonly #running = new Map<StageId, Map<number, RunningTask>>();
  readonly #times = new Map<StageId, { readonly fromMs: number; toMs: number }>();
  readonly #speed = new TaskSpeed();
  readonly #usual: TaskSpeed;
  #percent = 0;
  #state: SchedulerState | undefined;
  #final: ExecutionProgress | undefined;

  /**
   * @param usual the speed of earlier runs; it learns from this one
   * @param now milliseconds
   */
  constructor(usual: TaskSpeed, now: () => number = () => performance.now()) {
    this.#usual = usual;
    this.#now = now;
  }

  began({ stage, task }: AttemptRef): void {
    const sinceMs = this.#now();
    if (!this.#times.has(stage)) this.#times.set(stage, { fromMs: sinceMs, toMs: sinceMs });
    if (!this.#running.has(stage)) this.#running.set(stage, new Map());
    this.#running.get(stage)!.set(task, { sinceMs, reported: undefined });
  }

  reported({ stage, task }: AttemptRef, percent: number | undefined): void {
    const running = this.#running.get(stage)?.get(task);
    if (running === undefined || percent === undefined) return;
    // A task may run several statements, and what it reports is the progress of the latest one.
    if (percent / 100 > (running.reported?.part ?? 0))
      running.reported = { part: percent / 100, atMs: this.#now() };
  }

  ended({ stage, task }: AttemptRef): void {
    const nowMs = this.#now();
    this.#times.get(stage)!.toMs = nowMs;
    const running = this.#running.get(stage)?.get(task);
    this.#running.get(stage)?.delete(task);
    const state = this.#state?.stages[this.#state.positions.get(stage) ?? -1];
    if (running === undefined || state === undefined) return;
    for (const speed of [this.#speed, this.#usual]) speed.measured(nowMs - running.sinceMs, taskMs(state));
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
    const parts = running.reduce((sum, task) => sum + this.#partOfTask(state, task), 0);
    return Math.min(1, (succeeded + parts) / Math.max(1, tasks.length));
  }

  /** The part of a running task that is expected to be done, less than 1 unless it has reported that. */
  #partOfTask(state: StageState, { sinceMs, reported }: RunningTask): number {
    const nowMs = this.#now();
    if (reported !== undefined) {
      const { part, atMs } = reported;
      const perMs = part / Math.max(1, atMs - sinceMs);
      return part + expectedProgress(perMs * Math.min(nowMs - atMs, LONGEST_GAP_MS), 1 - part);
    }
    const factor = this.#speed.factor ?? this.#usual.factor;
    return factor === undefined ? 0 : expectedProgress((nowMs - sinceMs) / (factor * taskMs(state)), 1);
  }
}

/** Shorter tasks tell nothing about the speed of others. */
const LEAST_MEASURED_MS = 50;
/** The latest tasks count, with about this time together. */
const REMEMBERED_MS = 10_000;

/** How much longer tasks take than they are estimated to. */
export class TaskSpeed {
  #ms = 0;
  #estimatedMs = 0;

  measured(ms: number, estimatedMs: number): void {
    const kept = REMEMBERED_MS / (REMEMBERED_MS + ms);
    this.#ms = this.#ms * kept + ms;
    this.#estimatedMs = this.#estimatedMs * kept + estimatedMs;
  }

  /** Undefined while too little is known. */
  get factor(): number | undefined {
    return this.#ms < LEAST_MEASURED_MS ? undefined : this.#ms / this.#estimatedMs;
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
