import {
  cancellation,
  measurement,
  type NodeName,
  type QueryId,
  startTimer,
  TesseraError,
  type Timer,
} from '@tessera/common';
import type { OpenedSources, ResultPart, Task, TaskOutcome } from '@tessera/distexec';
import type { ClusterNode, ReleaseScope } from '../cluster.ts';
import type {
  ExecutedPlan,
  ExecutingNodes,
  PlanExecution,
  StageProfile,
  StreamedResult,
} from '../stage-execution.ts';
import type { SchedulerEffect } from '../state/effects.ts';
import type { AttemptRef, SchedulerEvent } from '../state/events.ts';
import { reduce } from '../state/reducer.ts';
import {
  initialState,
  rootOf,
  type SchedulerOptions,
  type SchedulerState,
} from '../state/scheduler-state.ts';
import { PlanningTime } from './planning-time.ts';
import { canStream, ResultStream } from './result-stream.ts';
import { RunProgress, stageProgress } from './run-progress.ts';
import { StageSpans } from './stage-spans.ts';

/** A task that has produced its output. */
export interface TaskEnd extends AttemptRef {
  readonly queryId: QueryId;
  /** Undefined for a task in the session of the query. */
  readonly node: NodeName | undefined;
  readonly ms: number;
}

export const taskEnds = measurement<TaskEnd>('task');

/** An exception of the planner while it refined a plan. The run continues with the plan that it had. */
export interface RefinementFailure {
  readonly queryId: QueryId;
  readonly err: unknown;
}

export const refinementFailures = measurement<RefinementFailure>('refinement-failure');

export type DriverOptions = Partial<
  Pick<SchedulerOptions, 'tasksPerNode' | 'retryDelayMs' | 'noNodesGraceMs' | 'releaseBytes'>
>;

const DEFAULTS = {
  tasksPerNode: 8,
  retryDelayMs: 100,
  noNodesGraceMs: 10_000,
  blocksPerEvent: 20_000,
  releaseBytes: 16 << 20,
};
/**
 * The longest delay, in milliseconds, of the end of a failed run if its session does not stop when it is told
 * to.
 */
const SESSION_STOP_MS = 900;
/** Outputs of a run with fewer bytes than this are released with the next ping. */
const SMALL_BYTES = 256 << 10;

/** Executes the reducer's effects and feeds the outcomes back as events. */
export class PlanRun {
  readonly #execution: PlanExecution;
  readonly #nodes: ExecutingNodes;
  readonly #progress = new RunProgress();
  readonly #spans = new StageSpans();
  readonly #planning = new PlanningTime();
  readonly #startedAtMs = performance.now();
  readonly #attempts = new Map<string, AbortController>();
  readonly #timers = new Set<Timer>();
  readonly #waiting: SchedulerEvent[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #state: SchedulerState;
  #isReducing = false;
  /** The session's current operation; it runs one at a time. */
  #session: Promise<unknown> = Promise.resolve();
  #root: OpenedSources | undefined;
  /** Set once parts of the result can be read. */
  #stream: ResultStream | undefined;
  /** Aborts when the run fails. */
  readonly #failed = new AbortController();
  /** An exception that is not an error of the error table. */
  #defect: { readonly error: unknown } | undefined;

  constructor(execution: PlanExecution, nodes: ExecutingNodes, options: DriverOptions) {
    this.#execution = execution;
    this.#nodes = nodes;
    const { plan, queryId, run, timeZone, maxAttempts } = execution;
    this.#state = initialState(plan, nodes.membership.self, {
      ...DEFAULTS,
      ...options,
      queryId,
      run,
      timeZone,
      maxAttempts,
    });
    this.#progress.changed(this.#state);
    execution.onRun(() => this.#progress.now());
  }

  async run(): Promise<ExecutedPlan> {
    const { signal } = this.#execution;
    if (signal.aborted) throw cancellation(signal);
    const onAbort = () => this.#send({ kind: 'cancelled', error: cancellation(signal) });
    signal.addEventListener('abort', onAbort);
    const stopListening = this.#nodes.membership.onLost(({ incarnation }, reason) => {
      this.#send({ kind: 'node-lost', incarnation, reason });
      this.#send({ kind: 'nodes', living: this.#nodes.membership.living() });
    });
    try {
      this.#send({ kind: 'nodes', living: this.#nodes.membership.living() });
      await this.#ended.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      stopListening();
      for (const timer of this.#timers) timer.clear();
      this.#progress.close();
      this.#spans.close();
    }
    this.#stream?.changed();
    const error = this.#defect ?? this.#state.end;
    if (error?.error !== undefined) {
      this.#failed.abort(error.error);
      await Promise.race([this.#session, new Promise((end) => setTimeout(end, SESSION_STOP_MS).unref())]);
      this.#root?.release();
      void this.#release();
      throw error.error;
    }
    return {
      plan: this.#state.plan,
      root: this.#root!,
      profiles: stageProfiles(this.#state, this.#progress),
      release: () => this.#release(),
    };
  }

  /** Applies an event. Events that arrive meanwhile are applied afterwards. */
  #send(event: SchedulerEvent): void {
    this.#waiting.push(event);
    if (this.#isReducing) return;
    this.#isReducing = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const { state, effects } = reduce(this.#state, next);
        this.#state = state;
        for (const effect of effects) this.#perform(effect);
      }
    } catch (error) {
      this.#defect ??= { error };
      for (const attempt of this.#attempts.values()) attempt.abort();
      this.#ended.resolve();
    } finally {
      this.#isReducing = false;
    }
    this.#progress.changed(this.#state);
    this.#stream?.changed();
  }

  #perform(effect: SchedulerEffect): void {
    switch (effect.kind) {
      case 'refine':
        this.#refine(effect);
        return;
      case 'assign':
        void this.#assign(effect);
        return;
      case 'run':
        this.#run(effect);
        return;
      case 'open-root':
        this.#openRoot(effect.task);
        return;
      case 'cancel':
        this.#attempts
          .get(attemptName(effect))
          ?.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'the task is not needed any more' }));
        return;
      case 'release':
        void this.#releaseOn(effect.node, { stages: effect.stages });
        return;
      case 'timer': {
        const timer = startTimer(() => {
          this.#timers.delete(timer);
          this.#send({ kind: 'timer', timer: effect.timer });
        }, effect.delayMs);
        this.#timers.add(timer);
        return;
      }
      case 'end':
        this.#ended.resolve();
    }
  }

  #refine(question: Extract<SchedulerEffect, { kind: 'refine' }>): void {
    const isLate = !this.#planning.isLeft(performance.now() - this.#startedAtMs);
    if (isLate || this.#stream !== undefined) this.#send({ kind: 'refined', plan: this.#state.plan });
    else if (this.#planning.isShort) this.#askPlanner(question);
    else setImmediate(() => this.#askPlanner(question));
  }

  #askPlanner({ finished, started }: Extract<SchedulerEffect, { kind: 'refine' }>): void {
    if (this.#state.end !== undefined) return;
    let { plan } = this.#state;
    try {
      plan = this.#planning.measured(() => this.#execution.refine(plan, finished, started));
    } catch (err) {
      // The current plan is complete, and a refined one is only faster.
      refinementFailures.emit({ queryId: this.#execution.queryId, err });
    }
    this.#send({ kind: 'nodes', living: this.#nodes.membership.living() });
    this.#send({ kind: 'refined', plan });
  }

  async #assign({ stage, scans, nodes, summaries }: Extract<SchedulerEffect, { kind: 'assign' }>) {
    try {
      const assigned = await Promise.all(
        [...scans].map(
          async ([position, scan]) =>
            [position, await this.#execution.assignScan(scan, nodes, summaries)] as const,
        ),
      );
      this.#send({ kind: 'assigned', stage, scans: new Map(assigned) });
    } catch (error) {
      this.#send({ kind: 'assign-failed', stage, error: this.#typed(error) });
    }
  }

  #run({ node, inSession, task: given }: Extract<SchedulerEffect, { kind: 'run' }>): void {
    const { session, timeoutMs } = this.#execution;
    const ref = this.#begin(given);
    const { signal } = this.#attempts.get(attemptName(ref))!;
    const task = this.#spans.task(given);
    this.#progress.began(ref);
    const left =
      timeoutMs === 0 ? 0 : Math.max(1, Math.ceil(timeoutMs - (performance.now() - this.#startedAtMs)));
    const outcome = inSession
      ? this.#inSession(signal, () => this.#nodes.local.runTask(task, { session, signal }))
      : this.#nodes.remote.runTask(node, task, {
          signal,
          timeoutMs: left,
          onProgress: ({ hasRows, ...report }) => {
            if (hasRows === true) this.#gotRows(ref);
            this.#progress.reported(ref, report);
          },
        });
    const startedAtMs = performance.now();
    this.#follow(ref, outcome, (result: TaskOutcome) => {
      this.#progress.ended(ref, result.cpuMs);
      const ms = Math.round(performance.now() - startedAtMs);
      const { queryId } = this.#execution;
      taskEnds.emit({ queryId, ...ref, node: inSession ? undefined : node.name, ms });
      this.#send({ kind: 'task-finished', ...ref, outcome: result });
      this.#spans.changed(this.#state);
    });
  }

  #openRoot(task: Task): void {
    const ref = this.#begin(task);
    const { signal } = this.#attempts.get(attemptName(ref))!;
    const { session } = this.#execution;
    const opened =
      this.#stream?.opened(signal) ??
      this.#inSession(signal, () => this.#nodes.local.open(task, session, signal));
    this.#follow(ref, opened, (root: OpenedSources) => {
      const { status, attempt } =
        this.#state.stages[this.#state.positions.get(rootOf(this.#state))!]!.tasks[0]!;
      if (this.#state.end !== undefined || status !== 'running' || attempt !== ref.attempt) {
        root.release();
        return;
      }
      this.#root = root;
      this.#send({ kind: 'root-opened', ...ref });
    });
  }

  /** Handles that rows of a running attempt can be read. */
  #gotRows(ref: AttemptRef): void {
    const { onResult } = this.#execution;
    if (onResult === undefined || this.#state.end !== undefined) return;
    if (this.#stream === undefined) {
      if (!canStream(this.#state, ref.stage)) return;
      this.#stream = new ResultStream({
        first: ref.stage,
        state: () => this.#state,
        send: (event) => this.#send(event),
      });
      onResult(this.#streamedResult(this.#stream));
    }
    this.#stream.hasRows(ref);
  }

  #streamedResult(stream: ResultStream): StreamedResult {
    const parts = this.#parts(stream);
    return {
      plan: this.#state.plan,
      parts,
      release: async () => {
        this.#resultIsUnread();
        await parts.return();
      },
    };
  }

  async *#parts(stream: ResultStream): AsyncGenerator<ResultPart, void> {
    const { session, signal } = this.#execution;
    const failed = AbortSignal.any([signal, this.#failed.signal]);
    let results: AsyncGenerator<ResultPart, void> | undefined;
    let isWhole = false;
    try {
      for (const stage of stream.stages) {
        results = this.#nodes.local.results(await stream.taskOver(stage), session, failed);
        for (let next = await results.next(); next.done !== true; next = await results.next()) {
          stream.counted(next.value);
          yield next.value;
        }
      }
      isWhole = true;
      stream.end();
    } catch (error) {
      this.#send({ kind: 'cancelled', error: this.#typed(error) });
      throw this.#defect?.error ?? this.#state.end?.error ?? error;
    } finally {
      // What is being read must end before it can be closed.
      if (!isWhole) this.#resultIsUnread();
      await results?.return();
    }
  }

  #resultIsUnread(): void {
    const reason = 'its result is not read any more';
    this.#send({ kind: 'cancelled', error: TesseraError.of('QUERY_CANCELLED', { reason }) });
  }

  #begin({ key: { stage, task, attempt } }: Task): AttemptRef {
    const ref = { stage, task, attempt };
    this.#attempts.set(attemptName(ref), new AbortController());
    return ref;
  }

  #follow<T>(ref: AttemptRef, work: Promise<T>, onDone: (result: T) => void): void {
    work
      .then(onDone, (error: unknown) => {
        const isStopped = this.#attempts.get(attemptName(ref))!.signal.aborted;
        if (!isStopped) this.#send({ kind: 'task-failed', ...ref, error: this.#typed(error) });
      })
      .finally(() => this.#attempts.delete(attemptName(ref)));
  }

  /** Runs work after the session's current operation has ended, whether it succeeded or failed. */
  #inSession<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#session.then(() => {
      if (signal.aborted) throw cancellation(signal);
      return work();
    });
    this.#session = turn.catch(() => {});
    return turn;
  }

  #typed(error: unknown): TesseraError {
    if (error instanceof TesseraError) return error;
    this.#defect ??= { error };
    return TesseraError.of('INTERNAL', { incident: this.#execution.queryId }, { cause: error });
  }

  async #release(): Promise<void> {
    const used = this.#state.nodes.filter(({ isUsed }) => isUsed).map(({ node }) => node);
    const byName = new Map(used.map((node) => [node.name, node]));
    const { end, stages } = this.#state;
    const outputs = stages.flatMap(({ tasks }) => tasks.map(({ outcome }) => outcome?.bytes ?? 0));
    // If the run has failed, tasks may still run.
    const isSmall = end?.error === undefined && outputs.reduce((sum, bytes) => sum + bytes, 0) < SMALL_BYTES;
    await Promise.all([...byName.values()].map((node) => this.#releaseOn(node, { isSmall })));
  }

  async #releaseOn(node: ClusterNode, scope: Omit<ReleaseScope, 'run'>): Promise<void> {
    const { queryId, run } = this.#execution;
    const which = { run, ...scope };
    await this.#nodes.remote.release(node, queryId, which).catch(() => {});
  }
}

const attemptName = ({ stage, task, attempt }: AttemptRef): string => `${stage}/${task}/${attempt}`;

/** The measurements of the stages before the root, from the attempts that count. */
function stageProfiles(state: SchedulerState, times: RunProgress): readonly StageProfile[] {
  return state.stages
    .filter(({ stage, status }) => status === 'started' && stage.id !== rootOf(state))
    .map((stage) => ({
      ...stageProgress(stage),
      elapsedMs: times.elapsedMs(stage.stage.id),
      tasksByNode: stage.tasks.flatMap(({ node, attempt, outcome }) =>
        outcome === undefined ? [] : [{ node: state.nodes[node]!.node.name, attempt, outcome }],
      ),
    }));
}
