import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type Logger, startInterval, type Timer } from '@tessera/common';
import type { ObjectInfo, ObjectStore } from '@tessera/object-store';

/** The place of the histories of all nodes of a cluster. */
export interface HistoryPlace {
  readonly store: ObjectStore;
  /** The keys of the cluster begin with it: `history/<engine>/<cluster>/`. */
  readonly prefix: string;
  /** The index of this node in `engine.nodes`. */
  readonly node: number;
  readonly log: Logger;
}

export interface StoredHistoryOptions<T> {
  readonly kind: 'queries' | 'metrics';
  /** If undefined, the history lives in memory and ends with the process. */
  readonly place: HistoryPlace | undefined;
  /** How long a record may be in memory only, in milliseconds; a process that is killed loses as much. */
  readonly saveEveryMs: number;
  readonly timeOf: (record: T) => Date;
  /** The length of the record's text, in characters. */
  readonly lengthOf: (record: T) => number;
  /** Restores a record from its JSON, in which times are ISO 8601 texts. */
  readonly fromJson: (json: T) => T;
}

/** A segment that holds as many records, or as many characters of texts, is complete; a new one begins. */
const SEGMENT_RECORDS = 2_000;
const SEGMENT_CHARACTERS = 1_048_576;
/** The number of segments that each node keeps of a kind. */
const MAX_SEGMENTS = 100;
const MAX_AGE_DAYS = 7;
/** The newest records that a read returns, of all nodes together; also those that wait in memory for the store. */
const MAX_RECORDS = 20_000;
const MAX_CHARACTERS = 16_777_216;
const DAY_MS = 86_400_000;
const CONCURRENT_READS = 8;
/** How long the last save, when the node stops, may take. */
const LAST_SAVE_MS = 3_000;

const compressed = promisify(gzip);
const uncompressed = promisify(gunzip);

/**
 * Records that the nodes of a cluster append, such as their finished queries. Each node writes its records as segments,
 * objects of JSON lines beside the log. It replaces the segment in progress until that is complete. The history outlives
 * processes and nodes: any node reads the segments of all.
 */
export class StoredHistory<T extends object> {
  readonly #options: StoredHistoryOptions<T>;
  readonly #timer: Timer | undefined;
  /** The segments of other processes and the complete ones of this process, as last read. */
  readonly #read = new Map<string, { readonly etag: string; readonly records: WeakRef<readonly T[]> }>();
  /** The records of the segment in progress; the first of them also as lines of JSON. */
  #open: T[] = [];
  #lines: string[] = [];
  #characters = 0;
  #openKey: string | undefined;
  /** The position of the first record of `#open` among all records of this process, and of the first that is not stored. */
  #start = 0;
  #saved = 0;
  #saving: Promise<void> | undefined;

  constructor(options: StoredHistoryOptions<T>) {
    this.#options = options;
    if (options.place !== undefined)
      this.#timer = startInterval(() => void this.save(), options.saveEveryMs).unref();
  }

  add(record: T): void {
    this.#open.push(record);
    this.#characters += this.#options.lengthOf(record);
    if (this.#open.length > MAX_RECORDS || this.#characters > MAX_CHARACTERS)
      this.#forget(Math.ceil(this.#open.length / 10));
  }

  /** The newest records of all nodes within the limits of a read, oldest first. */
  async records(): Promise<readonly T[]> {
    const { timeOf, lengthOf } = this.#options;
    const own = [...this.#open];
    const found = [...(await this.#storedRecords(this.#openKey, own)), ...own];
    found.sort((a, b) => timeOf(a).getTime() - timeOf(b).getTime());
    let start = found.length;
    let characters = 0;
    while (start > 0 && found.length - start < MAX_RECORDS) {
      characters += lengthOf(found[start - 1]!);
      if (characters > MAX_CHARACTERS) break;
      start -= 1;
    }
    return found.slice(start);
  }

  /** Writes the records that the store does not have yet. A failure is logged; the next save tries again. */
  async save(signal?: AbortSignal): Promise<void> {
    const { place, kind } = this.#options;
    await this.#saving;
    if (place === undefined || this.#saved >= this.#start + this.#open.length) return;
    this.#saving = this.#saveTo(place, signal).catch((error: unknown) => {
      place.log.warn(
        { err: error, kind },
        'records of the history could not be stored; they will be tried again',
      );
    });
    await this.#saving;
  }

  async close(): Promise<void> {
    this.#timer?.clear();
    await this.save(AbortSignal.timeout(LAST_SAVE_MS));
  }

  async #saveTo({ store, prefix, node }: HistoryPlace, signal?: AbortSignal): Promise<void> {
    const isNew = this.#openKey === undefined;
    this.#openKey ??= `${prefix}${this.#options.kind}/${newSegmentName(node)}`;
    for (const record of this.#open.slice(this.#lines.length)) this.#lines.push(JSON.stringify(record));
    const end = this.#start + this.#lines.length;
    const body = await compressed(`${this.#lines.join('\n')}\n`);
    await store.put(this.#openKey, body, { ...(signal && { signal }) });
    this.#saved = end;
    if (isNew) await this.#deleteOld(signal);
    if (this.#lines.length < SEGMENT_RECORDS && this.#characters < SEGMENT_CHARACTERS) return;
    this.#forget(end - this.#start);
    this.#openKey = undefined;
  }

  /** Drops the oldest records in memory. */
  #forget(count: number): void {
    const dropped = this.#open.splice(0, count);
    this.#lines.splice(0, count);
    this.#start += dropped.length;
    for (const record of dropped) this.#characters -= this.#options.lengthOf(record);
  }

  /** Deletes segments that are too old, whichever node wrote them, and those that this node has too many of. */
  async #deleteOld(signal?: AbortSignal): Promise<void> {
    const { place, kind } = this.#options;
    const oldest = timeText(new Date(Date.now() - MAX_AGE_DAYS * DAY_MS));
    const names = (await this.#segments(signal)).map(({ key }) => key);
    const nameOf = (key: string) => key.slice(`${place!.prefix}${kind}/`.length);
    const own = names.filter((key) => nodeOf(nameOf(key)) === place!.node);
    const surplus = new Set(own.slice(0, Math.max(0, own.length - MAX_SEGMENTS)));
    const deleted = names.filter((key) => surplus.has(key) || nameOf(key) < oldest);
    if (deleted.length > 0) await place!.store.delete(deleted, { ...(signal && { signal }) });
  }

  /** All segments, oldest first. */
  async #segments(signal?: AbortSignal): Promise<readonly ObjectInfo[]> {
    const { place, kind } = this.#options;
    const found: ObjectInfo[] = [];
    for await (const segment of place!.store.list(`${place!.prefix}${kind}/`, { ...(signal && { signal }) }))
      found.push(segment);
    return found;
  }

  /** The records of segments except one, at least the newest within the limits of a read. */
  async #storedRecords(except: string | undefined, own: readonly T[]): Promise<readonly T[]> {
    const { place, lengthOf } = this.#options;
    if (place === undefined) return [];
    const segments = (await this.#segments()).filter(({ key }) => key !== except).toReversed();
    const names = new Set(segments.map(({ key }) => key));
    for (const key of this.#read.keys()) if (!names.has(key)) this.#read.delete(key);
    const found: T[] = [];
    let characters = own.reduce((sum, record) => sum + lengthOf(record), 0);
    for (let i = 0; i < segments.length; i += CONCURRENT_READS) {
      const read = await Promise.all(
        segments.slice(i, i + CONCURRENT_READS).map((segment) => this.#segment(place, segment)),
      );
      for (const records of read) {
        found.push(...records);
        for (const record of records) characters += lengthOf(record);
      }
      if (own.length + found.length >= MAX_RECORDS || characters >= MAX_CHARACTERS) break;
    }
    return found;
  }

  /** The records of a segment; none if it has been deleted or cannot be read, which is logged. */
  async #segment({ store, log }: HistoryPlace, { key, etag }: ObjectInfo): Promise<readonly T[]> {
    const known = this.#read.get(key);
    const records = known?.etag === etag ? known.records.deref() : undefined;
    if (records !== undefined) return records;
    try {
      const object = await store.get(key);
      if (object === undefined) return [];
      const text = (await uncompressed(object.body)).toString('utf8');
      const read = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => this.#options.fromJson(JSON.parse(line) as T));
      this.#read.set(key, { etag: object.etag, records: new WeakRef(read) });
      return read;
    } catch (error) {
      log.warn({ err: error, key }, 'a part of the history cannot be read and is left out');
      return [];
    }
  }
}

/** The time of creation comes first, so that the store lists segments in the order of time. */
const newSegmentName = (node: number): string =>
  `${timeText(new Date())}-${node}-${randomBytes(4).toString('hex')}.jsonl.gz`;

const nodeOf = (name: string): number => Number(name.split('-')[1]);

const timeText = (time: Date): string => time.toISOString().replaceAll(/[-:.]/g, '');
