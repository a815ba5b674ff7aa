import { type Committed, encodeTransaction, type Snapshot, type Transaction } from '@tessera/catalog';
import { type Logger, pause, retryDecision, startInterval, TesseraError, type Timer } from '@tessera/common';
import type { NodeStore } from '@tessera/rpc';
import { DriverLeader } from './driver-leader.ts';
import type { LeaderChannels, LeaderClient } from './leader-channels.ts';
import type { LogNodeDriver } from './log-node-driver.ts';
import { collectionEnds, commitEnds, type LogStatus, logStatus } from './log-status.ts';
import { Pins } from './pins.ts';
import type { LogLeader, ServedStorageManager } from './served-storage-manager.ts';
import { SharedCall } from './shared-call.ts';
import type { GarbageReport, Pin } from './storage-manager.ts';
import type { StorageManagerTimes } from './times.ts';

export interface ClusteredStorageManagerOptions {
  readonly driver: LogNodeDriver;
  /** Undefined if no other node can lead. */
  readonly leaders: LeaderChannels | undefined;
  readonly store: NodeStore;
  /** The identity of this process in reports of pins. */
  readonly incarnation: string;
  /**
   * The address by which other nodes reach this one, if it may lead. A leader that stops hands over to it.
   */
  readonly candidateAddress: string | undefined;
  readonly times: StorageManagerTimes;
  /** Reads the whole state again for every snapshot; undefined if the state is kept and updated. */
  readonly readAnew: (() => Promise<Snapshot>) | undefined;
  /** Tests the store's conditional writes; undefined if the log does not depend on them. */
  readonly probe: (() => Promise<void>) | undefined;
  readonly log: Logger;
}

/** The storage manager of a node, whether it leads, may lead, or only uses the leader. */
export class ClusteredStorageManager implements ServedStorageManager {
  readonly leader: LogLeader;
  readonly store: NodeStore;
  readonly #options: ClusteredStorageManagerOptions;
  readonly #driver: LogNodeDriver;
  readonly #pins = new Pins();
  readonly #newest: SharedCall<Snapshot>;
  readonly #intervals: Timer[] = [];
  #handedOut: Snapshot | undefined;
  /** The time when this node last knew the newest version. */
  #readAtMs: number | undefined;
  #closed = false;

  constructor(options: ClusteredStorageManagerOptions) {
    this.#options = options;
    this.#driver = options.driver;
    this.store = options.store;
    this.leader = new DriverLeader(options.driver, options.times);
    this.#newest = new SharedCall(() => this.#askForNewest());
    const { pinReportMs, garbageMs, probeMs } = options.times;
    this.#every(pinReportMs, () => this.#reportPinsAgain());
    if (options.probe !== undefined) this.#every(probeMs, () => this.#probe());
    if (garbageMs > 0) this.#every(garbageMs, () => this.#collectIfLeading());
  }

  get leads(): boolean {
    return this.#driver.state.role.kind === 'leader';
  }

  get current(): Snapshot | undefined {
    return this.#options.readAnew === undefined ? this.#driver.state.catalog : this.#handedOut;
  }

  get status(): LogStatus {
    const status = logStatus(this.#driver.state, this.#readAtMs);
    // A node that keeps no state cannot be behind.
    return this.#options.readAnew === undefined ? status : { ...status, readAgeSeconds: undefined };
  }

  async latest(): Promise<Snapshot> {
    const isAsked = this.leads || this.#options.leaders === undefined;
    const askedAtMs = performance.now();
    const newest = isAsked
      ? await this.#driver.latest(this.#options.times.readTimeoutMs)
      : await this.#newest.run();
    this.#readAtMs = Math.max(this.#readAtMs ?? 0, askedAtMs);
    return newest;
  }

  async commit(transaction: Transaction): Promise<Committed> {
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1_000;
    try {
      const committed = await this.#commit(transaction);
      commitEnds.emit({ queryId: transaction.queryId, outcome: 'ok', seconds: seconds() });
      return committed;
    } catch (error) {
      commitEnds.emit({ queryId: transaction.queryId, outcome: nameOf(error), seconds: seconds() });
      throw error;
    }
  }

  #commit(transaction: Transaction): Promise<Committed> {
    const { commitTimeoutMs, commitAskMs } = this.#options.times;
    return this.#untilAnswered(commitTimeoutMs, async (leader, leftMs) => {
      if (leader !== undefined) {
        const encoded = new TextEncoder().encode(encodeTransaction(transaction));
        const timeoutMs = Math.min(leftMs, commitAskMs);
        const { version } = await leader.commit({ transaction: encoded }, { timeoutMs });
        return { version: Number(version) };
      }
      return this.leader.commit(transaction);
    });
  }

  pin(snapshot: Snapshot): Pin {
    return this.#pins.pinVersion(snapshot.version);
  }

  beginWrite(): Pin {
    return this.#pins.pinWrite(Date.now());
  }

  async collectGarbage(limit: number): Promise<GarbageReport> {
    try {
      const report = await this.#collect(limit);
      collectionEnds.emit({ outcome: 'ok', objects: report.objects });
      return report;
    } catch (error) {
      collectionEnds.emit({ outcome: nameOf(error), objects: 0 });
      throw error;
    }
  }

  async #collect(limit: number): Promise<GarbageReport> {
    const { garbageTimeoutMs } = this.#options.times;
    await this.reportPins();
    return this.#untilAnswered(garbageTimeoutMs, async (leader, timeoutMs) => {
      if (leader !== undefined) return leader.collectGarbage({ limit }, { timeoutMs });
      return this.leader.collectGarbage(limit);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const interval of this.#intervals) interval.clear();
    await this.#driver.close(this.#options.times.closeGraceMs);
    this.#options.leaders?.close();
  }

  /**
   * Sends a request to the current leader, and repeats it while the leader changes or cannot be reached; so
   * the request must be idempotent.
   * @throws TesseraError the leader's error; METADATA_UNAVAILABLE if there was no answer in time
   */
  async #untilAnswered<T>(
    withinMs: number,
    ask: (leader: LeaderClient | undefined, timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    const end = performance.now() + withinMs;
    let failure: TesseraError | undefined;
    for (let attempt = 0; ; attempt++) {
      const left = end - performance.now();
      if (left <= 0 || this.#closed) throw unavailable(failure);
      let leader: LeaderClient | undefined;
      try {
        if (!this.leads) leader = await this.#options.leaders?.client();
        return await ask(leader, left);
      } catch (error) {
        if (!isUnanswered(error) || this.#isBroken()) throw error;
        // A refusal explains more than a later attempt without an answer, which may only have had too little time left.
        const isAnswer = error.name !== 'METADATA_UNAVAILABLE';
        if (isAnswer || (failure?.name ?? 'METADATA_UNAVAILABLE') === 'METADATA_UNAVAILABLE') failure = error;
        if (leader !== undefined) this.#options.leaders?.failed(leader);
      }
      const pauseMs = Math.min(500, 10 * 2 ** attempt) * (0.5 + Math.random() / 2);
      if (leader === undefined) await this.#driver.until(({ role }) => role.kind === 'leader', pauseMs);
      else await pause(pauseMs);
    }
  }

  /** Whether this node is the only one with the log and can no longer use it. */
  #isBroken(): boolean {
    return this.#options.leaders === undefined && this.#driver.state.role.kind === 'broken';
  }

  async #askForNewest(): Promise<Snapshot> {
    const { readAnew, times } = this.#options;
    if (readAnew !== undefined) {
      this.#handedOut = await readAnew();
      return this.#handedOut;
    }
    return (await this.#newestFromLeader()) ?? this.#driver.latest(times.readTimeoutMs);
  }

  /**
   * The newest snapshot from the leader. Undefined if the leader does not answer; then the log in the store
   * proves what is newest.
   */
  async #newestFromLeader(): Promise<Snapshot | undefined> {
    const have = this.#driver.state.catalog;
    let leader: LeaderClient | undefined;
    try {
      leader = await this.#options.leaders?.client();
      if (leader === undefined || have === undefined) return undefined;
      const request = { haveVersion: BigInt(have.version) };
      const { version, entries } = await leader.latest(request, {
        timeoutMs: this.#options.times.askTimeoutMs,
      });
      if (entries.length > 0) this.#driver.dispatch({ kind: 'entries_received', bodies: entries });
      const { catalog } = this.#driver.state;
      return catalog !== undefined && catalog.version >= Number(version) ? catalog : undefined;
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      if (leader !== undefined) this.#options.leaders?.failed(leader);
      return undefined;
    }
  }

  /**
   * Reports to the leader what this node still needs, including the versions that it will read. It first
   * reads the newest version: an idle node would otherwise hold back garbage forever.
   * @throws TesseraError STORE_MISMATCH if the leader uses another store; METADATA_UNAVAILABLE if the leader
   * has another cluster token, so that this node could read but not write
   */
  async reportPins(): Promise<void> {
    const { incarnation: node, leaders, times, readAnew, candidateAddress } = this.#options;
    const isCached = readAnew === undefined && !this.leads;
    const newest = (isCached ? await this.latest().catch(() => undefined) : undefined) ?? this.current;
    if (newest === undefined) return;
    const report = this.#pins.report(newest.version, Date.now());
    if (this.leads) return this.#driver.dispatch({ kind: 'pins', node, ...report });
    try {
      const leader = await leaders?.client();
      await leader?.reportPins(
        {
          node,
          oldestVersion: BigInt(report.oldestVersion),
          oldestWriteMs: BigInt(Math.floor(report.oldestWriteMs)),
          ...(candidateAddress !== undefined && { candidateAddress }),
        },
        { timeoutMs: times.askTimeoutMs },
      );
    } catch (error) {
      if (nameOf(error) === 'STORE_MISMATCH') throw error;
      if (nameOf(error) === 'UNAUTHENTICATED') await this.#refused();
      this.#options.log.debug({ err: error }, 'what this node still reads could not be told to the leader');
    }
  }

  /**
   * The process at the leader's address may be a stranger once the lease has expired; this node may then lead
   * itself.
   */
  async #refused(): Promise<void> {
    const address = await this.#options.leaders?.holderOfLease();
    if (address === undefined) return;
    const reason = `the node at ${address} leads the metadata log of ${this.store.url} and has another cluster token. Start all nodes that use this store with the same TESSERA_CLUSTER_TOKEN, also those that are no cluster`;
    throw TesseraError.of('METADATA_UNAVAILABLE', { reason });
  }

  async #reportPinsAgain(): Promise<void> {
    try {
      await this.reportPins();
    } catch (error) {
      this.#options.log.error({ err: error }, 'the leader of the metadata log refuses this node');
    }
  }

  async #collectIfLeading(): Promise<void> {
    if (!this.leads) return;
    try {
      const report = await this.collectGarbage(0);
      if (report.objects > 0) this.#options.log.info({ ...report }, 'garbage was collected');
    } catch (error) {
      this.#options.log.warn({ err: error }, 'garbage could not be collected');
    }
  }

  /**
   * Tests the store. If it has become unsuitable, for example behind another gateway, only one node may write
   * to it.
   */
  async #probe(): Promise<void> {
    try {
      await this.#options.probe?.();
    } catch (error) {
      if (!(error instanceof TesseraError) || error.name !== 'STORAGE_UNSUITABLE') return;
      this.#options.log.fatal({ err: error }, 'this node stops leading the metadata log');
      this.#driver.dispatch({ kind: 'resign' });
    }
  }

  #every(ms: number, run: () => Promise<void>): void {
    const interval = startInterval(() => void run(), ms);
    interval.unref();
    this.#intervals.push(interval);
  }
}

const nameOf = (error: unknown): string => (error instanceof TesseraError ? error.name : 'INTERNAL');

const isUnanswered = (error: unknown): error is TesseraError =>
  retryDecision(error, 'metadata') !== undefined;

/** `failure` is undefined if nobody was asked. */
function unavailable(failure: TesseraError | undefined): TesseraError {
  if (failure === undefined)
    return TesseraError.of('METADATA_UNAVAILABLE', { reason: 'nobody leads the metadata log' });
  if (failure.name === 'METADATA_UNAVAILABLE') return failure;
  return TesseraError.of('METADATA_UNAVAILABLE', { reason: failure.message }, { cause: failure });
}
