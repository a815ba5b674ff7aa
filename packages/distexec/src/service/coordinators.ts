import { type NodeProcess, nodeNameOf, type QueryId, startInterval, type Timer } from '@tessera/common';

/** The state of one coordinator that has work on this node. */
interface Coordinator {
  lastHeardMs: number;
  /** The number of open calls for its tasks. */
  calls: number;
  /** Queries that have tasks or outputs here, and the runs of each. */
  readonly queries: Map<QueryId, Set<number>>;
}

export interface CoordinatorsOptions {
  /** The interval of the pings that coordinators send. */
  readonly heartbeatMs: number;
  /** Called when a coordinator is gone: its queries' tasks must be stopped and their outputs released. */
  onGone(coordinator: NodeProcess, queryIds: readonly QueryId[]): void;
  /** The clock in milliseconds; replaced in tests. */
  readonly now?: (() => number) | undefined;
}

/**
 * The coordinators whose tasks this node runs and whose outputs it keeps. A coordinator counts as gone after
 * two heartbeats without a message, after one heartbeat if its last open call broke, and at once if its node
 * pings with another incarnation.
 */
export class Coordinators {
  readonly #o: CoordinatorsOptions;
  readonly #now: () => number;
  readonly #known = new Map<NodeProcess, Coordinator>();
  readonly #broken = new Set<NodeProcess>();
  readonly #sweeping: Timer;

  constructor(options: CoordinatorsOptions) {
    this.#o = options;
    this.#now = options.now ?? (() => performance.now());
    this.#sweeping = startInterval(() => this.sweep(), options.heartbeatMs / 4).unref();
  }

  /** Records a ping or any other call of a coordinator. */
  heard(coordinator: NodeProcess): void {
    const name = nodeNameOf(coordinator);
    for (const other of [...this.#known.keys()]) {
      if (other !== coordinator && nodeNameOf(other) === name) this.#gone(other);
    }
    const known = this.#known.get(coordinator);
    if (known === undefined) return;
    known.lastHeardMs = this.#now();
    this.#broken.delete(coordinator);
  }

  /** Records the start of a call for a task of a query's run; the returned function ends it. */
  begin(coordinator: NodeProcess, queryId: QueryId, run: number): (isBroken: boolean) => void {
    let known = this.#known.get(coordinator);
    if (known === undefined) {
      known = { lastHeardMs: 0, calls: 0, queries: new Map() };
      this.#known.set(coordinator, known);
    }
    this.heard(coordinator);
    known.calls++;
    const runs = known.queries.get(queryId);
    if (runs === undefined) known.queries.set(queryId, new Set([run]));
    else runs.add(run);
    const entry = known;
    return (isBroken) => {
      entry.calls--;
      if (isBroken && entry.calls === 0 && this.#known.get(coordinator) === entry) {
        this.#broken.add(coordinator);
      }
    };
  }

  /**
   * Records that nothing of the query, or of that run, is left here. If only the outputs of some stages were
   * released, nothing changes.
   */
  released(
    queryId: QueryId,
    which: { readonly run?: number | undefined; readonly stages?: readonly number[] } = {},
  ): void {
    if (which.stages !== undefined && which.stages.length > 0) return;
    for (const [coordinator, { queries, calls }] of this.#known) {
      const runs = queries.get(queryId);
      if (which.run !== undefined) runs?.delete(which.run);
      if (which.run === undefined || runs?.size === 0) queries.delete(queryId);
      if (queries.size === 0 && calls === 0) this.#forget(coordinator);
    }
  }

  /** Detects coordinators that are gone; also runs periodically. */
  sweep(): void {
    const { heartbeatMs } = this.#o;
    for (const [coordinator, { lastHeardMs }] of [...this.#known]) {
      const patienceMs = this.#broken.has(coordinator) ? heartbeatMs : 2 * heartbeatMs;
      if (this.#now() - lastHeardMs > patienceMs) this.#gone(coordinator);
    }
  }

  close(): void {
    this.#sweeping.clear();
  }

  #gone(coordinator: NodeProcess): void {
    const queries = [...(this.#known.get(coordinator)?.queries.keys() ?? [])];
    this.#forget(coordinator);
    if (queries.length > 0) this.#o.onGone(coordinator, queries);
  }

  #forget(coordinator: NodeProcess): void {
    this.#known.delete(coordinator);
    this.#broken.delete(coordinator);
  }
}
