import { cancellation, TesseraError } from '@tessera/common';
import type { OpenedSources, ResultOutput, ResultPart, ResultTask } from '@tessera/distexec';
import type { ExchangeSource, StageId } from '@tessera/planner';
import type { AttemptRef, SchedulerEvent } from '../state/events.ts';
import type { SchedulerState, StageState, TaskRef, TaskState } from '../state/scheduler-state.ts';
import { inputStages } from '../state/task-inputs.ts';

export interface ResultStreamOptions {
  /** A stage that the root reads and that has rows. Its rows come first. */
  readonly first: StageId;
  readonly state: () => SchedulerState;
  readonly send: (event: SchedulerEvent) => void;
}

type Block = Parameters<ResultOutput['begin']>[0];

/** Rows of more outputs are not merged, because some rows of each of them are in memory at a time. */
const MAX_MERGED_OUTPUTS = 32;

/**
 * Whether the rows of a stage can become parts of the result while its tasks run: the root reads it and only stages, processes rows
 * one by one or merges sorted ones, and no task needs the session of the query.
 */
export function canStream({ plan, stages: states, positions }: SchedulerState, id: StageId): boolean {
  const stages = plan.stages.slice(0, -1);
  const root = plan.stages.at(-1)!;
  const isMerged =
    root.mergesSorted === true && states[positions.get(id)!]!.tasks.length <= MAX_MERGED_OUTPUTS;
  if (root.isRowWise !== true && !isMerged) return false;
  if (!root.sources.every(({ kind }) => kind === 'exchange')) return false;
  return inputStages(root).includes(id) && stages.every(({ partitioning }) => partitioning !== 'coordinator');
}

interface Unreadable extends AttemptRef {
  readonly error: unknown;
}

/**
 * Follows the attempts at the tasks of the stages that the root reads, and records which of them become part of the result. The rows
 * of one stage follow those of another. Several stages are the branches of a UNION ALL, which may come in any order.
 */
export class ResultStream {
  /** The stages that the root reads, in the order of their rows. */
  readonly stages: readonly StageId[];
  readonly #options: ResultStreamOptions;
  /** The latest attempts of tasks that have rows, although they run, by stage and task. */
  readonly #withRows = new Map<string, number>();
  /** Attempts that could not be read, by stage and task. */
  readonly #unreadable = new Map<string, Unreadable>();
  readonly #delivered = Promise.withResolvers<void>();
  readonly #unreadableNow = new Set<(error: unknown) => void>();
  #changed = Promise.withResolvers<void>();
  #rows = 0;
  #bytes = 0;
  #spilledBytes = 0;

  constructor(options: ResultStreamOptions) {
    this.#options = options;
    this.stages = [...new Set([options.first, ...inputStages(this.#root)])];
  }

  /** Records that an attempt has rows that can be read. */
  hasRows(ref: AttemptRef): void {
    this.#withRows.set(nameOf(ref), ref.attempt);
    this.changed();
  }

  /** To be called when the state has changed. */
  changed(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** The root over the rows of one of the stages; waits until the stage has tasks. @throws the error with which the run ends */
  async taskOver(id: StageId): Promise<ResultTask> {
    const { sql, sources } = this.#root;
    const read = sources.map((source) => (source as ExchangeSource).stage);
    const { tasks } = await this.#when(
      () => this.#stateOf(id),
      ({ status }) => status === 'started',
    );
    return {
      sql,
      shapes: read.map((stage) => this.#stateOf(stage).stage.output),
      reads: [...read.keys()].filter((position) => read[position] === id),
      outputs: tasks.map((_, task) => this.#output({ stage: id, task })),
    };
  }

  counted({ rows, bytes, spilledBytes }: ResultPart): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#spilledBytes = Math.max(this.#spilledBytes, spilledBytes);
  }

  /** To be called when all parts were read. */
  end(): void {
    this.#delivered.resolve();
  }

  /** Resolves when all parts were read. @throws the error of the first output that cannot be read although its task succeeded */
  async opened(signal: AbortSignal): Promise<OpenedSources> {
    const failed = Promise.withResolvers<never>();
    const stop = () => failed.reject(cancellation(signal));
    signal.addEventListener('abort', stop, { once: true });
    this.#unreadableNow.add(failed.reject);
    for (const { error, ...ref } of this.#unreadable.values())
      if (this.#taskOf(ref).attempt === ref.attempt) failed.reject(error);
    try {
      await Promise.race([this.#delivered.promise, failed.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
      this.#unreadableNow.delete(failed.reject);
    }
    return {
      sql: '',
      fetchedRows: this.#rows,
      fetchedBytes: this.#bytes,
      spilledBytes: this.#spilledBytes,
      storageBytesFetched: 0,
      storageBytesCached: 0,
      reads: [],
      release: () => undefined,
    };
  }

  get #root() {
    return this.#options.state().plan.stages.at(-1)!;
  }

  #stateOf(id: StageId): StageState {
    const { stages, positions } = this.#options.state();
    return stages[positions.get(id)!]!;
  }

  #taskOf({ stage, task }: TaskRef): TaskState {
    return this.#stateOf(stage).tasks[task]!;
  }

  #output(ref: TaskRef): ResultOutput {
    const send = ({ producer: { attempt } }: Block, isComplete: boolean) =>
      this.#options.send({ kind: 'delivery', ...ref, attempt, isComplete });
    const whenTask = (isMet: (state: TaskState) => boolean) => this.#when(() => this.#taskOf(ref), isMet);
    return {
      attempt: async () => this.#block(ref, await whenTask((one) => this.#isReadable(ref, one))),
      begin: (block) => {
        send(block, false);
        return this.#taskOf(ref).delivery?.attempt === block.producer.attempt;
      },
      end: async (block, rows) => {
        const { outcome } = await whenTask(({ status }) => status === 'succeeded');
        if (outcome!.rows !== rows) throw wrongRows(block, rows, outcome!.rows);
        send(block, true);
      },
      failed: ({ producer: { attempt } }, error) => {
        this.#unreadable.set(nameOf(ref), { ...ref, attempt, error });
        for (const reject of this.#unreadableNow) reject(error);
      },
    };
  }

  #isReadable(ref: TaskRef, { status, attempt }: TaskState): boolean {
    if (this.#unreadable.get(nameOf(ref))?.attempt === attempt) return false;
    return status === 'succeeded' || (status === 'running' && this.#withRows.get(nameOf(ref)) === attempt);
  }

  #block({ stage, task }: TaskRef, { node: number, attempt, status, outcome }: TaskState): Block {
    const { options, nodes } = this.#options.state();
    const { queryId, run } = options;
    const { shuffleAddress, incarnation } = nodes[number]!.node;
    const block = {
      producer: { queryId, run, stage, task, attempt },
      address: shuffleAddress,
      incarnation,
    };
    return status === 'succeeded' ? { ...block, rows: outcome!.rows, inline: outcome!.inline } : block;
  }

  /** Waits for a state of a stage or a task. @throws the error with which the run ends */
  async #when<T>(stateNow: () => T, isMet: (state: T) => boolean): Promise<T> {
    for (;;) {
      const { end } = this.#options.state();
      if (end !== undefined) throw end.error ?? new Error('The run ended before its result was read');
      const state = stateNow();
      if (isMet(state)) return state;
      await this.#changed.promise;
    }
  }
}

const nameOf = ({ stage, task }: TaskRef): string => `${stage}/${task}`;

const wrongRows = ({ producer, address }: Block, rows: number, expected: number): TesseraError => {
  const { stage, task, attempt } = producer;
  const reason = `${rows} rows came of ${expected}`;
  return TesseraError.of('FETCH_FAILED', { node: address, stage, task, attempt, reason });
};
