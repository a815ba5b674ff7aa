import { startTimer, type Timer } from '@tessera/common';
import { MemoryEstimates } from './memory-estimates.ts';
import { type AdmissionLog, NoAdmissionWatch } from './no-admission-watch.ts';

export interface AdmissionOptions {
  /** At a time, on this node. */
  readonly maxQueries: number;
  /** What the queries of this node may be taken to need together. */
  readonly memoryBytes: number;
  /** After running out of memory. */
  readonly maxRetries: number;
  /** Of `memoryBytes`, what a retry may ask for on top of what its query had. */
  readonly retryShare: number;
  /** At the front of the queue, before a query makes do with the memory that there is. */
  readonly secondsAtFront: number;
  readonly secondsUntilWarning: number;
  readonly secondsBetweenWarnings: number;
  readonly log: AdmissionLog;
}

/** A query that was admitted. */
export interface AdmittedQuery {
  /** What it is taken to need. */
  readonly memoryBytes: number;
  /**
   * After it ran out of memory: resolves with whether it may run again, when there is more memory for it or it waited long enough.
   * @throws the signal's reason
   */
  retry(): Promise<boolean>;
  /** Makes room for others; again does nothing. */
  leave(): void;
}

export interface AskedAdmission {
  /**
   * Queries that may wait for one another, as those of a transaction, of which one may have rows that nobody has taken yet: while
   * one of them runs, the others are admitted at once.
   */
  readonly group?: string | undefined;
  /** What tells queries that are alike. */
  readonly kind: () => string;
  readonly signal: AbortSignal;
}

/** The usual need of a query: a share of the memory, within these. */
const USUAL_SHARE = 1 / 16;
const LEAST_BYTES = 16 << 20;
const MOST_BYTES = 256 << 20;

interface Waiting {
  bytes: number;
  /** One that runs and waits for more memory needs no place. */
  readonly needsPlace: boolean;
  atFrontSince: number | undefined;
  admit(): void;
}

/**
 * Lets so many queries run at a time, and so much memory be taken for needed, and has the others wait in order. A query that
 * needs little passes those before it that need more than is free, until the first of these has been at the front for
 * `secondsAtFront`: then it takes what is free.
 */
export class AdmissionControl {
  readonly #options: AdmissionOptions;
  readonly #estimates: MemoryEstimates;
  readonly #watch: NoAdmissionWatch;
  readonly #queue: Waiting[] = [];
  /** How many of each group run. */
  readonly #groups = new Map<string, number>();
  #running = 0;
  #reserved = 0;
  #frontTimer: Timer | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const usual = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, options.memoryBytes * USUAL_SHARE));
    this.#estimates = new MemoryEstimates(Math.floor(usual));
    this.#watch = new NoAdmissionWatch({
      ...options,
      queued: () => this.#queue.length,
      running: () => this.#running,
    });
  }

  /** Queries that wait for their turn. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Queries that were admitted and have not left. */
  get running(): number {
    return this.#running;
  }

  /** What they are taken to need. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Resolves when the query may run. @throws the signal's reason */
  async admit({ kind, group, signal }: AskedAdmission): Promise<AdmittedQuery> {
    signal.throwIfAborted();
    let asked = Math.min(this.#estimates.of(kind), this.#options.memoryBytes);
    let bytes = this.#runsIn(group)
      ? this.#takeAtOnce()
      : await this.#take(asked, { needsPlace: true, atFront: false, signal });
    this.#count(group, 1);
    let retries = 0;
    let left = false;
    return {
      get memoryBytes() {
        return bytes;
      },
      retry: async () => {
        if (retries === this.#options.maxRetries) return false;
        retries += 1;
        asked = this.#more(asked);
        this.#reserved -= bytes;
        bytes = 0;
        bytes = await this.#take(asked, { needsPlace: false, atFront: true, signal });
        return true;
      },
      leave: () => {
        if (left) return;
        left = true;
        if (retries > 0 && !signal.aborted) this.#estimates.learn(kind(), asked);
        this.#count(group, -1);
        this.#running -= 1;
        this.#reserved -= bytes;
        this.#admitNext();
      },
    };
  }

  #runsIn(group: string | undefined): boolean {
    return group !== undefined && this.#groups.has(group);
  }

  #count(group: string | undefined, change: 1 | -1): void {
    if (group === undefined) return;
    const count = (this.#groups.get(group) ?? 0) + change;
    if (count === 0) this.#groups.delete(group);
    else this.#groups.set(group, count);
  }

  /** Whatever runs: a place more, and no memory. */
  #takeAtOnce(): number {
    this.#running += 1;
    return 0;
  }

  /** What a query that had so much asks for next: twice that, within what a retry may ask for on top. */
  #more(bytes: number): number {
    const { memoryBytes, retryShare } = this.#options;
    return Math.min(memoryBytes, bytes + Math.min(bytes, Math.floor(memoryBytes * retryShare)));
  }

  #take(
    bytes: number,
    { needsPlace, atFront, signal }: { needsPlace: boolean; atFront: boolean; signal: AbortSignal },
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        needsPlace,
        atFrontSince: undefined,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          this.#running += needsPlace ? 1 : 0;
          this.#reserved += waiting.bytes;
          resolve(waiting.bytes);
        },
      };
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        this.#watch.onMoved();
        this.#admitNext();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (atFront) this.#queue.unshift(waiting);
      else this.#queue.push(waiting);
      this.#admitNext();
      if (this.#queue.includes(waiting)) this.#watch.onQueued();
    });
  }

  #admitNext(): void {
    for (let i = 0; i < this.#queue.length; ) {
      const waiting = this.#queue[i]!;
      if (i === 0) this.#makeDo(waiting);
      if (this.#fits(waiting)) {
        this.#queue.splice(i, 1);
        waiting.admit();
        this.#watch.onMoved();
      } else if (this.#hasNoPlaceFor(waiting) || this.#isOverdue(this.#queue[0]!)) break;
      else i += 1;
    }
    this.#wakeForFront();
  }

  #fits(waiting: Waiting): boolean {
    return !this.#hasNoPlaceFor(waiting) && this.#reserved + waiting.bytes <= this.#options.memoryBytes;
  }

  /** Then there is none for those behind it either: who needs no place waits before all who do. */
  #hasNoPlaceFor({ needsPlace }: Waiting): boolean {
    return needsPlace && this.#running >= this.#options.maxQueries;
  }

  /** At the front for long, a query asks for no more than is free, as long as that is something. */
  #makeDo(front: Waiting): void {
    front.atFrontSince ??= performance.now();
    if (!this.#isOverdue(front)) return;
    const free = this.#options.memoryBytes - this.#reserved;
    const least = Math.min(LEAST_BYTES, this.#options.memoryBytes);
    if (free >= least) front.bytes = Math.min(front.bytes, free);
    // One that holds a place may hold what those that run wait for: it goes on with nothing rather than wait for them.
    else if (!front.needsPlace) front.bytes = 0;
  }

  #isOverdue({ atFrontSince }: Waiting): boolean {
    if (atFrontSince === undefined) return false;
    return performance.now() - atFrontSince >= this.#options.secondsAtFront * 1000;
  }

  /** Nothing else may happen before the one at the front is to make do. */
  #wakeForFront(): void {
    this.#frontTimer?.clear();
    const front = this.#queue[0];
    if (front?.atFrontSince === undefined || this.#isOverdue(front)) return;
    const due = front.atFrontSince + this.#options.secondsAtFront * 1000 - performance.now();
    this.#frontTimer = startTimer(() => this.#admitNext(), due + 1).unref();
  }
}
