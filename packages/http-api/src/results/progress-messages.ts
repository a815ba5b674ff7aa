import type { DoneResult, RunningQuery } from '@tessera/coordinator';
import { warningsMember } from './notices.ts';
import type { ResultBody } from './result-body.ts';

const INTERVAL_MS = 200;

/** Sends PROGRESS messages into the body of a query while it computes its result. */
export class ProgressMessages {
  readonly #query: RunningQuery;
  readonly #body: ResultBody;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  #hasEnded = false;
  hasSent = false;

  constructor(query: RunningQuery, body: ResultBody) {
    this.#query = query;
    this.#body = body;
    this.#timer = setInterval(() => {
      this.#sending ??= this.#send().finally(() => {
        this.#sending = undefined;
      });
    }, INTERVAL_MS);
  }

  /** Resolves when no message is being sent any more, and none will be. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearInterval(this.#timer);
    await this.#sending;
  }

  /** A message that cannot be sent is left out: the query itself notices that its client has gone. */
  async #send(): Promise<void> {
    const { activity } = this.#query;
    if (!activity.progress.isObserved && !activity.isQueued) return;
    const message = await progressMessage(this.#query);
    if (this.#hasEnded) return;
    this.hasSent = true;
    await this.#body.message(message).catch(() => undefined);
  }
}

async function progressMessage({ activity, submittedAt }: RunningQuery): Promise<object> {
  const { percent, stages, nodes, rowsRead, bytesRead } = await activity.progress.now();
  const sum = (of: (stage: (typeof stages)[number]) => number) =>
    stages.reduce((total, stage) => total + of(stage), 0);
  return {
    message_type: 'PROGRESS',
    status: activity.isQueued ? 'SUSPENDED' : 'RUNNING',
    elapsed: (Date.now() - submittedAt.getTime()) / 1000,
    percent: percent ?? null,
    rows_read: Math.round(rowsRead),
    bytes_read: Math.round(bytesRead),
    nodes,
    stages: stages.length,
    stages_finished: stages.filter(({ state }) => state === 'finished').length,
    tasks: sum(({ tasks }) => tasks),
    tasks_finished: sum(({ tasksFinished }) => tasksFinished),
  };
}

/** The last message of a statement without rows, if progress was sent before. */
export const doneMessage = ({ affectedRows }: DoneResult, query: RunningQuery): object => ({
  message_type: 'FINISH_SUCCESSFULLY',
  ...(affectedRows !== undefined && { affected_rows: affectedRows }),
  statistics: { elapsed: (Date.now() - query.submittedAt.getTime()) / 1000 },
  ...warningsMember(query),
});
