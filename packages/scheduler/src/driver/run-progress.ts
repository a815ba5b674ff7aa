import { expectedProgress } from '@tessera/common';
import type { TaskProgress } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import type { ExecutionProgress, StageProgress } from '../stage-execution.ts';
import type { AttemptRef } from '../state/events.ts';
import { isComplete, rootOf, type SchedulerState, type StageState } from '../state/scheduler-state.ts';
import { LearnedSpeed, type TaskKind } from './learned-speed.ts';

/** A task that has not reported for longer than this may not go on as fast as before. */
const LONGEST_GAP_MS = 500;
/** A task that counts nothing is expected to need at least this part of its CPU time so far once more. */
const OVERDUE_PART = 0.4;
/** Stages that read exchanges take this much longer than the planner expects, in relation to others. */
const EXCHANGE_FACTOR = 1.3;
/** How much the CPU time of finished stages says about that of others, in relation to the estimates: each is wrong in its own way. */
const OTHERS_WEIGHT = 0.2;
/** Before tasks are measured, their speed is assumed, which counts as much as this much CPU time, in milliseconds. */
const ASSUMED_MS = 20;
/** The estimate of a stage counts as much as this number of its tasks. */
const ASSUMED_TASKS = 0.5;

interface RunningTask {
  /** Its share of the time: while several tasks run, each of them has an equal share. */
  ms: number;
  reported: Report | undefined;
}

interface Report {
  /** The part of its work that the task has counted, 0 to 1. */
  readonly part: number | undefined;
  readonly cpuMs: number;
  /** Its share of the time when it reported. */
  readonly atMs: number;
}

/** The tasks of one stage that have ended, with their total times. */
interface EndedTasks {
  tasks: number;
  /** Their shares of the time. */
  ms: number;
  cpuMs: number;
}

/**
 * The expected rest of a run and the duration of its stages. It is computed when somebody asks for it. The work that is left is
 * estimated by the planner, which learns the sizes of finished stages; the CPU times of tasks and their shares of the time tell how
 * long it takes. Tasks report their progress every few hundred milliseconds; between two reports, a task is assumed to go on as
 * fast as before.
 */
export class RunProgress {
  readonly #now: () => number;
  readonly #speed: LearnedSpeed;
  readonly #running = new Map<StageId, Map<number, RunningTask>>();
  readonly #ended = new Map<StageId, EndedTasks>();
  readonly #times = new Map<StageId, { readonly fromMs: number; toMs: number }>();
  /** The time of running tasks is counted up to here. */
  #countedMs = 0;
  #state: SchedulerState | undefined;
  #final: ExecutionProgress | undefined;

  /**
   * @param now milliseconds
   * @param speed what earlier runs have taken, which learns from this one
   */
  constructor(now: () => number = () => performance.now(), speed: LearnedSpeed = LearnedSpeed.ofProcess) {
    this.#now = now;
    this.#speed = speed;
  }

  began({ stage, task }: AttemptRef): void {
    const sinceMs = this.#countTime();
    if (!this.#times.has(stage)) this.#times.set(stage, { fromMs: sinceMs, toMs: sinceMs });
    if (!this.#running.has(stage)) this.#running.set(stage, new Map());
    this.#running.get(stage)!.set(task, { ms: 0, reported: undefined });
  }

  reported(
    { stage, task }: AttemptRef,
    { percent, cpuMs = 0 }: Pick<TaskProgress, 'percent' | 'cpuMs'>,
  ): void {
    const running = this.#running.get(stage)?.get(task);
    if (running === undefined) return;
    this.#countTime();
    const { part: before = 0 } = running.reported ?? {};
    const part = (percent ?? 0) / 100;
    // A task may run several statements, and what it reports is the progress of the latest one.
    if (percent !== undefined && part < before) return;
    const counted = Math.max(part, before);
    running.reported = {
      part: counted === 0 ? undefined : counted,
      cpuMs: cpuMs || running.ms,
      atMs: running.ms,
    };
  }

  /** @param cpuMs 0 if the system does not tell */
  ended({ stage, task }: AttemptRef, cpuMs: number): void {
    this.#times.get(stage)!.toMs = this.#countTime();
    const running = this.#running.get(stage)?.get(task);
    this.#running.get(stage)?.delete(task);
    if (running === undefined) return;
    const ended = this.#ended.get(stage) ?? { tasks: 0, ms: 0, cpuMs: 0 };
    ended.tasks += 1;
    ended.ms += running.ms;
    ended.cpuMs += cpuMs;
    this.#ended.set(stage, ended);
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
    for (const kind of ['alone', 'divided'] as const)
      this.#speed.learn(kind, { ...this.#measured(kind), ...this.#estimated(kind) });
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
      lastMs: this.#expectedCpuMs(root) * this.#pace(root),
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

  #remainingMs(state: StageState): number {
    if (state.finished !== undefined) return 0;
    const expectedMs = this.#expectedCpuMs(state);
    const pace = this.#pace(state);
    const running = [...(this.#running.get(state.stage.id)?.values() ?? [])];
    const waiting = Math.max(0, tasksOf(state) - state.succeeded - running.length);
    return running.reduce(
      (sum, task) => sum + remainingOfTask(task, expectedMs, pace),
      waiting * expectedMs * pace,
    );
  }

  /** The CPU time that a task of a stage is expected to need: like the tasks of the stage that have ended, or by the estimate. */
  #expectedCpuMs(state: StageState): number {
    const kind = kindOf(state);
    const { cpuMs, workMs } = this.#estimated(kind);
    const assumed = this.#speed.of(kind).cpuPerWork;
    const measured = (cpuMs + ASSUMED_MS * assumed) / (workMs + ASSUMED_MS);
    const estimated = taskWork(state) * assumed * (measured / assumed) ** OTHERS_WEIGHT;
    const own = this.#ended.get(state.stage.id);
    if (own === undefined) return estimated;
    return ((own.cpuMs || own.ms) + ASSUMED_TASKS * estimated) / (own.tasks + ASSUMED_TASKS);
  }

  /** The share of the time that tasks like those of a stage need for a millisecond of CPU time. */
  #pace(state: StageState): number {
    const kind = kindOf(state);
    const { ms, cpuMs } = this.#measured(kind);
    return (ms + ASSUMED_MS * this.#speed.of(kind).msPerCpu) / (cpuMs + ASSUMED_MS);
  }

  /** The CPU time of the tasks of this kind so far, including those that run, and their share of the time. */
  #measured(kind: TaskKind): { ms: number; cpuMs: number } {
    const measured = { ms: 0, cpuMs: 0 };
    const add = (ms: number, cpuMs: number) => {
      measured.ms += ms;
      measured.cpuMs += cpuMs || ms;
    };
    for (const state of this.#stagesOf(kind)) {
      const { id } = state.stage;
      const ended = this.#ended.get(id);
      if (ended !== undefined) add(ended.ms, ended.cpuMs);
      for (const { reported } of this.#running.get(id)?.values() ?? [])
        if (reported !== undefined) add(reported.atMs, reported.cpuMs);
    }
    return measured;
  }

  /** The CPU time of the tasks of this kind that have ended, and their estimated work. */
  #estimated(kind: TaskKind): { cpuMs: number; workMs: number } {
    const estimated = { cpuMs: 0, workMs: 0 };
    for (const state of this.#stagesOf(kind)) {
      const { tasks, ms, cpuMs } = this.#ended.get(state.stage.id) ?? { tasks: 0, ms: 0, cpuMs: 0 };
      estimated.cpuMs += cpuMs || ms;
      estimated.workMs += tasks * taskWork(state);
    }
    return estimated;
  }

  #stagesOf(kind: TaskKind): readonly StageState[] {
    return this.#state?.stages.filter((state) => kindOf(state) === kind) ?? [];
  }
}

/** The share of the time that a running task is expected to need still. */
function remainingOfTask({ ms, reported }: RunningTask, expectedMs: number, pace: number): number {
  // Without a report, it is at least as much as it has had: what is shown must not go back later.
  if (reported === undefined) return Math.max(expectedMs * pace - ms, ms);
  const { part, cpuMs, atMs } = reported;
  const sinceMs = Math.min(ms - atMs, LONGEST_GAP_MS);
  if (part === undefined) {
    const spentMs = cpuMs + sinceMs / pace;
    return pace * Math.max(OVERDUE_PART * spentMs, expectedMs - (1 - OVERDUE_PART) * spentMs);
  }
  // The first parts of a task may be estimated as badly as the whole: the more it has counted, the more that tells about the rest.
  const leftMs = pace * (1 - part) * expectedMs * (cpuMs / (part * expectedMs)) ** Math.sqrt(part);
  return leftMs - expectedProgress(sinceMs, leftMs);
}

const kindOf = ({ stage: { partitioning } }: StageState): TaskKind =>
  partitioning === 'single' || partitioning === 'coordinator' ? 'alone' : 'divided';

/** The number of tasks; 1 before the stage is divided. */
const tasksOf = ({ tasks }: StageState): number => Math.max(1, tasks.length);

/** The estimated CPU time of a task, in milliseconds. */
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
