import { pause } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { ExecutionProgress } from '@tessera/scheduler';
import { type QueryProgress, type ScanTotals, scannedBytes } from '@tessera/system-catalog';

/** The longest time, in milliseconds, that a reader of the progress waits for the kernel. */
const KERNEL_ANSWER_MS = 200;

type ObservedSession = Pick<KernelSession, 'progress'>;

/**
 * How far the running statement of a query is. The kernel is asked only when somebody wants to know, so a
 * statement that nobody watches pays nothing.
 */
export class StatementProgress {
  #session: ObservedSession | undefined;
  #stages: ExecutionProgress | undefined;
  #percent: number | undefined;
  /** What the statement will have read at its end, if that is known before it runs. */
  #toRead: ScanTotals | undefined;

  /** Whether the statement runs or will run in a session: it is not one that only changes the client's session. */
  get isObserved(): boolean {
    return this.#session !== undefined;
  }

  /** Begins another statement of the same request. */
  begin(): void {
    this.#session = undefined;
    this.#stages = undefined;
    this.#percent = undefined;
    this.#toRead = undefined;
  }

  /** Observes the session in which the statement, or its last stage, runs. Returns a function that ends it. */
  observe(session: ObservedSession): () => void {
    this.#session = session;
    return () => {
      if (this.#session === session) this.#session = undefined;
    };
  }

  /** Records the progress of the stages on several nodes. */
  stagesRan(progress: ExecutionProgress): void {
    this.#stages = progress;
  }

  willRead(totals: ScanTotals): void {
    this.#toRead = totals;
  }

  /** The progress now. Never rejects. */
  async now(): Promise<QueryProgress> {
    const inSession = await this.#inSession();
    const stages = this.#stages;
    const percent = stages === undefined ? inSession : withStages(stages, inSession ?? 0);
    if (percent !== undefined) this.#percent = Math.max(this.#percent ?? 0, Math.min(100, percent));
    return {
      percent: this.#percent,
      stages: stages?.stages ?? [],
      nodes: Math.max(1, stages?.nodes ?? 1),
      ...this.#reads(stages),
    };
  }

  #reads(stages: ExecutionProgress | undefined): Pick<QueryProgress, 'rowsRead' | 'bytesRead'> {
    if (stages !== undefined) return { rowsRead: stages.rowsRead, bytesRead: stages.bytesRead };
    const part = (this.#percent ?? 0) / 100;
    const { rows = 0 } = this.#toRead ?? {};
    return { rowsRead: part * rows, bytesRead: this.#toRead ? part * scannedBytes(this.#toRead) : 0 };
  }

  /** The progress of the call in the session, 0 to 100. */
  async #inSession(): Promise<number | undefined> {
    const session = this.#session;
    if (session === undefined) return undefined;
    const asked = session.progress().catch(() => undefined);
    const answer = await Promise.race([asked, pause(KERNEL_ANSWER_MS, { ref: false })]);
    return answer === undefined || answer.fraction < 0 ? undefined : 100 * answer.fraction;
  }
}

/** The session runs tasks of stages, too: what it says counts for the last stage only when the others have finished. */
function withStages({ stages, percent, lastShare }: ExecutionProgress, inSession: number): number {
  const isLast = stages.every(({ state }) => state === 'finished');
  return (1 - lastShare) * percent + lastShare * (isLast ? inSession : 0);
}
