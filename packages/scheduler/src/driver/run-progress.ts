import { expectedProgress } from '@tessera/common';
import type { TaskProgress } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import type { ExecutionProgress, StageProgress } from '../stage-execution.ts';
import type { AttemptRef } from '../state/events.ts';
import { isComplete, rootOf, type SchedulerState, type StageState } from '../state/scheduler-state.ts';
import { paceFromNow } from './pace.ts';

/** A task that has not reported for longer than this may not go on as fast as before. */
const LONGEST_GAP_MS = 500;

/** The least part of a task that a report is believed to tell, so that the first ones do not count much. */
const LEAST_PART = 0.05;
/** Stages that read exchanges take this much longer than the planner expects, in relation to others. */
const EXCHANGE_FACTOR = 1.6;
/** Before tasks are measured, the pace of the machine is assumed, which counts as much as this much measured work, in milliseconds. */
const ASSUMED_MS = 5;

interface RunningTask {
  /** Its share of the time: while several tasks run, each of them has an equal share. */
  ms: number;
  /** The greatest part that it has reported, 0 to 1, and its time then. */
  reported: { readonly part: number; readonly atMs: number } | undefined;
}

/** The time that tasks took for an amount of estimated work. */
interface Measured {
  ms: number;
  workMs: number;
}

/**
 * The expected rest of a run and the duration of its stages. It is computed when somebody asks for it. The work that is left is
 * estimated by the planner, which learns the sizes of finished stages; how long it takes is known from the work that has been
 * done. Tasks report their progress every few hundred milliseconds; between two reports, a task is assumed to go on as fast as
 * before.
 */
export class RunProgress {
  readonly #now: () => number;
  readonly #pace: () => number;
  readonly #running = new Map<StageId, Map<number, RunningTask>>();
  readonly #times = new Map<StageId, { readonly fromMs: number; toMs: number }>();
  /** The tasks that have ended: those that are alone in their stage, which cannot use all nodes, and the others. */
  readonly #ended = { alone: { ms: 0, workMs: 0 }, divided: { ms: 0, workMs: 0 } };
  /** The time of running tasks is counted up to here. */
  #countedMs = 0;
  #state: SchedulerState | undefined;
  #final: ExecutionProgress | undefined;

  /**
   * @param now milliseconds
   * @param pace the time for each millisecond of estimated work that is assumed before tasks are measured
   */
  constructor(now: () => number = () => performance.now(), pace: () => number = paceFromNow()) {
    this.#now = now;
    this.#pace = pace;
  }

  began({ stage, task }: AttemptRef): void {
    const sinceMs = this.#countTime();
    if (!this.#times.has(stage)) this.#times.set(stage, { fromMs: sinceMs, toMs: sinceMs });
    if (!this.#running.has(stage)) this.#running.set(stage, new Map());
    this.#running.get(stage)!.set(task, { ms: 0, reported: undefined });
  }

  /** Without a percentage, the task is as far as its CPU time is in relation to the planner's estimate. */
  reported(
    { stage, task }: AttemptRef,
    { percent, cpuMs = 0 }: Pick<TaskProgress, 'percent' | 'cpuMs'>,
  ): void {
    const running = this.#running.get(stage)?.get(task);
    const state = this.#stateOf(stage);
    if (running === undefined || state === undefined) return;
    const part = percent === undefined ? expectedProgress(cpuMs / taskWork(state), 1) : percent / 100;
    this.#countTime();
    // A task may run several statements, and what it reports is the progress of the latest one.
    if (part > (running.reported?.part ?? 0)) running.reported = { part, atMs: running.ms };
  }

  ended({ stage, task }: AttemptRef): void {
    this.#times.get(stage)!.toMs = this.#countTime();
    const running = this.#running.get(stage)?.get(task);
    this.#running.get(stage)?.delete(task);
    const state = this.#stateOf(stage);
    if (running === undefined || state === undefined) return;
    const measured = this.#ended[kindOf(state)];
    measured.ms += running.ms;
    measured.workMs += taskWork(state);
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
    this.#countTime();
    const state = this.#state!;
    const root = state.stages[state.positions.get(rootOf(state))!]!;
    const stages = state.stages.filter((stage) => stage !== root);
    return {
      stages: stages.map(stageProgress),
      remainingMs: stages.reduce((sum, stage) => sum + this.#remainingMs(stage), 0),
      lastMs: this.#expectedMs(root),
      nodes: new Set(state.nodes.filter(({ isUsed }) => isUsed).map(({ node }) => node.name)).size,
      ...readsOf(stages),
    };
  }

  /** Divides the time since the last call among the tasks that run. */
  #countTime(): number {
    const nowMs = this.#now();
    const running = [...this.#running.values()].flatMap((tasks) => [...tasks.values()]);
    for (const task of running) task.ms += (nowMs - this.#countedMs) / running.length;
    this.#countedMs = nowMs;
    return nowMs;
  }

  #stateOf(stage: StageId): StageState | undefined {
    return this.#state?.stages[this.#state.positions.get(stage) ?? -1];
  }

  #remainingMs(state: StageState): number {
    if (state.finished !== undefined) return 0;
    const expectedMs = this.#expectedMs(state);
    const running = [...(this.#running.get(state.stage.id)?.values() ?? [])];
    const waiting = Math.max(0, tasksOf(state) - state.succeeded - running.length);
    return waiting * expectedMs + running.reduce((sum, task) => sum + remainingOfTask(task, expectedMs), 0);
  }

  /** The share of the time that a task of a stage is expected to need. */
  #expectedMs(state: StageState): number {
    const { ms, workMs } = this.#measured(kindOf(state));
    return (taskWork(state) * (ms + ASSUMED_MS * this.#pace())) / (workMs + ASSUMED_MS);
  }

  /** The work that tasks of this kind have done, including those that run, and the time that it took. */
  #measured(kind: Kind): Measured {
    const measured = { ...this.#ended[kind] };
    for (const [stage, tasks] of this.#running) {
      const state = this.#stateOf(stage);
      if (state === undefined || kindOf(state) !== kind) continue;
      for (const task of tasks.values()) {
        if (task.reported === undefined) continue;
        measured.ms += task.ms;
        measured.workMs += partDone(task.ms, task.reported) * taskWork(state);
      }
    }
    return measured;
  }
}

/**
 * The share of the time that a running task is expected to need still. Without a report, it is at least as much as it has had:
 * what is shown must not go back later.
 */
function remainingOfTask({ ms, reported }: RunningTask, expectedMs: number): number {
  if (reported === undefined) return Math.max(expectedMs - ms, ms);
  const part = partDone(ms, reported);
  return ((1 - part) * (LEAST_PART * expectedMs + ms)) / (LEAST_PART + part);
}

/** The part of a task that is done now, by its latest report. */
function partDone(ms: number, { part, atMs }: NonNullable<RunningTask['reported']>): number {
  const perMs = part / Math.max(1, atMs);
  return part + expectedProgress(perMs * Math.min(ms - atMs, LONGEST_GAP_MS), 1 - part);
}

type Kind = 'alone' | 'divided';

const kindOf = ({ stage: { partitioning } }: StageState): Kind =>
  partitioning === 'single' || partitioning === 'coordinator' ? 'alone' : 'divided';

/** The number of tasks; 1 before the stage is divided. */
const tasksOf = ({ tasks }: StageState): number => Math.max(1, tasks.length);

/** The estimated work of a task, in milliseconds. */
function taskWork(state: StageState): number {
  const { estimate, sources } = state.stage;
  const factor = sources.some(({ kind }) => kind === 'exchange') ? EXCHANGE_FACTOR : 1;
  return (factor * Math.max(estimate.cpuMs ?? 1, 1e-3)) / tasksOf(state);
}

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
