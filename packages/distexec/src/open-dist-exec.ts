import {
  type Incarnation,
  inSpan,
  type NodeName,
  parseTraceparent,
  type QueryId,
  TesseraError,
  traced,
} from '@tessera/common';
import type { FileOpener } from '@tessera/file-scan';
import { interruptOnAbort, type Kernel, type KernelLog, type KernelSession } from '@tessera/kernel';
import { emptyRelation, type ResultPart, type Shuffle, type TaskKey } from '@tessera/shuffle';
import type { StorageAgent, TabletStore } from '@tessera/storage-agent';
import type {
  DistExec,
  OpenedSources,
  ResultTask,
  RunTaskOptions,
  Task,
  TaskOutcome,
  TaskToOpen,
} from './dist-exec.ts';
import { CpuMeter } from './run/cpu-meter.ts';
import { MemoryWatch } from './run/memory-watch.ts';
import { openSources } from './run/open-sources.ts';
import { type TaskServices, taskRun } from './run/task-run.ts';
import { TaskTurns } from './run/task-turns.ts';

export interface DistExecOptions {
  readonly kernel: Kernel;
  readonly agent: StorageAgent;
  readonly shuffle: Shuffle;
  /** If undefined, tasks of this node cannot read files outside the managed store. */
  readonly files?: FileOpener | undefined;
  /** The name of the node: `host:port` of its distexec service. */
  readonly node: NodeName;
  /** The `host:port` of its shuffle service. */
  readonly shuffleAddress: string;
  /** Where tasks store the tablets that they write; if undefined, no task writes tablets on this node. */
  readonly tablets?: Omit<TabletStore, 'agent'> | undefined;
  /** The number of tasks that run concurrently while the others wait; default 8. */
  readonly maxRunningTasks?: number | undefined;
  readonly log: KernelLog;
}

const DEFAULT_RUNNING_TASKS = 8;

export function openDistExec(options: DistExecOptions): DistExec {
  return new NodeDistExec(options);
}

interface RunningTask {
  readonly key: TaskKey;
  readonly stopping: AbortController;
  readonly ended: Promise<unknown>;
}

class NodeDistExec implements DistExec {
  readonly node: NodeName;
  readonly incarnation: Incarnation;
  readonly #services: TaskServices;
  readonly #turns: TaskTurns;
  readonly #tasks = new Set<RunningTask>();
  #closed = false;

  constructor(options: DistExecOptions) {
    const { kernel, agent, shuffle, files, node, shuffleAddress, tablets, maxRunningTasks } = options;
    this.node = node;
    this.incarnation = shuffle.incarnation;
    const memory = new MemoryWatch(kernel);
    const cpu = new CpuMeter(() => kernel.status().pid);
    this.#services = { kernel, agent, shuffle, files, shuffleAddress, tablets, cpu, memory };
    this.#turns = new TaskTurns(maxRunningTasks ?? DEFAULT_RUNNING_TASKS, () => memory.isCrowded);
  }

  get runningTasks(): number {
    return this.#tasks.size;
  }

  get waitingTasks(): number {
    return this.#turns.waiting;
  }

  get exchangeBytes(): number {
    return this.#services.shuffle.bytes;
  }

  async runTask(task: Task, options: RunTaskOptions): Promise<TaskOutcome> {
    if (this.#closed) throw closing();
    const stopping = new AbortController();
    const signal = AbortSignal.any([options.signal, stopping.signal]);
    const running = this.#inTurn(task, { ...options, signal });
    const entry = { key: task.key, stopping, ended: running.catch(() => undefined) };
    this.#tasks.add(entry);
    try {
      return await running;
    } finally {
      this.#tasks.delete(entry);
    }
  }

  async #inTurn(task: Task, options: RunTaskOptions): Promise<TaskOutcome> {
    const parent = task.traceparent === undefined ? undefined : parseTraceparent(task.traceparent);
    const { stage, task: number, attempt, queryId } = task.key;
    const attributes = {
      'tessera.node': this.node,
      'tessera.query_id': queryId,
      'tessera.stage': stage,
      'tessera.task': number,
      'tessera.attempt': attempt,
    };
    return inSpan(parent, () =>
      traced(`task ${stage}.${number}`, attributes, async (span) => {
        const endTurn = await this.#turns.take(task.alone === true, options.signal);
        try {
          const outcome = await taskRun(task, options, this.#services);
          span?.set({ 'tessera.rows': outcome.rows, 'tessera.cpu_ms': outcome.cpuMs });
          return outcome;
        } finally {
          endTurn();
        }
      }),
    );
  }

  async open(task: TaskToOpen, session: KernelSession, signal: AbortSignal): Promise<OpenedSources> {
    const endInterrupts = interruptOnAbort(session, signal);
    try {
      return await openSources(task, session, signal, this.#services);
    } finally {
      endInterrupts();
    }
  }

  async *results(
    { sql, shapes, reads, outputs }: ResultTask,
    session: KernelSession,
    signal: AbortSignal,
  ): AsyncGenerator<ResultPart, void> {
    const shape = shapes[reads[0]!]!;
    const empty = shapes.map((one, source) => (reads.includes(source) ? undefined : emptyRelation(one)));
    for await (const part of this.#services.shuffle.results(session, outputs, shape, signal)) {
      const relationOf = (source: number) => empty[source] ?? part.sql;
      yield {
        ...part,
        sql: sql.map((text) => (typeof text === 'string' ? text : relationOf(text))).join(''),
      };
    }
  }

  async release(
    queryId: QueryId,
    which: { readonly run?: number; readonly stages?: readonly number[] } = {},
  ): Promise<void> {
    const isMeant = ({ key }: RunningTask) =>
      key.queryId === queryId && (which.run === undefined || key.run === which.run);
    if (which.stages === undefined && [...this.#tasks].some(isMeant)) {
      const reason = TesseraError.of('QUERY_CANCELLED', { reason: 'its coordinator released the query' });
      await this.#stop(isMeant, reason);
    }
    await this.#services.shuffle.release(queryId, which);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#stop(() => true, closing());
    this.#services.cpu.close();
  }

  async #stop(which: (task: RunningTask) => boolean, reason: TesseraError): Promise<void> {
    const tasks = [...this.#tasks].filter(which);
    for (const { stopping } of tasks) stopping.abort(reason);
    await Promise.all(tasks.map(({ ended }) => ended));
  }
}

const closing = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the node is shutting down' });
