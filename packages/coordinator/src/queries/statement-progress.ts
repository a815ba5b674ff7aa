import { pause } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { ExecutionProgress } from '@tessera/scheduler';
import { normalizedSql } from '@tessera/sql';
import { type QueryProgress, type ScanTotals, scannedBytes } from '@tessera/system-catalog';
import { PastRun, type Sample } from './past-run.ts';

/** The longest time, in milliseconds, that a reader of the progress waits for the kernel. */
const KERNEL_ANSWER_MS = 200;

/** The runs of longer statements are not kept. */
const MAX_KEPT_TEXT = 10_000;
/** A statement that still runs is never reported as complete, also if it takes longer than expected. */
const MAX_PERCENT = 99;
/** Nobody reads the progress of faster statements. */
const LEAST_KEPT_MS = 300;

interface Watched {
  readonly statement: string | undefined;
  readonly samples: Sample[];
}

/** The statement without its literals, unless it is long. */
const statementOf = (text: string): string | undefined =>
  text.length > MAX_KEPT_TEXT ? undefined : normalizedSql(text);

type ObservedSession = Pick<KernelSession, 'progress'>;

/**
 * How far the running statement of a query is. The kernel is asked only when somebody wants to know, so a
 * statement that nobody watches pays nothing.
 */
export class StatementProgress {
  readonly #now: () => number;
  #begunAt: number;
  #runsSince: number;
  #session: ObservedSession | undefined;
  /** The question that the kernel has not answered yet. */
  #asked: Promise<void> | undefined;
  /** The latest percentage that the kernel has reported for the session, 0 to 100. */
  #sessionPercent: number | undefined;
  #stages: (() => ExecutionProgress) | undefined;
  #percent: number | undefined;
  #text = '';
  /** Set when somebody wants to know the progress of the statement. */
  #watched: Watched | undefined;
  /** The part of its input that has been read, 0 to 1. */
  #read = 0;
  /** What the statement will have read at its end, if that is known before it runs. */
  #toRead: ScanTotals | undefined;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunAt = now();
    this.#runsSince = this.#begunAt;
  }

  /** Whether the statement runs or will run in a session: it is not one that only changes the client's session. */
  get isObserved(): boolean {
    return this.#session !== undefined;
  }

  /** Begins another statement of the same request, which may wait for its turn. */
  begin(): void {
    this.run('');
    this.#observed(undefined);
    this.#stages = undefined;
    this.#percent = undefined;
    this.#read = 0;
    this.#toRead = undefined;
  }

  /** The statement does not wait any more. */
  run(text: string): void {
    this.#begunAt = this.#now();
    this.#runsSince = this.#begunAt;
    this.#text = text;
    this.#watched = undefined;
  }

  /** The result of the statement begins. */
  returns(): void {
    const durationMs = this.#now() - this.#begunAt;
    if (this.#watched === undefined && durationMs < LEAST_KEPT_MS) return;
    const { statement, samples } = this.#watched ?? { statement: statementOf(this.#text), samples: [] };
    if (statement !== undefined) new PastRun(samples, durationMs).keepFor(statement);
  }

  /** Observes the session in which the statement, or its last stage, runs. Returns a function that ends it. */
  observe(session: ObservedSession): () => void {
    this.#observed(session);
    return () => {
      if (this.#session === session) this.#observed(undefined);
    };
  }

  #observed(session: ObservedSession | undefined): void {
    this.#session = session;
    this.#asked = undefined;
    this.#sessionPercent = undefined;
  }

  /** Observes the stages on several nodes, when they begin. */
  observeStages(progress: () => ExecutionProgress): void {
    if (this.#stages === undefined) this.#runsSince = this.#now();
    this.#stages = progress;
  }

  /** Records what the statement reads, immediately before the kernel runs it. */
  willRead(totals: ScanTotals): void {
    this.#toRead = totals;
    if (this.#stages === undefined) this.#runsSince = this.#now();
  }

  /** The progress now. Never rejects. */
  async now(): Promise<QueryProgress> {
    const stages = this.#stages?.();
    // The session of a distributed statement has nothing to do before its stages have finished.
    const inSession = stages === undefined || isLast(stages) ? await this.#inSession() : undefined;
    const percent = this.#ofTime(
      stages === undefined ? this.#withPreparation(inSession) : this.#withStages(stages, inSession ?? 0),
    );
    if (percent !== undefined) this.#percent = Math.max(this.#percent ?? 0, Math.min(MAX_PERCENT, percent));
    return {
      percent: this.#percent,
      stages: stages?.stages ?? [],
      nodes: Math.max(1, stages?.nodes ?? 1),
      ...this.#reads(stages),
    };
  }

  /** The part of the statement's time that has passed, from what was counted of its work. */
  #ofTime(counted: number | undefined): number | undefined {
    this.#watched ??= { statement: statementOf(this.#text), samples: [{ percent: 0, atMs: 0 }] };
    const { statement, samples } = this.#watched;
    const percent = Math.max(counted ?? 0, samples.at(-1)!.percent);
    samples.push({ percent, atMs: this.#now() - this.#begunAt });
    if (statement === undefined) return counted;
    return PastRun.percentOf(statement, samples, this.#stages !== undefined) ?? counted;
  }

  /** Once the other stages have finished, the session measures the last one. */
  #withStages({ remainingMs, lastMs }: ExecutionProgress, inSession: number): number {
    const passed = this.#now() - this.#begunAt;
    const left = remainingMs + lastMs * (1 - inSession / 100);
    return passed === 0 ? 0 : (100 * passed) / (passed + left);
  }

  /** Counts the time before the statement ran as well, in which it was bound and planned. */
  #withPreparation(percent: number | undefined): number | undefined {
    if (percent === undefined || percent === 0) return percent;
    const prepared = this.#runsSince - this.#begunAt;
    const running = this.#now() - this.#runsSince;
    if (prepared === 0 || running === 0) return percent;
    return (100 * (prepared + running)) / (prepared + (100 * running) / percent);
  }

  #reads(stages: ExecutionProgress | undefined): Pick<QueryProgress, 'rowsRead' | 'bytesRead'> {
    if (stages !== undefined) return { rowsRead: stages.rowsRead, bytesRead: stages.bytesRead };
    const { rows = 0 } = this.#toRead ?? {};
    const bytes = this.#toRead === undefined ? 0 : scannedBytes(this.#toRead);
    return { rowsRead: this.#read * rows, bytesRead: this.#read * bytes };
  }

  /** The progress of the call in the session, 0 to 100. A busy kernel answers late: the next reader gets that answer. */
  async #inSession(): Promise<number | undefined> {
    const session = this.#session;
    if (session === undefined) return undefined;
    this.#asked ??= this.#ask(session);
    await Promise.race([this.#asked, pause(KERNEL_ANSWER_MS, { ref: false })]);
    return this.#sessionPercent;
  }

  async #ask(session: ObservedSession): Promise<void> {
    const answer = await session.progress().catch(() => undefined);
    if (session !== this.#session) return;
    this.#asked = undefined;
    if (answer === undefined || answer.fraction < 0) return;
    this.#read = Math.max(this.#read, Math.min(1, answer.read ?? answer.fraction));
    this.#sessionPercent = 100 * answer.fraction;
  }
}

const isLast = ({ stages }: ExecutionProgress): boolean => stages.every(({ state }) => state === 'finished');
