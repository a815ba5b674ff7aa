import type { ObjectId, TableObject, Tablet, TabletId } from '@tessera/catalog';
import { pause } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import {
  type EvictionLimits,
  type MemoryState,
  roomForTablets,
  tabletsToDisplace,
  tabletsToEvict,
} from '../eviction/eviction-policy.ts';
import { tabletEvictions } from '../eviction/tablet-evictions.ts';
import { absentRows, scanIdentity } from '../scan/scan-rows.ts';
import type { ContentsOf, ScanTablet } from '../storage-agent.ts';
import { LoadSchedule } from './load-schedule.ts';
import type { RememberedTable } from './remembered-tables.ts';
import {
  keysOf,
  type ResidentPart,
  type ResidentTable,
  type ResidentTableKey,
  type ResidentTableUse,
  residentTableKey,
} from './resident-table.ts';
import { changeTowards, type Deletion } from './resident-table-change.ts';
import { dropResidentTable } from './resident-table-loader.ts';
import { estimatedMemory, fitsUncompressed, type Room } from './resident-table-size.ts';
import { ResidentTableWorker, type ResidentTableWorkerOptions } from './resident-table-worker.ts';
import type { HotPart, ResidentTables } from './resident-tables.ts';
import { type Desired, type NotedScan, TableDemand } from './table-demand.ts';
import { WorkQueue } from './work-queue.ts';

export interface ResidentTableUpdatesOptions extends ResidentTableWorkerOptions {
  readonly kernel: Kernel;
  readonly resident: ResidentTables;
  readonly limits: EvictionLimits;
  readonly log: KernelLog;
}

const RETRY_MS = 30_000;
/** After a restart, a table is loaded again when no scan has run for this long. */
const WARM_UP_PAUSE_MS = 1_000;
/** A resident table is rebuilt once its ordinals exceed its number of parts by this much. */
const WORN_ORDINALS = 1_024;

/**
 * Makes the resident tables follow what scans want: builds, changes, evicts and drops them in the background, one at a time,
 * and waits for the scans that a change would disturb.
 */
export class ResidentTableUpdates {
  readonly #o: ResidentTableUpdatesOptions;
  readonly #resident: ResidentTables;
  readonly #demands = new Map<ResidentTableKey, TableDemand>();
  readonly #schedule = new LoadSchedule((key) => this.#start(key));
  /** Resident tables that are being changed, or whose change waits for scans to end. */
  readonly #changing = new Set<ResidentTableKey>();
  /** The tables in `#changing` that a scan has found to be behind meanwhile. */
  readonly #behind = new Set<ResidentTableKey>();
  readonly #work = new Set<Promise<void>>();
  readonly #queue = new WorkQueue();
  readonly #worker: ResidentTableWorker;
  /** The session of the work queue. */
  #session: KernelSession | undefined;
  #closed = false;
  readonly #closing = Promise.withResolvers<void>();

  constructor(options: ResidentTableUpdatesOptions) {
    this.#o = options;
    this.#resident = options.resident;
    this.#worker = new ResidentTableWorker(options);
  }

  /** The number of resident tables that are being changed or wait for it. */
  get pending(): number {
    return this.#schedule.size + this.#work.size;
  }

  /** Registers a running scan; the returned function must be called when it ends. */
  scanBegins(): () => void {
    return this.#schedule.scanBegins();
  }

  /**
   * Records a scan, so that the next one finds in memory what it read.
   * @param isPressing whether such scans are slower as long as the resident table lacks what they read
   */
  want(key: ResidentTableKey, scan: NotedScan, isPressing: boolean): void {
    if (this.#closed) return;
    const demand = this.#demandOf(key, scan.table);
    demand.note(scan);
    this.#follow(demand, isPressing);
  }

  #demandOf(key: ResidentTableKey, table: TableObject): TableDemand {
    const known = this.#demands.get(key);
    if (known !== undefined) return known;
    const demand = new TableDemand(key, table);
    this.#demands.set(key, demand);
    return demand;
  }

  /** Removes tablets that no snapshot needs any more. */
  async forget(tablets: readonly Tablet[]): Promise<void> {
    const ids = new Map<ObjectId, Set<TabletId>>();
    for (const { tableId, id } of tablets) {
      const ofTable = ids.get(tableId) ?? new Set();
      ids.set(tableId, ofTable.add(id));
    }
    const keys = [...ids].flatMap(([tableId, gone]) => keysOf(tableId).map((key) => [key, gone] as const));
    for (const [key, gone] of keys) {
      this.#demands.get(key)?.forget(gone);
      const resident = this.#resident.get(key);
      const parts = [...gone]
        .map((id) => resident?.parts.get(id))
        .filter((part) => part !== undefined)
        .filter((part) => !part.removed);
      if (resident !== undefined && parts.length > 0) await this.#remove(resident, parts);
      if (this.#resident.get(key) === undefined) this.#demands.delete(key);
    }
  }

  /** Evicts what the eviction limits demand. */
  async evict(): Promise<void> {
    const hot = this.#resident.hotTablets();
    if (hot.length === 0) return;
    await this.#evict(tabletsToEvict(hot, await this.#memory(), this.#o.limits, this.#o.now()));
  }

  async #evict(evicted: readonly HotPart[]): Promise<void> {
    for (const [resident, parts] of Map.groupBy(evicted, (id) => id.resident)) {
      this.#demands.get(resident.key)?.reset(this.#o.now() + RETRY_MS);
      await this.#remove(
        resident,
        parts.map((p) => p.part),
      );
    }
    if (evicted.length > 0) tabletEvictions.emit({ from: 'memory', tablets: evicted.length });
  }

  /** The tables in memory, most recently used first, without those of a share, which depends on the other nodes. */
  inMemory(): readonly RememberedTable[] {
    const nowMs = this.#o.now();
    const found: { usedMs: number; table: RememberedTable }[] = [];
    for (const resident of this.#resident.all()) {
      const demand = this.#demands.get(resident.key);
      const parts = resident.liveParts();
      if (demand === undefined || parts.length === 0 || resident.share !== undefined) continue;
      const isWhole = resident.exactAt !== undefined || demand.desired(nowMs).version !== undefined;
      const tablets = isWhole ? undefined : parts.map(({ tablet }) => tablet.id);
      const usedMs = Math.max(...parts.map((part) => resident.lastUse(part)));
      const columns = [...resident.columns.keys()];
      found.push({ usedMs, table: { tableId: demand.table.id, columns, tablets } });
    }
    return found.sort((a, b) => b.usedMs - a.usedMs).map(({ table }) => table);
  }

  /** Resolves with true in a pause between scans, or with false once it is closed. */
  async pause(): Promise<boolean> {
    while (!this.#closed && this.#schedule.pausedMs < WARM_UP_PAUSE_MS) {
      const rest = pause(Math.max(1, WARM_UP_PAUSE_MS - this.#schedule.pausedMs), { ref: false });
      await Promise.race([rest, this.#closing.promise]);
    }
    return !this.#closed;
  }

  /** Loads a table of an earlier run of the node, as far as it still exists, and returns the number of its tablets in memory. */
  async restore(
    { tableId, columns, tablets: ids }: RememberedTable,
    contentsOf: ContentsOf,
  ): Promise<number> {
    const key = residentTableKey(tableId, undefined);
    const contents = await contentsOf(tableId);
    if (contents === undefined || this.#resident.get(key) !== undefined) {
      contents?.release();
      return 0;
    }
    try {
      const { table, version, tablets } = contents;
      const demand = this.#demandOf(key, table);
      const wanted = ids && new Set(ids);
      demand.note({
        table,
        columns: new Set(columns),
        tablets: tablets.filter(({ tablet }) => wanted?.has(tablet.id) !== false),
        contents: { version, share: undefined, tablets: () => tablets },
        isWhole: wanted === undefined,
        nowMs: this.#o.now(),
      });
      const work = this.#advance(demand);
      this.#track(work);
      await work;
    } finally {
      contents.release();
    }
    return this.#resident.get(key)?.parts.size ?? 0;
  }

  /** Resolves when no resident table is being loaded or is waiting to be loaded. */
  async settled(): Promise<void> {
    while (this.pending > 0) {
      this.#schedule.flush();
      await Promise.all(this.#work);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve();
    this.#schedule.clear();
    this.#session?.interrupt();
    await Promise.all(this.#work);
  }

  #follow(demand: TableDemand, isPressing: boolean): void {
    const { key } = demand;
    const nowMs = this.#o.now();
    const resident = this.#resident.get(key);
    const desired = demand.desired(nowMs);
    if (isPressing && this.#changing.has(key)) this.#behind.add(key);
    if (this.#closed || this.#changing.has(key) || nowMs < demand.blockedUntilMs) return;
    const builds = resident === undefined || !resident.holds(desired.columns);
    if (builds ? desired.tablets.length === 0 : this.#isReached(resident, desired)) return;
    if (builds) this.#schedule.addBuild(key);
    else this.#schedule.addChange(key, resident.lastChangeMs, isPressing);
  }

  #start(key: ResidentTableKey): void {
    const demand = this.#demands.get(key);
    if (demand !== undefined) this.#track(this.#advance(demand));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #advance(demand: TableDemand): Promise<void> {
    const { key } = demand;
    if (this.#changing.has(key)) return;
    this.#changing.add(key);
    try {
      const desired = demand.desired(this.#o.now());
      const resident = this.#resident.get(key);
      if (resident === undefined || !resident.holds(desired.columns) || this.#isOutdated(resident, desired)) {
        await this.#queue.run(() => this.#withSession((session) => this.#build(session, demand, desired)));
      } else {
        await this.#change(resident, demand, desired);
      }
    } catch (error) {
      demand.blockedUntilMs = this.#o.now() + RETRY_MS;
      this.#warn('A table was not loaded into memory', error, { table: demand.table.name });
    } finally {
      this.#changing.delete(key);
    }
    // The demand may have changed meanwhile.
    const isPressing = this.#behind.delete(key);
    if (this.#demands.get(key) === demand) this.#follow(demand, isPressing);
  }

  async #withSession(work: (session: KernelSession) => Promise<void>): Promise<void> {
    const session = await this.#o.kernel.session();
    try {
      this.#resident.noticeProcess(session.processId);
      this.#session = session;
      if (this.#closed) return;
      await work(session);
    } finally {
      this.#session = undefined;
      await session.close();
    }
  }

  /** Builds a new resident table; the previous one serves scans until it is complete. */
  async #build(session: KernelSession, demand: TableDemand, desired: Desired): Promise<void> {
    if (desired.tablets.length === 0) return;
    const { key } = demand;
    const before = this.#resident.get(key);
    const memory = await this.#memory();
    const coming = { bytes: estimatedMemory(desired, desired.tablets), tablets: desired.tablets.length };
    if (await this.#makesPlace(memory, coming, before, 0)) return;
    let room = this.#room(memory, before);
    if (before !== undefined && (room.bytes < coming.bytes || room.tablets < coming.tablets)) {
      this.#resident.delete(before);
      await this.#quiet(before);
      await dropResidentTable(session, before);
      room = { ...room, bytes: room.bytes + before.bytes };
    }
    const built = await this.#worker.build(session, key, desired, room);
    if (built?.isComplete !== true) demand.blockedUntilMs = this.#o.now() + RETRY_MS;
    if (built === undefined || session.processId !== this.#resident.processId) return;
    const replaced = this.#resident.get(key);
    this.#resident.set(built.resident);
    if (replaced !== undefined) this.#track(this.#retire(replaced));
  }

  async #change(resident: ResidentTable, demand: TableDemand, desired: Desired): Promise<void> {
    const change = changeTowards(resident, desired);
    if (change.append.length > 0) {
      const coming = { bytes: estimatedMemory(desired, change.append), tablets: change.append.length };
      if (await this.#makesPlace(await this.#memory(), coming, resident, resident.parts.size)) return;
    }
    const shrunk = await Promise.all(
      change.shrink.map(async ({ part, scan }) => ({
        part,
        scan,
        rows: absentRows(scan, await this.#o.deletedRows(scan)),
      })),
    );
    // Nothing is awaited from here to the claims, so no scan is planned in between.
    const isChanged = change.append.length + change.remove.length + change.shrink.length > 0;
    if (!isChanged) {
      if (desired.version !== undefined && !resident.isLosingParts) resident.isNow(desired);
      return;
    }
    resident.exactAt = undefined;
    if (desired.version !== undefined) resident.share = desired.share;
    for (const part of change.remove) part.removed = true;
    for (const { part, scan, rows } of shrunk) {
      part.claimed = rows;
      part.claimedScan = scanIdentity(scan);
    }
    const deletions: Deletion[] = [
      ...change.remove.map((part) => ({ part, rows: 'all' as const })),
      ...shrunk.map(({ part, rows }) => ({ part, rows })),
    ];
    const needsDeleted = (use: ResidentTableUse) =>
      deletions.length > 0 && (change.replaces || !isWithout(use, desired));
    await this.#quiet(resident, (use) => use.exact || needsDeleted(use));
    await this.#queue.run(() =>
      this.#withSession((session) =>
        this.#apply(session, resident, demand, desired, change.append, deletions),
      ),
    );
  }

  async #apply(
    session: KernelSession,
    resident: ResidentTable,
    demand: TableDemand,
    desired: Desired,
    append: readonly ScanTablet[],
    deletions: readonly Deletion[],
  ): Promise<void> {
    if (!this.#isCurrent(resident, session)) return;
    const startedAt = performance.now();
    const room = this.#room(await this.#memory());
    let isComplete: boolean;
    try {
      isComplete = await this.#worker.change(session, resident, desired, append, deletions, room);
    } catch (error) {
      // The contents of the resident table are no longer known.
      this.#resident.delete(resident);
      this.#track(this.#retire(resident));
      throw error;
    }
    resident.lastChangeMs = performance.now() - startedAt;
    if (!isComplete) demand.blockedUntilMs = this.#o.now() + RETRY_MS;
    else if (!resident.isLosingParts && resident.parts.size === desired.tablets.length)
      resident.isNow(desired);
  }

  /** Removes parts from a resident table, or drops it as a whole if no part remains. */
  async #remove(resident: ResidentTable, parts: readonly ResidentPart[]): Promise<void> {
    if (!this.#resident.has(resident)) return;
    if (parts.length === resident.liveParts().length) {
      this.#resident.delete(resident);
      this.#track(this.#retire(resident));
      return;
    }
    resident.exactAt = undefined;
    for (const part of parts) part.removed = true;
    this.#track(this.#shrink(resident, parts).catch((error) => this.#failed(resident, error)));
  }

  async #shrink(resident: ResidentTable, parts: readonly ResidentPart[]): Promise<void> {
    const deletions = parts.map((part) => ({ part, rows: 'all' as const }));
    resident.partsGoing += parts.length;
    await this.#quiet(resident);
    await this.#queue.run(() =>
      this.#withSession(async (session) => {
        if (this.#isCurrent(resident, session)) await this.#worker.shrink(session, resident, deletions);
      }),
    );
    resident.partsGoing -= parts.length;
  }

  /** Drops a resident table that no new scan uses. */
  async #retire(resident: ResidentTable): Promise<void> {
    const processId = this.#resident.processId;
    await this.#quiet(resident)
      .then(() =>
        this.#queue.run(() =>
          this.#withSession(async (session) => {
            if (session.processId === processId) await dropResidentTable(session, resident);
          }),
        ),
      )
      .catch((error) => this.#warn('A table in memory was not dropped', error));
  }

  /** Waits until the scans of a resident table have ended, except those that outlive the agent. */
  async #quiet(resident: ResidentTable, which?: (use: ResidentTableUse) => boolean): Promise<void> {
    await Promise.race([resident.quiet(which), this.#closing.promise]);
    if (this.#closed) throw new Error('the agent is closed');
  }

  /** Logs a failure, unless the agent is being closed. */
  #warn(message: string, error: unknown, details: object = {}): void {
    if (!this.#closed) this.#o.log.warn({ ...details, error: String(error) }, message);
  }

  #failed(resident: ResidentTable, error: unknown): void {
    this.#resident.delete(resident);
    this.#warn('A table in memory was given up', error);
  }

  #isCurrent(resident: ResidentTable, session: KernelSession): boolean {
    return this.#resident.has(resident) && session.processId === this.#resident.processId;
  }

  /** The memory that the existing resident tables leave, not counting the one to be replaced. */
  #room(memory: MemoryState, replaced?: ResidentTable): Room {
    const { limits } = this.#o;
    const others = this.#resident.tablets - (replaced?.parts.size ?? 0);
    return { bytes: roomForTablets(memory, limits), tablets: limits.maxTablets - others };
  }

  /**
   * Whether other resident tables must be evicted first. The load is tried again after they are gone.
   * @param own the resident table to load into, of which `present` tablets stay
   */
  async #makesPlace(
    memory: MemoryState,
    coming: Room,
    own: ResidentTable | undefined,
    present: number,
  ): Promise<boolean> {
    const { limits } = this.#o;
    const among = this.#resident.hotTablets().filter(({ id }) => id.resident !== own);
    const displaced = tabletsToDisplace(
      among,
      memory,
      { ...limits, maxTablets: limits.maxTablets - present },
      coming,
      this.#o.now(),
    );
    await this.#evict(displaced);
    return displaced.length > 0;
  }

  #isReached(resident: ResidentTable, desired: Desired): boolean {
    if (this.#isOutdated(resident, desired)) return false;
    if (desired.version !== undefined) {
      return (
        resident.exactAt !== undefined &&
        resident.exactAt >= desired.version &&
        resident.share === desired.share
      );
    }
    return desired.tablets.every((scan) => resident.parts.has(scan.tablet.id));
  }

  /** Whether it must be rebuilt: its ordinals are used up, or it has grown too large for texts that are not compressed. */
  #isOutdated(resident: ResidentTable, desired: Desired): boolean {
    if (resident.nextOrdinal > WORN_ORDINALS + 4 * resident.parts.size) return true;
    const { memoryLimitBytes } = this.#o;
    // The estimate that allowed the texts counts, too: by the size alone, the table could be built in the same way again and again.
    return (
      resident.uncompressed.size > 0 &&
      !fitsUncompressed(resident.bytes, memoryLimitBytes) &&
      !fitsUncompressed(estimatedMemory(desired, desired.tablets), memoryLimitBytes)
    );
  }

  async #memory(): Promise<MemoryState> {
    const { usedBytes, limitBytes } = await this.#o.kernel.memory();
    return { usedBytes, totalBytes: limitBytes };
  }
}

/**
 * Whether a scan does not need what the desired table lacks. A tablet may leave a share of the table and come
 * back.
 */
function isWithout({ version, share }: ResidentTableUse, desired: Desired): boolean {
  if (version === undefined || share !== desired.share) return false;
  return share === undefined ? version >= desired.version! : version === desired.version;
}
