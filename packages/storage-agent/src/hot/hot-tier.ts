import type { ObjectId, Tablet, TabletId } from '@tessera/catalog';
import { pause } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import {
  type EvictionLimits,
  type HotTablet,
  type MemoryState,
  roomForTablets,
  tabletsToDisplace,
  tabletsToEvict,
} from '../eviction/eviction-policy.ts';
import { tabletEvictions } from '../eviction/tablet-evictions.ts';
import type { RelationShape } from '../scan/relation-sql.ts';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { absentRows, scanIdentity } from '../scan/scan-rows.ts';
import type { ContentsOf, ReadCounts, ScanTablet } from '../storage-agent.ts';
import { type Cover, partialCover, wholeCover } from './cover.ts';
import { LoadSchedule } from './load-schedule.ts';
import type { RememberedTable } from './remembered-tables.ts';
import {
  bytesRead,
  keysOf,
  liveRows,
  type ResidentPart,
  type ResidentTable,
  type ResidentTableKey,
  type ResidentTableUse,
  residentTableKey,
} from './resident-table.ts';
import { changeTowards, type Deletion } from './resident-table-change.ts';
import { dropResidentTable } from './resident-table-loader.ts';
import { estimatedMemory, type Room } from './resident-table-size.ts';
import { ResidentTableWorker, type ResidentTableWorkerOptions } from './resident-table-worker.ts';
import { type Desired, type TableContents, TableDemand } from './table-demand.ts';
import { WorkQueue } from './work-queue.ts';

export interface HotTierOptions extends ResidentTableWorkerOptions {
  readonly kernel: Kernel;
  readonly memoryLimitBytes: number;
  readonly limits: EvictionLimits;
  readonly log: KernelLog;
}

/** A scan as the hot tier sees it. */
export interface HotRequest {
  readonly session: KernelSession;
  readonly shape: RelationShape;
  readonly tablets: readonly ScanTablet[];
  /** The ids of the columns that count as read. */
  readonly counted: readonly number[];
  /** The `contentsVersion` of the table at the scan's snapshot; undefined if the scan does not know it. */
  readonly contentsVersion: number | undefined;
  /** The share of the table that the scan is about; undefined means the whole table. */
  readonly share: string | undefined;
}

export interface HotScan extends Cover {
  readonly read: Omit<ReadCounts, 'bytesFromStorage'>;
  release(): void;
}

interface HotPart {
  readonly resident: ResidentTable;
  readonly part: ResidentPart;
}

/** A SELECT over a resident table that holds exactly what a scan reads. */
export interface WholeScan {
  readonly sql: string;
  readonly read: Omit<ReadCounts, 'bytesFromStorage'>;
  release(): void;
}

const RETRY_MS = 30_000;
/** A statement that changes rows may read so many tablets, with so many rows, beside the resident table without need to change it. */
const FEW_TABLETS = 8;
const FEW_ROWS = 65_536;
/** After a restart, a table is loaded again when no scan has run for this long. */
const WARM_UP_PAUSE_MS = 1_000;
/** A resident table is rebuilt once its ordinals exceed its number of parts by this much. */
const WORN_ORDINALS = 1_024;

/**
 * Resident tables: native tables of the kernel that hold frequently read data. They exist as long as one
 * kernel process.
 */
export class HotTier {
  readonly #o: HotTierOptions;
  readonly #residentTables = new Map<ResidentTableKey, ResidentTable>();
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
  #processId: string | undefined;
  #closed = false;
  readonly #closing = Promise.withResolvers<void>();

  constructor(options: HotTierOptions) {
    this.#o = options;
    this.#worker = new ResidentTableWorker(options);
  }

  get tablets(): number {
    let tablets = 0;
    for (const resident of this.#current()) tablets += resident.parts.size;
    return tablets;
  }

  get bytes(): number {
    let bytes = 0;
    for (const resident of this.#current()) bytes += resident.bytes;
    return bytes;
  }

  get pending(): number {
    return this.#schedule.size + this.#work.size;
  }

  /** Registers a running scan; the returned function must be called when it ends. */
  scanBegins(): () => void {
    return this.#schedule.scanBegins();
  }

  /** Whether a scan of the columns would be served from memory, whichever tablets it needs. */
  holds(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean {
    const resident = this.#residentTableFor(session, residentTableKey(tableId, undefined));
    return resident?.exactAt === contentsVersion && columns.every((id) => resident.columns.has(id));
  }

  /** The whole resident table, if it holds exactly the contents that the scan reads. */
  whole(request: HotRequest): WholeScan | undefined {
    const resident = this.#usable(request);
    if (resident?.exactAt === undefined || resident.exactAt !== request.contentsVersion) return undefined;
    if (resident.share !== request.share) return undefined;
    // The scan may have been planned for another node's share.
    if (request.share !== undefined && !resident.hasAll(request.tablets)) return undefined;
    resident.lastUsedMs = this.#o.now();
    const { release } = resident.use({ exact: true, ...versionOf(request) });
    const sql = wholeCover(resident, request.shape, request.tablets);
    return { sql, read: { rows: resident.liveRows, bytes: resident.storedBytes(request.counted) }, release };
  }

  /** The part of the tablets that a resident table with other contents can serve; for the parameters see `partialCover`. */
  partial(
    request: HotRequest,
    absent: ReadonlyMap<number, readonly RowRange[]>,
    windows: ReadonlyMap<number, RowRange>,
  ): HotScan | undefined {
    const resident = this.#usable(request);
    const cover = resident && partialCover(resident, request.shape, request.tablets, absent, windows);
    if (resident === undefined || cover === undefined) return undefined;
    const nowMs = this.#o.now();
    const read = { rows: 0, bytes: 0 };
    for (const position of cover.tablets) {
      const { tablet, keys } = request.tablets[position]!;
      const part = resident.parts.get(tablet.id)!;
      part.lastUsedMs = nowMs;
      const gone = absent.get(position) ?? [];
      const window = windows.get(position);
      const bytes = bytesRead(part, request.tablets[position]!, request.counted);
      if (window === undefined) {
        read.rows += liveRows({ tablet, keys, absent: gone });
        read.bytes += bytes;
      } else {
        const rows = rowsIn([window]);
        read.rows += rows - rowsIn(gone);
        read.bytes += Math.round((bytes * rows) / tablet.rows);
      }
    }
    const { release } = resident.use({ exact: false, ...versionOf(request) });
    return { ...cover, read, release };
  }

  /** Records what a scan read, so that the next scan finds it in memory. */
  want(request: HotRequest, contents: TableContents, isWhole: boolean): void {
    if (this.#closed || request.session.processId !== this.#o.kernel.processId) return;
    const { table, read } = request.shape;
    const key = residentTableKey(table.id, request.share);
    let demand = this.#demands.get(key);
    if (demand === undefined) {
      demand = new TableDemand(key, table);
      this.#demands.set(key, demand);
    }
    demand.note({
      table,
      columns: read,
      tablets: request.tablets,
      contents,
      isWhole,
      nowMs: this.#o.now(),
    });
    this.#follow(demand, this.#isPressing(request));
  }

  /**
   * Whether scans like this one become faster when the resident table follows the table. A statement that changes single rows
   * excludes the rows that were deleted near its own, and each such statement makes a change to follow: following at once would
   * cost more than the statement.
   */
  #isPressing({ session, shape, tablets, share }: HotRequest): boolean {
    if (!shape.rowPositions) return true;
    const resident = this.#residentTableFor(session, residentTableKey(shape.table.id, share));
    const missing = tablets.filter(({ tablet }) => resident?.parts.has(tablet.id) !== true);
    const rows = missing.reduce((sum, { tablet }) => sum + tablet.rows, 0);
    return missing.length > FEW_TABLETS || rows > FEW_ROWS;
  }

  async forget(tablets: readonly Tablet[]): Promise<void> {
    const ids = new Map<ObjectId, Set<TabletId>>();
    for (const { tableId, id } of tablets) {
      const ofTable = ids.get(tableId) ?? new Set();
      ids.set(tableId, ofTable.add(id));
    }
    const keys = [...ids].flatMap(([tableId, gone]) => keysOf(tableId).map((key) => [key, gone] as const));
    for (const [key, gone] of keys) {
      this.#demands.get(key)?.forget(gone);
      const resident = this.#residentTables.get(key);
      const parts = [...gone]
        .map((id) => resident?.parts.get(id))
        .filter((part) => part !== undefined)
        .filter((part) => !part.removed);
      if (resident !== undefined && parts.length > 0) await this.#remove(resident, parts);
      if (!this.#residentTables.has(key)) this.#demands.delete(key);
    }
  }

  /** Evicts what the eviction limits demand. */
  async evict(): Promise<void> {
    const hot = this.#hotTablets();
    if (hot.length === 0) return;
    await this.#letGo(tabletsToEvict(hot, await this.#memory(), this.#o.limits, this.#o.now()));
  }

  #hotTablets(): HotTablet<HotPart>[] {
    return [...this.#current()].flatMap((resident) =>
      resident.liveParts().map((part) => ({
        id: { resident, part },
        bytes: (resident.bytes * part.tablet.rows) / resident.nextPosition,
        lastUsedMs: resident.lastUse(part),
      })),
    );
  }

  async #letGo(evicted: readonly HotPart[]): Promise<void> {
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
  resident(): readonly RememberedTable[] {
    const nowMs = this.#o.now();
    const found: { usedMs: number; table: RememberedTable }[] = [];
    for (const resident of this.#current()) {
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

  /** Resolves with true in a pause between scans, or with false when the tier is closed. */
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
    if (contents === undefined || this.#residentTables.has(key)) {
      contents?.release();
      return 0;
    }
    try {
      const { table, version, tablets } = contents;
      const demand = this.#demands.get(key) ?? new TableDemand(key, table);
      this.#demands.set(key, demand);
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
    return this.#residentTables.get(key)?.parts.size ?? 0;
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

  /** The resident tables of the current kernel process. */
  #current(): Iterable<ResidentTable> {
    this.#noticeProcess(this.#o.kernel.processId);
    return this.#residentTables.values();
  }

  #noticeProcess(processId: string | undefined): void {
    if (processId === undefined || processId === this.#processId) return;
    this.#processId = processId;
    this.#residentTables.clear();
  }

  #residentTableFor(session: KernelSession, key: ResidentTableKey): ResidentTable | undefined {
    this.#noticeProcess(this.#o.kernel.processId);
    return session.processId === this.#processId ? this.#residentTables.get(key) : undefined;
  }

  #usable({ session, shape, share }: HotRequest): ResidentTable | undefined {
    const resident = this.#residentTableFor(session, residentTableKey(shape.table.id, share));
    const columns = shape.table.columns.filter((c) => shape.read.has(c.id));
    return resident?.holds(columns) ? resident : undefined;
  }

  #follow(demand: TableDemand, isPressing: boolean): void {
    const { key } = demand;
    const nowMs = this.#o.now();
    const resident = this.#residentTables.get(key);
    const desired = demand.desired(nowMs);
    if (isPressing && this.#changing.has(key)) this.#behind.add(key);
    if (this.#closed || this.#changing.has(key) || nowMs < demand.blockedUntilMs) return;
    const builds = resident === undefined || !resident.holds(desired.columns);
    if (builds ? desired.tablets.length === 0 : isReached(resident, desired)) return;
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
      const resident = this.#residentTables.get(key);
      if (resident === undefined || !resident.holds(desired.columns) || isWorn(resident)) {
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
      this.#noticeProcess(session.processId);
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
    const before = this.#residentTables.get(key);
    const memory = await this.#memory();
    const coming = { bytes: estimatedMemory(desired, desired.tablets), tablets: desired.tablets.length };
    if (await this.#makesPlace(memory, coming, before, 0)) return;
    let room = this.#room(memory, before);
    if (before !== undefined && (room.bytes < coming.bytes || room.tablets < coming.tablets)) {
      this.#residentTables.delete(key);
      await this.#quiet(before);
      await dropResidentTable(session, before);
      room = { ...room, bytes: room.bytes + before.bytes };
    }
    const built = await this.#worker.build(session, key, desired, room);
    if (built?.isComplete !== true) demand.blockedUntilMs = this.#o.now() + RETRY_MS;
    if (built === undefined || session.processId !== this.#processId) return;
    const replaced = this.#residentTables.get(key);
    this.#residentTables.set(key, built.resident);
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
      this.#residentTables.delete(resident.key);
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
    if (this.#residentTables.get(resident.key) !== resident) return;
    if (parts.length === resident.liveParts().length) {
      this.#residentTables.delete(resident.key);
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
    const processId = this.#processId;
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
    this.#residentTables.delete(resident.key);
    this.#warn('A table in memory was given up', error);
  }

  #isCurrent(resident: ResidentTable, session: KernelSession): boolean {
    return this.#residentTables.get(resident.key) === resident && session.processId === this.#processId;
  }

  /** The room that remains beside the existing resident tables, not counting the one to be replaced. */
  #room(memory: MemoryState, replaced?: ResidentTable): Room {
    const { limits } = this.#o;
    const others = this.tablets - (replaced?.parts.size ?? 0);
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
    const among = this.#hotTablets().filter(({ id }) => id.resident !== own);
    const displaced = tabletsToDisplace(
      among,
      memory,
      { ...limits, maxTablets: limits.maxTablets - present },
      coming,
      this.#o.now(),
    );
    await this.#letGo(displaced);
    return displaced.length > 0;
  }

  async #memory(): Promise<MemoryState> {
    const { usedBytes } = await this.#o.kernel.memory();
    return { usedBytes, totalBytes: this.#o.memoryLimitBytes };
  }
}

const versionOf = ({ contentsVersion: version, share }: HotRequest) => ({ version, share });

/**
 * Whether a scan does not need what the desired table lacks. A tablet may leave a share of the table and come
 * back.
 */
function isWithout({ version, share }: ResidentTableUse, desired: Desired): boolean {
  if (version === undefined || share !== desired.share) return false;
  return share === undefined ? version >= desired.version! : version === desired.version;
}

function isReached(resident: ResidentTable, desired: Desired): boolean {
  if (isWorn(resident)) return false;
  if (desired.version !== undefined) {
    return (
      resident.exactAt !== undefined &&
      resident.exactAt >= desired.version &&
      resident.share === desired.share
    );
  }
  return desired.tablets.every((scan) => resident.parts.has(scan.tablet.id));
}

const isWorn = (resident: ResidentTable): boolean =>
  resident.nextOrdinal > WORN_ORDINALS + 4 * resident.parts.size;
