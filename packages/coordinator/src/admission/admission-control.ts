import { startTimer, type Timer } from '@tessera/common';
import { MemoryEstimates } from './memory-estimates.ts';
import { type AdmissionLog, NoAdmissionWatch } from './no-admission-watch.ts';
import type { PlaceUsers, SharedPlaces } from './shared-places.ts';

export interface AdmissionOptions {
  /** The places for concurrent queries on this node. Used by this control alone. */
  readonly places: SharedPlaces;
  /** The total memory that queries of this node may reserve. */
  readonly memoryBytes: number;
  /** The number of retries after running out of memory. */
  readonly maxRetries: number;
  /** The fraction of `memoryBytes` by which a retry may increase its reservation. */
  readonly retryShare: number;
  /** The time at the front of the queue after which a query starts with the memory that is free. */
  readonly secondsAtFront: number;
  readonly secondsUntilWarning: number;
  readonly secondsBetweenWarnings: number;
  readonly log: AdmissionLog;
}

/** A query that was admitted. */
export interface AdmittedQuery {
  /** The reserved memory in bytes. */
  readonly memoryBytes: number;
  /**
   * Called after it ran out of memory: resolves with whether it may run again, once more memory is available
   * or it has waited long enough.
   * @throws the signal's reason
   */
  retry(): Promise<boolean>;
  /** Releases its slot and memory; further calls have no effect. */
  release(): void;
}

export interface AskedAdmission {
  /**
   * The group of queries that may wait for each other, such as those of one transaction, of which one may
   * have an unread result. While one of them runs, the others are admitted at once.
   */
  readonly group?: string | undefined;
  /** Returns the key of similar queries. */
  readonly kind: () => string;
  readonly signal: AbortSignal;
}

/** The default reservation of a query: a fraction of the memory, within these bounds. */
const USUAL_SHARE = 1 / 16;
const LEAST_BYTES = 16 << 20;
const MOST_BYTES = 256 << 20;

interface Waiting {
  bytes: number;
  /** False for a running query that waits for more memory: it already has a slot. */
  readonly needsPlace: boolean;
  atFrontSince: number | undefined;
  admit(): void;
}

/**
 * Limits the number of concurrent queries and their total reserved memory; others wait in order. A query with
 * a small reservation may overtake queries that need more than is free, until the first of these has been at
 * the front for `secondsAtFront`: then that one starts with what is free.
 */
export class AdmissionControl {
  readonly #options: AdmissionOptions;
  readonly #estimates: MemoryEstimates;
  readonly #watch: NoAdmissionWatch;
  readonly #queue: Waiting[] = [];
  /** The number of running queries per group. */
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
    options.places.use(this.#placeUsers());
  }

  /** The number of queries below which a further one may start now. */
  get places(): number {
    return this.#options.places.limit;
  }

  /** The number of waiting queries. */
  get queued(): number {
    return this.#queue.length;
  }

  /** The number of queries that were admitted and have not left. */
  get running(): number {
    return this.#running;
  }

  /** The total reserved memory in bytes. */
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
      release: () => {
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

  /** Admits a query in any case, with a slot and without memory. */
  #takeAtOnce(): number {
    this.#running += 1;
    return 0;
  }

  /** The next reservation of a query that had this much: twice as much, within the limit for retries. */
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
    this.#options.places.onUsersChanged();
  }

  #placeUsers(): PlaceUsers {
    const control = this;
    return {
      get running() {
        return control.#running;
      },
      get waiting() {
        return control.#queue.filter(({ needsPlace }) => needsPlace).length;
      },
      onMorePlaces: () => control.#admitNext(),
    };
  }

  #fits(waiting: Waiting): boolean {
    return !this.#hasNoPlaceFor(waiting) && this.#reserved + waiting.bytes <= this.#options.memoryBytes;
  }

  /**
   * Whether there is no slot for it, and therefore none for those behind it: queries that need no slot wait
   * before all others.
   */
  #hasNoPlaceFor({ needsPlace }: Waiting): boolean {
    return needsPlace && this.#running >= this.#options.places.limit;
  }

  /** A query that has long been at the front is content with the free memory, if there is any. */
  #makeDo(front: Waiting): void {
    front.atFrontSince ??= performance.now();
    if (!this.#isOverdue(front)) return;
    const free = this.#options.memoryBytes - this.#reserved;
    const least = Math.min(LEAST_BYTES, this.#options.memoryBytes);
    if (free >= least) front.bytes = Math.min(front.bytes, free);
    // A query that holds a slot may block running queries, so it continues without a reservation rather than
    // waiting for them.
    else if (!front.needsPlace) front.bytes = 0;
  }

  #isOverdue({ atFrontSince }: Waiting): boolean {
    if (atFrontSince === undefined) return false;
    return performance.now() - atFrontSince >= this.#options.secondsAtFront * 1000;
  }

  /** Wakes the query at the front when its time has come, in case nothing else happens before. */
  #wakeForFront(): void {
    this.#frontTimer?.clear();
    const front = this.#queue[0];
    if (front?.atFrontSince === undefined || this.#isOverdue(front)) return;
    const due = front.atFrontSince + this.#options.secondsAtFront * 1000 - performance.now();
    this.#frontTimer = startTimer(() => this.#admitNext(), due + 1).unref();
  }
}
