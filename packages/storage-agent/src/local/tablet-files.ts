import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tablet, TabletId } from '@tessera/catalog';
import { cancellation, TesseraError } from '@tessera/common';
import type { KernelLog } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import { chunksOf, type FetchRange, type HybridHeader, rangesOver, readHeader } from '@tessera/tablet';
import { tabletEvictions } from '../eviction/tablet-evictions.ts';
import type { ObjectRange, PeerTablets } from '../storage-agent.ts';
import { chunkKey } from './chunk-set.ts';
import { bytesToMakeRoom, type DiskSpace, diskSpaceOf, fitsAtAll } from './disk-room.ts';
import { FoundFiles } from './found-files.ts';
import type { LocalTablet, TabletNeed } from './local-tablets.ts';
import { damageIn, damageOf, headerOrReason } from './object-checks.ts';
import { ObjectReader } from './object-reader.ts';
import { Slots, withSignal } from './slots.ts';
import { LocalFileError, TabletFile } from './tablet-file.ts';

export interface TabletFilesOptions {
  readonly store: ObjectStore;
  /** Owned by this class. Files of an earlier run are reused. */
  readonly directory: string;
  /** The names of files in the directory that belong to others. */
  readonly otherFiles: readonly string[];
  readonly log: KernelLog;
  now(): number;
  readonly diskSpace?: (directory: string) => Promise<DiskSpace>;
}

/**
 * A request to a distant store takes tens of milliseconds, most of which is waiting. With 64 requests at a time, chunks of
 * some hundred KiB arrive as fast as the network permits.
 */
const FETCHES_AT_ONCE = 64;
/** The limit of the memory that the answers of these requests take. */
const FETCHED_BYTES_AT_ONCE = 256 * 2 ** 20;
/** The size of the messages in which another node gets a range. */
const PIECE_BYTES = 1 << 20;
const SAVE_DELAY_MS = 500;
/**
 * Statements on single rows make a tablet each, which is soon merged with others. Its file is read once, when the resident table
 * takes the row. At some hundred statements per second, each second of files takes a megabyte of disk and of memory.
 */
const INLINE_UNUSED_MS = 10_000;
/** The maximum number of headers in memory; others are read from their files again. */
const MAX_HEADERS = 4_096;
/** A smaller object is always fetched whole: a second request would cost more than its bytes. */
const SMALL_OBJECT_BYTES = 128 * 1024;

/** The tablets that are on local disk, completely or in part. */
export class TabletFiles {
  readonly #o: TabletFilesOptions;
  readonly #objects: ObjectReader;
  readonly #files = new Map<TabletId, Promise<TabletFile>>();
  readonly #open = new Map<TabletId, TabletFile>();
  readonly #found: FoundFiles;
  readonly #headers = new Map<TabletFile, Promise<HybridHeader>>();
  readonly #unsaved = new Set<TabletFile>();
  readonly #slots = new Slots(FETCHES_AT_ONCE, FETCHED_BYTES_AT_ONCE);
  #saving: NodeJS.Timeout | undefined;
  #saved: Promise<void> = Promise.resolve();
  #names = 0;
  hits = 0;
  misses = 0;

  constructor(options: TabletFilesOptions) {
    this.#o = options;
    this.#objects = new ObjectReader(options.store);
    this.#found = new FoundFiles(options.directory, new Set(options.otherFiles), options.log);
  }

  /** Finds the files of an earlier run and removes incomplete ones. */
  async open(): Promise<void> {
    await this.#found.open();
    this.#names = Date.now();
  }

  get tablets(): number {
    return this.#open.size;
  }

  get bytesOnDisk(): number {
    let bytes = 0;
    for (const file of this.#open.values()) bytes += file.filledBytes;
    return bytes;
  }

  get bytesFetched(): number {
    return this.#objects.bytesFetched;
  }

  get bytesFromPeers(): number {
    return this.#objects.bytesFromPeers;
  }

  get corruptRefetches(): number {
    return this.#objects.corruptRefetches;
  }

  /**
   * Makes the tablet readable and keeps it until it is released.
   * @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE, OBJECT_NOT_FOUND, DISK_FULL, DISK_FAILED,
   * QUERY_CANCELLED
   */
  async acquire(need: TabletNeed, signal: AbortSignal): Promise<LocalTablet> {
    try {
      return await this.#acquire(need, signal);
    } catch (error) {
      if (!(error instanceof LocalFileError)) throw error;
    }
    // The directory was cleared or a sector is bad; a new file may work.
    try {
      return await this.#acquire(need, signal);
    } catch (error) {
      throw error instanceof LocalFileError ? localFailure(need.table.name, error) : error;
    }
  }

  async #acquire(need: TabletNeed, signal: AbortSignal): Promise<LocalTablet> {
    for (;;) {
      if (signal.aborted) throw cancellation(signal);
      const isNew = !this.#files.has(need.tablet.id) && !this.#found.has(need.tablet.id);
      const file = await this.#file(need, signal);
      if (this.#open.get(need.tablet.id) !== file) continue;
      file.uses++;
      file.lastUsedMs = this.#o.now();
      try {
        const { fetched, needed } = await this.#fill(file, need, signal);
        const bytesFetched = fetched + (isNew && need.tablet.inline === undefined ? file.bytesAtStart : 0);
        if (bytesFetched > 0) this.misses++;
        else this.hits++;
        return {
          path: file.path,
          isComplete: isComplete(file, need),
          bytesFetched,
          bytesCached: Math.max(0, needed - bytesFetched),
          bytesNeeded: needed,
          columnBytes: file.columnBytes,
          release: () => this.#release(file),
        };
      } catch (error) {
        this.#release(file);
        const isCorrupt = error instanceof TesseraError && error.name === 'CORRUPT_TABLET';
        if (isCorrupt || error instanceof LocalFileError) await this.#discard(file);
        throw error;
      }
    }
  }

  /** @throws TesseraError as `acquire` */
  async header(need: Pick<TabletNeed, 'table' | 'tablet'>, signal: AbortSignal): Promise<HybridHeader> {
    const known = this.#open.get(need.tablet.id)?.header;
    if (known !== undefined) return known;
    const local = await this.acquire({ ...need, columns: [] }, signal);
    try {
      const file = this.#open.get(need.tablet.id);
      // Another scan has discarded the file in between.
      if (file === undefined) return await this.header(need, signal);
      return await this.#header(file, need.tablet);
    } finally {
      local.release();
    }
  }

  /**
   * Adopts a file that holds the whole tablet. If the store keeps the object as a local file, the given file
   * is not needed.
   */
  async adopt(tablet: Tablet, path: string): Promise<void> {
    if (this.#files.has(tablet.id)) return;
    const own = this.#newPath(tablet.id);
    const adopting = (async () => {
      const linked = tablet.key === undefined ? undefined : await this.#linkedFile(tablet);
      if (linked !== undefined) {
        await rm(path, { force: true });
        return this.#opened(linked);
      }
      await rename(path, own).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error;
        await copyFile(path, own);
        await rm(path);
      });
      const file = new TabletFile(tablet.id, own, tablet.bytes, 'whole');
      file.isInline = tablet.inline !== undefined;
      return this.#opened(file);
    })();
    this.#files.set(tablet.id, adopting);
    adopting.catch(() => this.#files.delete(tablet.id));
    const file = await adopting;
    if (!file.isInline && file.kind === 'whole') this.#saveLater(file);
  }

  /** Removes the files of tablets. A file that a scan still reads is removed when the scan ends. */
  async remove(tablets: readonly Pick<Tablet, 'id'>[]): Promise<void> {
    for (const { id } of tablets) {
      await this.#found.remove(id);
      const file = this.#open.get(id);
      if (file !== undefined) await this.#discard(file);
    }
  }

  /** Removes files that no scan has used for this long. Those of tablets that the catalog has are removed after ten seconds. */
  async expire(unusedMs: number): Promise<void> {
    const nowMs = this.#o.now();
    for (const file of [...this.#open.values()]) {
      const limitMs = file.isInline ? Math.min(unusedMs, INLINE_UNUSED_MS) : unusedMs;
      if (file.uses > 0 || nowMs - file.lastUsedMs < limitMs) continue;
      await this.#discard(file);
      tabletEvictions.emit({ from: 'disk', tablets: 1 });
    }
  }

  readFrom(peers: PeerTablets): void {
    this.#objects.peers = peers;
  }

  bytesOf(id: TabletId): number {
    return this.#open.get(id)?.filledBytes ?? this.#found.bytesOf(id);
  }

  /** The bytes of a range, or nothing unless all that is wanted of it is present. */
  async *localRange(id: TabletId, range: ObjectRange): AsyncGenerator<Uint8Array, void> {
    const open = this.#open.get(id);
    const file = open ?? (await this.#found.peek(id));
    if (file === undefined || !file.contains(range)) return;
    if (open !== undefined) open.uses++;
    try {
      const end = range.offset + range.bytes;
      for (let from = range.offset; from < end; from += PIECE_BYTES)
        yield await file.read(from, Math.min(PIECE_BYTES, end - from));
    } finally {
      if (open !== undefined) this.#release(open);
    }
  }

  /** Resolves when all present data would survive a crash of the machine. */
  async save(): Promise<void> {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const files = [...this.#unsaved];
    this.#unsaved.clear();
    this.#saved = this.#saved.then(async () => {
      for (const file of files) {
        if (this.#open.get(file.id) !== file) continue;
        await file
          .save()
          .catch((error) =>
            this.#o.log.warn(
              { error: String(error) },
              'a cached tablet could not be written to disk durably',
            ),
          );
      }
    });
    await this.#saved;
  }

  close(): Promise<void> {
    return this.save();
  }

  async #file(need: TabletNeed, signal: AbortSignal): Promise<TabletFile> {
    const { id } = need.tablet;
    for (;;) {
      let opening = this.#files.get(id);
      const isOurs = opening === undefined;
      if (opening === undefined) {
        opening = this.#openFile(need, signal).then((file) => this.#opened(file));
        this.#files.set(id, opening);
        const failed = opening;
        opening.catch(() => this.#files.get(id) === failed && this.#files.delete(id));
      }
      try {
        return await withSignal(opening, signal);
      } catch (error) {
        // The failure belongs to another scan, which may have been cancelled, so this scan tries again.
        if (isOurs || signal.aborted) throw error;
      }
    }
  }

  #opened(file: TabletFile): TabletFile {
    file.lastUsedMs = this.#o.now();
    this.#open.set(file.id, file);
    return file;
  }

  async #openFile(need: TabletNeed, signal: AbortSignal): Promise<TabletFile> {
    const { tablet } = need;
    const found = await this.#found.take(tablet, (file) => this.#header(file, tablet));
    if (found !== undefined) return found;
    if (tablet.inline !== undefined) return this.#wholeFile(need, Buffer.from(tablet.inline, 'base64'));
    const linked = await this.#linkedFile(tablet);
    if (linked !== undefined) return linked;
    if (tablet.layout !== 'wide' || tablet.bytes <= SMALL_OBJECT_BYTES) {
      const body = await this.#slots.run(tablet.bytes, () => this.#wholeObject(need, signal));
      return this.#wholeFile(need, body);
    }
    const tailBytes = tablet.bytes - tablet.headerOffset;
    let header: HybridHeader | undefined;
    const check = async (body: Uint8Array) => {
      const read = await headerOrReason(body, tablet);
      if (typeof read === 'string') return read;
      header = read;
      return undefined;
    };
    const tail = await this.#slots.run(tailBytes, () =>
      this.#objects.range(need, { offset: tablet.headerOffset, bytes: tailBytes, chunks: [] }, check, signal),
    );
    const path = this.#newPath(tablet.id);
    const file = await this.#writing(need, tailBytes, () =>
      TabletFile.sparse(tablet.id, path, tablet.bytes, tail),
    );
    file.header = header;
    file.bytesAtStart = tailBytes;
    return file;
  }

  /** A link to the object, if the store keeps objects as files on the same file system. */
  async #linkedFile(tablet: Tablet): Promise<TabletFile | undefined> {
    const target = this.#objects.localPath(tablet.key!);
    if (target === undefined) return undefined;
    try {
      if ((await stat(target)).size !== tablet.bytes) return undefined;
      return await TabletFile.linked(tablet.id, this.#newPath(tablet.id), tablet.bytes, target);
    } catch {
      // The object is on another file system or missing; reading it through the store will show which.
      return undefined;
    }
  }

  async #wholeObject(need: TabletNeed, signal: AbortSignal): Promise<Uint8Array> {
    const { tablet } = need;
    const check = async (body: Uint8Array) => {
      const header = await headerOrReason(body.subarray(tablet.headerOffset), tablet);
      return typeof header === 'string' ? header : damageIn(header, body);
    };
    return this.#objects.range(need, { offset: 0, bytes: tablet.bytes, chunks: [] }, check, signal);
  }

  async #wholeFile(need: TabletNeed, body: Uint8Array): Promise<TabletFile> {
    const { tablet } = need;
    const path = this.#newPath(tablet.id);
    const file = await this.#writing(need, body.length, () => TabletFile.whole(tablet.id, path, body));
    file.bytesAtStart = body.length;
    file.isInline = tablet.inline !== undefined;
    if (!file.isInline) this.#saveLater(file);
    return file;
  }

  /** Fetches the missing chunks and waits for those that other scans fetch. */
  async #fill(
    file: TabletFile,
    need: TabletNeed,
    signal: AbortSignal,
  ): Promise<{ fetched: number; needed: number }> {
    const columns = storedColumns(need);
    if (file.columnBytes.size > 0 && need.granules === undefined && isComplete(file, need)) {
      return { fetched: 0, needed: columns.reduce((sum, id) => sum + (file.columnBytes.get(id) ?? 0), 0) };
    }
    const chunks = chunksOf(await this.#header(file, need.tablet), columns, need.granules);
    const needed = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    if (file.kind === 'whole') return { fetched: 0, needed };
    let fetched = 0;
    for (;;) {
      const missing = chunks.filter((c) => !file.chunks.has(c.column, c.granule));
      if (missing.length === 0) return { fetched, needed };
      const others = missing.map((c) => file.underWay.get(chunkKey(c))).filter((p) => p !== undefined);
      const ranges = rangesOver(missing.filter((c) => !file.underWay.has(chunkKey(c))));
      const bytes = ranges.reduce((sum, range) => sum + range.bytes, 0);
      const own = ranges.map((range) => this.#fetch(file, need, range, signal));
      const results = await Promise.allSettled(own);
      const failure = results.find((r) => r.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      fetched += bytes;
      // If those fetches failed, their chunks are still missing afterwards.
      await withSignal(Promise.allSettled(others), signal);
    }
  }

  #fetch(file: TabletFile, need: TabletNeed, range: FetchRange, signal: AbortSignal): Promise<void> {
    const fetching = this.#slots.run(range.bytes, async () => {
      if (signal.aborted) throw cancellation(signal);
      const check = async (body: Uint8Array) => damageOf(range, body);
      if (file.kind === 'link') {
        const read = () => file.read(range.offset, range.bytes);
        await this.#objects.checked(need, read, check);
      } else {
        const body = await this.#objects.range(need, range, check, signal);
        await this.#writing(need, body.length, () => file.fill(range.offset, body));
      }
      for (const chunk of range.chunks) file.chunks.add(chunk);
      if (file.kind !== 'link') this.#saveLater(file);
    });
    for (const chunk of range.chunks) file.underWay.set(chunkKey(chunk), fetching);
    const done = () => {
      for (const chunk of range.chunks) file.underWay.delete(chunkKey(chunk));
    };
    fetching.then(done, done);
    return fetching;
  }

  /** The header of a file whose tail is present. */
  #header(file: TabletFile, tablet: Tablet): Promise<HybridHeader> {
    const known = this.#headers.get(file);
    this.#headers.delete(file);
    const reading = known ?? this.#readHeader(file, tablet);
    this.#headers.set(file, reading);
    reading.catch(() => this.#headers.delete(file));
    for (const old of this.#headers.keys()) {
      if (this.#headers.size <= MAX_HEADERS) break;
      this.#headers.delete(old);
      old.header = undefined;
    }
    return reading;
  }

  async #readHeader(file: TabletFile, tablet: Tablet): Promise<HybridHeader> {
    const header =
      file.header ??
      (await readHeader(await file.read(tablet.headerOffset, tablet.bytes - tablet.headerOffset), tablet));
    file.header = header;
    for (const column of header.columns) {
      file.columnBytes.set(
        column.id,
        column.granules.reduce((sum, granule) => sum + granule.bytes, 0),
      );
    }
    return header;
  }

  /** Writes to the disk. Makes room before, and tries once more if the disk is full. */
  async #writing<T>({ table }: TabletNeed, bytes: number, write: () => Promise<T>): Promise<T> {
    await this.#makeRoom(bytesToMakeRoom(await this.#space(), bytes));
    if (!fitsAtAll(await this.#space(), bytes)) throw diskFull(table.name);
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof LocalFileError && error.isOutOfSpace)) throw error;
    }
    await this.#makeRoom(Number.POSITIVE_INFINITY);
    return write();
  }

  #space(): Promise<DiskSpace> {
    const space = this.#o.diskSpace ?? diskSpaceOf;
    return space(this.#o.directory).catch((error) => {
      throw new LocalFileError(error);
    });
  }

  /** Removes files that no scan uses, least recently used first. */
  async #makeRoom(bytes: number): Promise<void> {
    if (bytes <= 0) return;
    let room = await this.#found.free(bytes);
    const unused = [...this.#open.values()].filter((file) => file.uses === 0 && file.kind !== 'link');
    for (const file of unused.sort((a, b) => a.lastUsedMs - b.lastUsedMs)) {
      if (room >= bytes) return;
      room += file.filledBytes;
      await this.#discard(file);
      tabletEvictions.emit({ from: 'disk', tablets: 1 });
    }
  }

  #release(file: TabletFile): void {
    file.uses--;
    file.lastUsedMs = this.#o.now();
    if (file.uses === 0 && this.#open.get(file.id) !== file) void file.remove().catch(() => undefined);
  }

  /** Withdraws a file from new scans and removes it after its last use. */
  async #discard(file: TabletFile): Promise<void> {
    if (this.#open.get(file.id) !== file) return;
    this.#open.delete(file.id);
    this.#files.delete(file.id);
    this.#headers.delete(file);
    this.#unsaved.delete(file);
    if (file.uses === 0) await file.remove().catch(() => undefined);
  }

  #saveLater(file: TabletFile): void {
    this.#unsaved.add(file);
    this.#saving ??= setTimeout(() => void this.save(), SAVE_DELAY_MS).unref();
  }

  /** A path that was never used before, because a withdrawn file may still be in use. */
  #newPath(id: TabletId): string {
    return join(this.#o.directory, `${id}-${(this.#names++).toString(36)}.parquet`);
  }
}

/** The needed columns that the tablet has. */
function storedColumns({ table, tablet, columns }: TabletNeed): number[] {
  const wanted = new Set(columns);
  return table.columns
    .filter((column) => wanted.has(column.id) && column.since <= tablet.schemaVersion)
    .map((column) => column.id);
}

const isComplete = (file: TabletFile, need: TabletNeed): boolean =>
  file.kind === 'whole' || storedColumns(need).every((id) => file.chunks.count(id) === need.tablet.granules);

const diskFull = (table: string) => TesseraError.of('DISK_FULL', { what: `the tablets of table ${table}` });

const localFailure = (table: string, cause: LocalFileError) =>
  cause.isOutOfSpace
    ? diskFull(table)
    : TesseraError.of(
        'DISK_FAILED',
        { what: `the tablets of table ${table}`, reason: cause.message },
        { cause },
      );
