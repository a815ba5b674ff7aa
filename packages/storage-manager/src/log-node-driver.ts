import type { CatalogState, SealedEntry } from '@tessera/catalog';
import { type Logger, startTimer, TesseraError, type Timer } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import type { Effect, Reply, RequestId } from './log-node/effects.ts';
import type { Happening, NodeRequest } from './log-node/events.ts';
import type { LogNodeOptions } from './log-node/options.ts';
import type { LogNodeState } from './log-node/state.ts';
import { initialState, step } from './log-node/step.ts';
import { execute } from './store-executor.ts';

const MAX_ENTRIES = 1_024;
const MAX_BYTES = 4 << 20;

/** The newest entries that this node appended, for followers that lack only these. */
export class RecentEntries {
  #entries: { readonly version: number; readonly bytes: Uint8Array }[] = [];
  #bytes = 0;

  add({ entry: { version }, bytes }: SealedEntry): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && last.version + 1 !== version) this.clear();
    // A small buffer is a part of a pool of 64 KiB, which would live as long as the buffer.
    this.#entries.push({ version, bytes: new Uint8Array(bytes) });
    this.#bytes += bytes.length;
    while (this.#entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
    }
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }

  /** The entries after `version` up to `head`; empty if some of them are not kept here. */
  between(version: number, head: number): Uint8Array[] {
    const [first] = this.#entries;
    if (first === undefined || version >= head) return [];
    const from = version + 1 - first.version;
    const to = head + 1 - first.version;
    if (from < 0 || to > this.#entries.length) return [];
    return this.#entries.slice(from, to).map(({ bytes }) => bytes);
  }
}

export interface LogNodeDriverOptions {
  readonly store: ObjectStore;
  readonly node: LogNodeOptions;
  readonly log: Logger;
}

/**
 * The time limit for withdrawing the hint in the store after this node stops leading. Without it, others wait
 * for the lease to expire.
 */
const RELEASE_WITHIN_MS = 2_000;

/** Runs the reducer with a real store and a real clock: it feeds events in and executes the effects. */
export class LogNodeDriver {
  /** The entries that this node appended last. */
  readonly recent = new RecentEntries();
  readonly #store: ObjectStore;
  readonly #log: Logger;
  readonly #ended = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #waiting = new Map<RequestId, PromiseWithResolvers<Reply>>();
  readonly #changed = new Set<() => void>();
  #state: LogNodeState;
  #nextRequest = 1;
  /** The reason why the last request to the store failed; undefined if it succeeded. */
  #trouble: string | undefined;

  constructor({ store, node, log }: LogNodeDriverOptions) {
    this.#store = store;
    this.#log = log;
    this.#state = initialState(node);
  }

  get state(): LogNodeState {
    return this.#state;
  }

  start(): void {
    this.dispatch({ kind: 'start' });
  }

  /** Sends the reducer an event that has no answer. */
  dispatch(happening: Happening): void {
    if (this.#ended.signal.aborted) return;
    const event = { ...happening, nowMs: Date.now(), monotonicMs: performance.now() };
    const { append } = this.#state;
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    if (append !== undefined && state.append !== append && state.catalog === append.after) {
      this.recent.add(append.sealed);
    }
    for (const effect of effects) this.#do(effect);
    if (state.role.kind === 'broken') this.#failAll(state.role.error);
    for (const check of [...this.#changed]) check();
  }

  /**
   * Sends the reducer a request; `failed` replies are thrown.
   * @throws TesseraError METADATA_UNAVAILABLE if there is no answer in time; a commit may still happen then
   */
  async request(request: NodeRequest, timeoutMs: number): Promise<Exclude<Reply, { kind: 'failed' }>> {
    this.#ended.signal.throwIfAborted();
    const id = this.#nextRequest++;
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.set(id, waiting);
    const timer = startTimer(() => {
      const trouble = this.#trouble === undefined ? '' : `: ${this.#trouble}`;
      const reason = `no answer of the object store within ${Math.ceil(timeoutMs / 1_000)} s${trouble}`;
      waiting.resolve({ kind: 'failed', error: TesseraError.of('METADATA_UNAVAILABLE', { reason }) });
    }, timeoutMs);
    try {
      this.dispatch({ ...request, request: id } as Happening);
      const reply = await waiting.promise;
      if (reply.kind === 'failed') throw reply.error;
      return reply;
    } finally {
      timer.clear();
      this.#waiting.delete(id);
    }
  }

  async latest(timeoutMs: number): Promise<CatalogState> {
    const { role, catalog, options } = this.#state;
    if (options.exclusive && role.kind === 'leader') return catalog!;
    const reply = await this.request({ kind: 'latest' }, timeoutMs);
    if (reply.kind !== 'snapshot') throw new Error(`a read was answered with ${reply.kind}`);
    return reply.catalog;
  }

  /** Resolves with whether the condition became true within the time; it is tested after every event. */
  async until(condition: (state: LogNodeState) => boolean, timeoutMs: number): Promise<boolean> {
    if (condition(this.#state)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const check = () => condition(this.#state) && resolve(true);
    const timer = startTimer(() => resolve(false), timeoutMs);
    this.#changed.add(check);
    try {
      return await promise;
    } finally {
      timer.clear();
      this.#changed.delete(check);
    }
  }

  /**
   * Stops accepting commits, gives waiting ones `graceMs` to finish, and hands over the leadership. Commits
   * that are still open are then reported as unknown.
   */
  async close(graceMs: number): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.dispatch({ kind: 'leave' });
    await this.until(({ append, queue }) => append === undefined && queue.length === 0, graceMs);
    this.dispatch({ kind: 'resign' });
    await this.until(
      ({ watch }) => watch.phase !== 'finding' && watch.phase !== 'releasing',
      RELEASE_WITHIN_MS,
    );
    const error = TesseraError.of('METADATA_UNAVAILABLE', { reason: 'this node is shutting down' });
    this.#ended.abort(error);
    for (const timer of this.#timers) timer.clear();
    this.#failAll(error);
  }

  #failAll(error: TesseraError): void {
    for (const waiting of this.#waiting.values()) waiting.resolve({ kind: 'failed', error });
  }

  #do(effect: Effect) {
    switch (effect.kind) {
      case 'store':
        void execute(this.#store, effect.request, this.#ended.signal).then((answer) => {
          this.#trouble = answer.kind === 'unknown' ? answer.reason : undefined;
          this.dispatch({ kind: 'stored', op: effect.op, answer });
        });
        return;
      case 'timer': {
        const timer = startTimer(() => {
          this.#timers.delete(timer);
          this.dispatch({ kind: 'timer', op: effect.op });
        }, effect.delayMs);
        this.#timers.add(timer);
        return;
      }
      case 'reply':
        this.#waiting.get(effect.request)?.resolve(effect.reply);
        return;
      case 'log':
        this.#log[effect.level](effect.fields, effect.message);
        return;
    }
  }
}
