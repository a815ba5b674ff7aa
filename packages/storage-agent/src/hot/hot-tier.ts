import type { ObjectId, Tablet, TabletId } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import { type EvictionLimits, roomForTablets, tabletsToEvict } from '../eviction/eviction-policy.ts';
import type { LocalTablet, TabletNeed } from '../local/local-tablets.ts';
import type { RelationShape } from '../scan/relation-sql.ts';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { vectorIdentity } from '../scan/vector-identity.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { type Cover, partialCover, wholeCover } from './cover.ts';
import { Image, type ImagePart, type ImageUse } from './image.ts';
import { changeTowards, type Deletion, positionsToDelete } from './image-change.ts';
import {
  appendTablets,
  compactImages,
  createImage,
  deletePositions,
  dropImage,
  tableMemory,
} from './image-loader.ts';
import { type Desired, type TableContents, TableDemand } from './table-demand.ts';
import { WorkQueue } from './work-queue.ts';

export interface HotTierOptions {
  readonly kernel: Kernel;
  readonly memoryLimitBytes: number;
  readonly limits: EvictionLimits;
  readonly log: KernelLog;
  now(): number;
  /** Makes a tablet readable. */
  acquire(need: TabletNeed): Promise<LocalTablet>;
  deletedRows(scan: ScanTablet): Promise<readonly RowRange[]>;
}

/** A scan as the hot tier sees it. */
export interface HotRequest {
  readonly session: KernelSession;
  readonly shape: RelationShape;
  readonly tablets: readonly ScanTablet[];
  /** Of the table at the scan's snapshot; undefined where the scan does not know. */
  readonly contentsVersion: number | undefined;
}

export interface HotScan extends Cover {
  readonly isWhole: boolean;
  release(): void;
}

/** A build waits until no scan ran for a while, which may also want more columns; but not for ever. */
const BUILD_PAUSE_MS = 200;
const BUILD_DELAY_MS = 10_000;
/** A change is small: it only lets the scan go first that wants it. */
const CHANGE_DELAY_MS = 20;
const RETRY_MS = 30_000;
/** Loaded at one go; then the scans' memory is given back by compression. */
const GROUP_BYTES = 512 << 20;
const GROUP_TABLETS = 128;
/** An image whose ordinals have run so far ahead of its parts is built anew. */
const WORN_ORDINALS = 1_024;

/** Native tables of the kernel that hold what is read often. They live and end with one kernel process. */
export class HotTier {
  readonly #o: HotTierOptions;
  readonly #images = new Map<ObjectId, Image>();
  readonly #demands = new Map<ObjectId, TableDemand>();
  readonly #scheduled = new Map<ObjectId, NodeJS.Timeout>();
  /** Tables whose image waits for scans to end, to be changed. */
  readonly #changing = new Set<ObjectId>();
  readonly #work = new Set<Promise<void>>();
  readonly #queue = new WorkQueue();
  #processId: string | undefined;
  #scans = 0;
  #scanEndedAt = 0;
  #closed = false;
  readonly #closing = Promise.withResolvers<void>();

  constructor(options: HotTierOptions) {
    this.#o = options;
  }

  get tablets(): number {
    let tablets = 0;
    for (const image of this.#current()) tablets += image.parts.size;
    return tablets;
  }

  get bytes(): number {
    let bytes = 0;
    for (const image of this.#current()) bytes += image.bytes;
    return bytes;
  }

  get pending(): number {
    return this.#scheduled.size + this.#work.size;
  }

  /** A scan may run from here on, until it tells that it has ended. */
  scanBegins(): () => void {
    this.#scans++;
    return () => {
      this.#scans--;
      this.#scanEndedAt = performance.now();
    };
  }

  /** Whether a scan of the columns would be served from memory, whatever it needs of the table. */
  holds(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean {
    const image = this.#imageFor(session, tableId);
    return image?.exactAt === contentsVersion && columns.every((id) => image.columns.has(id));
  }

  /** The whole image, if it holds exactly the contents that the scan reads. */
  whole(request: HotRequest): HotScan | undefined {
    const image = this.#usable(request);
    if (image?.exactAt === undefined || image.exactAt !== request.contentsVersion) return undefined;
    image.lastUsedMs = this.#o.now();
    const { release } = image.use(true, request.contentsVersion);
    const sql = wholeCover(image, request.shape, request.tablets);
    return { isWhole: true, sql, tablets: new Set(request.tablets.keys()), release };
  }

  /** What an image of other contents has of the tablets. */
  partial(request: HotRequest, deleted: ReadonlyMap<number, readonly RowRange[]>): HotScan | undefined {
    const image = this.#usable(request);
    const cover = image && partialCover(image, request.shape, request.tablets, deleted);
    if (image === undefined || cover === undefined) return undefined;
    const nowMs = this.#o.now();
    for (const position of cover.tablets) {
      image.parts.get(request.tablets[position]!.tablet.id)!.lastUsedMs = nowMs;
    }
    const { release } = image.use(false, request.contentsVersion);
    return { ...cover, isWhole: false, release };
  }

  /** Tells what a scan read, so that the next one finds it in memory. */
  want(request: HotRequest, contents: TableContents | undefined, isWhole: boolean): void {
    if (this.#closed || request.session.processId !== this.#o.kernel.processId) return;
    const { table, read } = request.shape;
    let demand = this.#demands.get(table.id);
    if (demand === undefined) {
      demand = new TableDemand(table);
      this.#demands.set(table.id, demand);
    }
    demand.note({
      table,
      columns: read,
      tablets: request.tablets,
      contents,
      isWhole,
      nowMs: this.#o.now(),
    });
    this.#schedule(demand);
  }

  async forget(tablets: readonly Tablet[]): Promise<void> {
    const ids = new Map<ObjectId, Set<TabletId>>();
    for (const { tableId, id } of tablets) {
      const ofTable = ids.get(tableId) ?? new Set();
      ids.set(tableId, ofTable.add(id));
    }
    for (const [tableId, gone] of ids) {
      this.#demands.get(tableId)?.forget(gone);
      const image = this.#images.get(tableId);
      const parts = [...gone].map((id) => image?.parts.get(id)).filter((part) => part !== undefined);
      if (image !== undefined && parts.length > 0) await this.#remove(image, parts);
    }
  }

  /** Lets go what the eviction limits say. */
  async evict(): Promise<void> {
    const images = [...this.#current()];
    if (images.length === 0) return;
    const memory = await this.#memory();
    const hot = images.flatMap((image) =>
      [...image.parts.values()].map((part) => ({
        id: { image, part },
        bytes: (image.bytes * part.tablet.rows) / image.nextPosition,
        lastUsedMs: image.lastUse(part),
      })),
    );
    const evicted = Map.groupBy(tabletsToEvict(hot, memory, this.#o.limits, this.#o.now()), (id) => id.image);
    for (const [image, parts] of evicted) {
      this.#demands.get(image.tableId)?.reset(this.#o.now() + RETRY_MS);
      await this.#remove(
        image,
        parts.map((p) => p.part),
      );
    }
  }

  /** Resolves when nothing is being loaded or waits for it. */
  async settled(): Promise<void> {
    while (this.pending > 0) {
      for (const [tableId, timer] of this.#scheduled) {
        clearTimeout(timer);
        this.#start(tableId);
      }
      await Promise.all(this.#work);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve();
    for (const timer of this.#scheduled.values()) clearTimeout(timer);
    this.#scheduled.clear();
    await Promise.all(this.#work);
  }

  /** Images of the process that is there now. */
  #current(): Iterable<Image> {
    this.#noticeProcess(this.#o.kernel.processId);
    return this.#images.values();
  }

  #noticeProcess(processId: string | undefined): void {
    if (processId === undefined || processId === this.#processId) return;
    this.#processId = processId;
    this.#images.clear();
  }

  #imageFor(session: KernelSession, tableId: ObjectId): Image | undefined {
    this.#noticeProcess(this.#o.kernel.processId);
    return session.processId === this.#processId ? this.#images.get(tableId) : undefined;
  }

  #usable({ session, shape }: HotRequest): Image | undefined {
    const image = this.#imageFor(session, shape.table.id);
    const columns = shape.table.columns.filter((c) => shape.read.has(c.id));
    return image?.holds(columns) ? image : undefined;
  }

  #schedule(demand: TableDemand): void {
    const { id } = demand.table;
    const nowMs = this.#o.now();
    const image = this.#images.get(id);
    const desired = demand.desired(nowMs);
    if (this.#closed || this.#changing.has(id) || nowMs < demand.blockedUntilMs) return;
    const builds = image === undefined || !image.holds(desired.columns);
    if (builds ? desired.tablets.length === 0 : isReached(image, desired)) return;
    if (this.#scheduled.has(id)) return;
    const start = () => this.#start(id);
    if (!builds) {
      this.#scheduled.set(id, setTimeout(start, CHANGE_DELAY_MS));
      return;
    }
    const latest = performance.now() + BUILD_DELAY_MS;
    const startInPause = () => {
      const pausedMs = this.#scans > 0 ? 0 : performance.now() - this.#scanEndedAt;
      if (pausedMs >= BUILD_PAUSE_MS || performance.now() >= latest) start();
      else this.#scheduled.set(id, setTimeout(startInPause, BUILD_PAUSE_MS - pausedMs));
    };
    this.#scheduled.set(id, setTimeout(startInPause, BUILD_PAUSE_MS));
  }

  #start(tableId: ObjectId): void {
    this.#scheduled.delete(tableId);
    const demand = this.#demands.get(tableId);
    if (demand !== undefined) this.#track(this.#advance(demand));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #advance(demand: TableDemand): Promise<void> {
    const { id } = demand.table;
    if (this.#changing.has(id)) return;
    this.#changing.add(id);
    try {
      const desired = demand.desired(this.#o.now());
      const image = this.#images.get(id);
      if (image === undefined || !image.holds(desired.columns) || isWorn(image)) {
        await this.#queue.run(() => this.#withSession((session) => this.#build(session, demand, desired)));
      } else {
        await this.#change(image, demand, desired);
      }
    } catch (error) {
      demand.blockedUntilMs = this.#o.now() + RETRY_MS;
      this.#o.log.warn(
        { table: demand.table.name, error: String(error) },
        'A table was not loaded into memory',
      );
    } finally {
      this.#changing.delete(id);
    }
    // What was wanted may have changed meanwhile.
    if (this.#demands.get(id) === demand) this.#schedule(demand);
  }

  async #withSession(work: (session: KernelSession) => Promise<void>): Promise<void> {
    const session = await this.#o.kernel.session();
    try {
      this.#noticeProcess(session.processId);
      await work(session);
    } finally {
      await session.close();
    }
  }

  /** A new image; the one before serves until it is there. */
  async #build(session: KernelSession, demand: TableDemand, desired: Desired): Promise<void> {
    if (desired.tablets.length === 0) return;
    const { id } = desired.table;
    const before = this.#images.get(id);
    const room = roomForTablets(await this.#memory(), this.#o.limits);
    const fits = (bytes: number) => within(desired, desired.tablets, bytes, this.#roomForCount(before));
    let tablets = fits(room);
    if (before !== undefined && tablets.length < desired.tablets.length) {
      this.#images.delete(id);
      await this.#drop(session, before);
      tablets = fits(room + before.bytes);
    }
    if (tablets.length === 0) {
      demand.blockedUntilMs = this.#o.now() + RETRY_MS;
      return;
    }
    const used = await tableMemory(session);
    const image = new Image(`i_${newUlid().toLowerCase()}`, id, desired.columns, this.#o.now());
    try {
      await createImage(session, image);
      await this.#append(session, image, desired, tablets);
      await compactImages(session);
    } catch (error) {
      await dropImage(session, image).catch(() => undefined);
      throw error;
    }
    image.bytes = Math.max(0, (await tableMemory(session)) - used);
    if (tablets.length === desired.tablets.length) image.exactAt = desired.version;
    else demand.blockedUntilMs = this.#o.now() + RETRY_MS;
    if (session.processId !== this.#processId) return;
    this.#images.set(id, image);
    if (before !== undefined && tablets.length > 0) this.#track(this.#retire(before));
  }

  async #change(image: Image, demand: TableDemand, desired: Desired): Promise<void> {
    const change = changeTowards(image, desired);
    const shrunk = await Promise.all(
      change.shrink.map(async ({ part, scan }) => ({ part, scan, rows: await this.#o.deletedRows(scan) })),
    );
    // From here to the claims nothing is awaited: no scan is planned in between.
    const isChanged = change.append.length + change.remove.length + change.shrink.length > 0;
    if (!isChanged) {
      if (desired.version !== undefined) image.exactAt = desired.version;
      return;
    }
    image.exactAt = undefined;
    for (const part of change.remove) part.removed = true;
    for (const { part, scan, rows } of shrunk) {
      part.claimed = rows;
      part.claimedVector = vectorIdentity(scan.vector);
    }
    const deletions: Deletion[] = [
      ...change.remove.map((part) => ({ part, rows: 'all' as const })),
      ...shrunk.map(({ part, rows }) => ({ part, rows })),
    ];
    const needsDeleted = ({ version }: ImageUse) =>
      deletions.length > 0 && !(version !== undefined && version >= desired.version!);
    await this.#quiet(image, (use) => use.exact || needsDeleted(use));
    await this.#queue.run(() =>
      this.#withSession((session) => this.#apply(session, image, demand, desired, change.append, deletions)),
    );
  }

  async #apply(
    session: KernelSession,
    image: Image,
    demand: TableDemand,
    desired: Desired,
    append: readonly ScanTablet[],
    deletions: readonly Deletion[],
  ): Promise<void> {
    if (this.#images.get(image.tableId) !== image || session.processId !== this.#processId) return;
    const room = roomForTablets(await this.#memory(), this.#o.limits);
    const tablets = within(desired, append, room, this.#roomForCount(image));
    const used = await tableMemory(session);
    try {
      const gone = await applyDeletions(session, image, deletions);
      await this.#append(session, image, desired, tablets);
      if (gone * 10 > image.nextPosition || estimate(desired, tablets) > GROUP_BYTES / 8)
        await compactImages(session);
    } catch (error) {
      // What it holds is not known any more.
      this.#images.delete(image.tableId);
      this.#track(this.#retire(image));
      throw error;
    }
    image.bytes = Math.max(0, image.bytes + (await tableMemory(session)) - used);
    const isComplete = tablets.length === append.length;
    if (isComplete && image.parts.size === desired.tablets.length) image.exactAt = desired.version;
    if (!isComplete) demand.blockedUntilMs = this.#o.now() + RETRY_MS;
  }

  async #append(
    session: KernelSession,
    image: Image,
    desired: Desired,
    tablets: readonly ScanTablet[],
  ): Promise<void> {
    const columns = [...image.columns.keys()];
    for (const group of groups(desired, tablets)) {
      const deleted = await Promise.all(group.map((scan) => this.#o.deletedRows(scan)));
      const needs = group.map(({ tablet }) => ({ table: desired.table, tablet, columns }));
      const acquired = await Promise.allSettled(needs.map((need) => this.#o.acquire(need)));
      const locals = acquired.filter((result) => result.status === 'fulfilled').map((result) => result.value);
      try {
        const failure = acquired.find((result) => result.status === 'rejected');
        if (failure !== undefined) throw failure.reason;
        const loadable = group.map((scan, i) => ({
          tablet: scan.tablet,
          local: locals[i]!,
          deleted: deleted[i]!,
          vector: vectorIdentity(scan.vector),
        }));
        await appendTablets(session, image, loadable, this.#o.now());
      } finally {
        for (const local of locals) local.release();
      }
      if (estimate(desired, group) > GROUP_BYTES / 2) await compactImages(session);
    }
  }

  /** Takes parts out of an image: all of it at once when none is left. */
  async #remove(image: Image, parts: readonly ImagePart[]): Promise<void> {
    if (this.#images.get(image.tableId) !== image) return;
    if (parts.length === image.parts.size) {
      this.#images.delete(image.tableId);
      this.#track(this.#retire(image));
      return;
    }
    image.exactAt = undefined;
    for (const part of parts) part.removed = true;
    const deletions = parts.map((part) => ({ part, rows: 'all' as const }));
    this.#track(
      (async () => {
        await this.#quiet(image);
        await this.#queue.run(() =>
          this.#withSession(async (session) => {
            if (this.#images.get(image.tableId) !== image || session.processId !== this.#processId) return;
            const used = await tableMemory(session);
            await applyDeletions(session, image, deletions);
            await compactImages(session);
            image.bytes = Math.max(0, image.bytes + (await tableMemory(session)) - used);
          }),
        );
      })().catch((error) => this.#failed(image, error)),
    );
  }

  /** Of an image that no new scan uses. */
  async #retire(image: Image): Promise<void> {
    const processId = this.#processId;
    await this.#quiet(image)
      .then(() =>
        this.#queue.run(() =>
          this.#withSession(async (session) => {
            if (session.processId === processId) await dropImage(session, image);
          }),
        ),
      )
      .catch((error) => this.#o.log.warn({ error: String(error) }, 'A table in memory was not dropped'));
  }

  async #drop(session: KernelSession, image: Image): Promise<void> {
    await this.#quiet(image);
    await dropImage(session, image);
  }

  /** Waits for scans; not for those that outlive the agent. */
  async #quiet(image: Image, which?: (use: ImageUse) => boolean): Promise<void> {
    await Promise.race([image.quiet(which), this.#closing.promise]);
    if (this.#closed) throw new Error('the agent is closed');
  }

  #failed(image: Image, error: unknown): void {
    this.#images.delete(image.tableId);
    this.#o.log.warn({ error: String(error) }, 'A table in memory was given up');
  }

  #roomForCount(image: Image | undefined): number {
    return this.#o.limits.maxTablets - this.tablets + (image?.parts.size ?? 0);
  }

  async #memory() {
    const { usedBytes } = await this.#o.kernel.memory();
    return { usedBytes, totalBytes: this.#o.memoryLimitBytes };
  }
}

/** How many positions are gone. Every scan that could miss them has ended. */
async function applyDeletions(
  session: KernelSession,
  image: Image,
  deletions: readonly Deletion[],
): Promise<number> {
  const positions = positionsToDelete(deletions);
  await deletePositions(session, image, positions);
  for (const { part, rows } of deletions) {
    if (rows !== 'all') part.absent = rows;
    else if (image.parts.get(part.tablet.id) === part) image.parts.delete(part.tablet.id);
  }
  return rowsIn(positions);
}

function isReached(image: Image, desired: Desired): boolean {
  if (isWorn(image)) return false;
  if (desired.version !== undefined) return image.exactAt !== undefined && image.exactAt >= desired.version;
  return desired.tablets.every((scan) => image.parts.has(scan.tablet.id));
}

const isWorn = (image: Image): boolean => image.nextOrdinal > WORN_ORDINALS + 4 * image.parts.size;

/** The first of the tablets, as many as there is room for. */
function within(
  desired: Desired,
  tablets: readonly ScanTablet[],
  bytes: number,
  count: number,
): readonly ScanTablet[] {
  let room = bytes;
  const end = tablets.findIndex((scan, i) => {
    room -= estimate(desired, [scan]);
    return room < 0 || i >= count;
  });
  return end === -1 ? tablets : tablets.slice(0, end);
}

/** Memory that the columns of the tablets may take before they are compressed. */
function estimate(desired: Desired, tablets: readonly ScanTablet[]): number {
  const share = desired.columns.length / desired.table.columns.length;
  return tablets.reduce((sum, { tablet }) => sum + tablet.uncompressedBytes * share, 0);
}

function* groups(desired: Desired, tablets: readonly ScanTablet[]): Generator<ScanTablet[]> {
  let group: ScanTablet[] = [];
  let bytes = 0;
  for (const scan of tablets) {
    const more = estimate(desired, [scan]);
    if (group.length > 0 && (group.length === GROUP_TABLETS || bytes + more > GROUP_BYTES)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(scan);
    bytes += more;
  }
  if (group.length > 0) yield group;
}
