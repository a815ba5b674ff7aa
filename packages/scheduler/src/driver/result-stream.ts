import { cancellation, TesseraError } from '@tessera/common';
import type { OpenedSources, ResultOutput, ResultPart, ResultTask } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import type { AttemptRef, SchedulerEvent } from '../state/events.ts';
import type { SchedulerState, TaskState } from '../state/scheduler-state.ts';

export interface ResultStreamOptions {
  /** The stage that the root reads. */
  readonly stage: StageId;
  readonly state: () => SchedulerState;
  readonly send: (event: SchedulerEvent) => void;
}

type Block = Parameters<ResultOutput['begin']>[0];

/**
 * Whether the rows of a stage can become parts of the result while its tasks run: the root reads nothing else, processes rows one
 * by one, and no task needs the session of the query.
 */
export function canStream({ plan }: SchedulerState, id: StageId): boolean {
  const stages = plan.stages.slice(0, -1);
  const root = plan.stages.at(-1)!;
  const [source, ...others] = root.sources;
  if (root.isRowWise !== true || others.length > 0) return false;
  if (source?.kind !== 'exchange' || source.stage !== id) return false;
  return stages.every(({ partitioning }) => partitioning !== 'coordinator');
}

/** Follows the attempts at the tasks of a stage, and records which of them become part of the result. */
export class ResultStream {
  readonly stage: StageId;
  readonly #options: ResultStreamOptions;
  /** The latest attempt of each task that has rows, although it runs. */
  readonly #withRows = new Map<number, number>();
  /** Attempts that could not be read. */
  readonly #unreadable = new Map<number, { readonly attempt: number; readonly error: unknown }>();
  readonly #delivered = Promise.withResolvers<void>();
  readonly #unreadableNow = new Set<(error: unknown) => void>();
  #changed = Promise.withResolvers<void>();
  #rows = 0;
  #bytes = 0;
  #spilledBytes = 0;

  constructor(options: ResultStreamOptions) {
    this.stage = options.stage;
    this.#options = options;
  }

  /** Records that an attempt has rows that can be read. */
  hasRows({ task, attempt }: AttemptRef): void {
    this.#withRows.set(task, attempt);
    this.changed();
  }

  /** To be called when the state has changed. */
  changed(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** What the root reads. */
  get source(): Omit<ResultTask, 'sql'> {
    const { stage, tasks } = this.#state;
    return { shape: stage.output, outputs: tasks.map((_, task) => this.#output(task)) };
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
    const { tasks } = this.#state;
    const failed = Promise.withResolvers<never>();
    const stop = () => failed.reject(cancellation(signal));
    signal.addEventListener('abort', stop, { once: true });
    this.#unreadableNow.add(failed.reject);
    for (const [task, { attempt, error }] of this.#unreadable)
      if (tasks[task]!.attempt === attempt) failed.reject(error);
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

  get #state() {
    const { stages, positions } = this.#options.state();
    return stages[positions.get(this.stage)!]!;
  }

  #output(task: number): ResultOutput {
    const send = (block: Block, isComplete: boolean) => {
      const { attempt } = block.producer;
      this.#options.send({ kind: 'delivery', stage: this.stage, task, attempt, isComplete });
    };
    return {
      attempt: async () => {
        const state = await this.#when(task, (one) => this.#isReadable(task, one));
        return this.#block(task, state);
      },
      begin: (block) => {
        send(block, false);
        return this.#state.tasks[task]!.delivery?.attempt === block.producer.attempt;
      },
      end: async (block, rows) => {
        const { outcome } = await this.#when(task, ({ status }) => status === 'succeeded');
        if (outcome!.rows !== rows) throw wrongRows(block, rows, outcome!.rows);
        send(block, true);
      },
      failed: (block, error) => {
        this.#unreadable.set(task, { attempt: block.producer.attempt, error });
        for (const reject of this.#unreadableNow) reject(error);
      },
    };
  }

  #isReadable(task: number, { status, attempt }: TaskState): boolean {
    if (this.#unreadable.get(task)?.attempt === attempt) return false;
    return status === 'succeeded' || (status === 'running' && this.#withRows.get(task) === attempt);
  }

  #block(task: number, { node: number, attempt, status, outcome }: TaskState): Block {
    const { options, nodes } = this.#options.state();
    const { queryId, run } = options;
    const { shuffleAddress, incarnation } = nodes[number]!.node;
    const block = {
      producer: { queryId, run, stage: this.stage, task, attempt },
      address: shuffleAddress,
      incarnation,
    };
    return status === 'succeeded' ? { ...block, rows: outcome!.rows, inline: outcome!.inline } : block;
  }

  /** Waits for a state of a task. @throws the error with which the run ends */
  async #when(task: number, isMet: (state: TaskState) => boolean): Promise<TaskState> {
    for (;;) {
      const { end } = this.#options.state();
      if (end !== undefined) throw end.error ?? new Error('The run ended before its result was read');
      const state = this.#state.tasks[task]!;
      if (isMet(state)) return state;
      await this.#changed.promise;
    }
  }
}

const wrongRows = ({ producer, address }: Block, rows: number, expected: number): TesseraError => {
  const { stage, task, attempt } = producer;
  const reason = `${rows} rows came of ${expected}`;
  return TesseraError.of('FETCH_FAILED', { node: address, stage, task, attempt, reason });
};
