import { type Codec, count, flag, type Json, list, MalformedJson, text } from '../codec/codec.ts';
import { catalogObject, objectId } from '../codec/model-codecs.ts';
import { optional, record } from '../codec/record.ts';
import type { CatalogObject, ObjectId } from '../model.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import { BOOTSTRAP_DATABASE, BOOTSTRAP_OBJECTS, PUBLIC_ROLE } from '../state/bootstrap.ts';
import { CatalogState } from '../state/catalog-state.ts';
import { Directory, directoryOf } from '../state/directory.ts';
import type { Tombstone } from '../state/garbage.ts';
import type { ObjectState, StoredContents } from '../state/state-parts.ts';
import type { TableTotals } from '../state/table-contents.ts';
import { type Period, TransactionResults } from '../state/transaction-results.ts';
import { damaged, decodePage, PageCache, PageReader, type PageReference, PageWriter } from './container.ts';
import { EncodedContents, pagesOf } from './encoded-contents.ts';

interface TableEntry {
  readonly id: ObjectId;
  readonly version: number;
  readonly totals: TableTotals;
  readonly tablets: readonly PageReference[];
  readonly vectors?: PageReference;
}

interface Share {
  readonly name: string;
  readonly users: number;
}

interface Head {
  readonly version: number;
  readonly epoch: number;
  readonly headSha256: string;
  readonly timeMs: number;
  readonly orphansBeforeMs: number;
  readonly objects: readonly ObjectState[];
  readonly tables: readonly TableEntry[];
  readonly tombstones: readonly Tombstone[];
  readonly shares: readonly Share[];
  readonly periods: readonly PageReference[];
  readonly pagesLength: number;
}

const pageReference = list(count) as unknown as Codec<PageReference>;

const head: Codec<Head> = record<Head>({
  version: count,
  epoch: count,
  headSha256: text,
  timeMs: count,
  orphansBeforeMs: count,
  objects: list(record<ObjectState>({ object: catalogObject, createdAt: count, changedAt: count })),
  tables: list(
    record<TableEntry>({
      id: objectId,
      version: count,
      totals: record<TableTotals>({
        tablets: count,
        rows: count,
        deletedRows: count,
        bytes: count,
        uncompressedBytes: count,
      }),
      tablets: list(pageReference),
      vectors: optional(pageReference),
    }),
  ),
  tombstones: list(
    record<Tombstone>({
      name: text,
      tableId: optional(objectId),
      removedAtMs: count,
      version: count,
      collecting: flag,
    }),
  ),
  shares: list(record<Share>({ name: text, users: count })),
  periods: list(pageReference),
  pagesLength: count,
});

const periodPages = new PageCache<Period>();

/** The whole state as one file. What did not change since the state was read or last encoded is not encoded again. */
export function encodeCheckpoint(state: CatalogState): Uint8Array {
  const { parts } = state;
  const writer = new PageWriter();
  const tables = sorted(parts.contents).map(([id, contents]): TableEntry => {
    const pages = pagesOf(contents);
    const { version, totals } = contents;
    const tablets = pages.tablets.map((page) => writer.add(page));
    const entry = { id: id as ObjectId, version, totals, tablets };
    return pages.vectors === undefined ? entry : { ...entry, vectors: writer.add(pages.vectors) };
  });
  const periods = parts.results.periods.map((period) => writer.add(periodPages.pageOf(period, periodPage)));
  return writer.finish((pagesLength) =>
    head.toJson({
      version: parts.version,
      epoch: parts.epoch,
      headSha256: parts.headSha256,
      timeMs: parts.timeMs,
      orphansBeforeMs: parts.orphansBeforeMs,
      objects: sorted(parts.objects).map(([, object]) => object),
      tables,
      tombstones: sorted(parts.tombstones).map(([, tombstone]) => tombstone),
      shares: sorted(parts.shares).map(([name, users]) => ({ name, users })),
      periods,
      pagesLength,
    }),
  );
}

/**
 * All checksums are looked at here; the tablets of a table are read when they are first asked for.
 * @throws TesseraError CORRUPT_METADATA, also for files of a newer format
 */
export function decodeCheckpoint(file: Uint8Array): CatalogState {
  const reader = new PageReader(file);
  const content = headOf(reader);
  const objects = withPrincipals(content.objects);
  return new CatalogState({
    version: content.version,
    epoch: content.epoch,
    headSha256: content.headSha256,
    timeMs: content.timeMs,
    orphansBeforeMs: content.orphansBeforeMs,
    objects: PersistentMap.from(objects.map((state) => [state.object.id, state] as const)),
    directories: directoriesOf(objects.map((state) => state.object)),
    contents: PersistentMap.from(
      content.tables.map((table) => [table.id, contentsOf(table, reader)] as const),
    ),
    tombstones: PersistentMap.from(content.tombstones.map((t) => [t.name, t] as const)),
    shares: PersistentMap.from(content.shares.map(({ name, users }) => [name, users] as const)),
    results: new TransactionResults(content.periods.map((reference) => periodOf(reference, reader))),
  });
}

/** Files from before there were users and roles get those that every catalog begins with, and what they may do. */
function withPrincipals(states: readonly ObjectState[]): readonly ObjectState[] {
  const byId = new Map(states.map((state) => [state.object.id, state]));
  const database = byId.get(BOOTSTRAP_DATABASE.id);
  if (database === undefined || byId.has(PUBLIC_ROLE.id)) return states;
  const { createdAt, changedAt } = database;
  const { createdAt: created } = database.object;
  for (const { id, ...object } of BOOTSTRAP_OBJECTS) {
    const known = byId.get(id);
    if (known === undefined)
      byId.set(id, {
        object: { ...object, id, createdAt: created, alteredAt: created },
        createdAt,
        changedAt,
      });
    else if ('grants' in object)
      byId.set(id, { ...known, object: { ...known.object, grants: object.grants ?? [] } });
  }
  return [...byId.values()];
}

function headOf(reader: PageReader): Head {
  try {
    const content = head.fromJson(reader.head, '');
    if (content.pagesLength !== reader.length)
      throw damaged(`it has ${reader.length} bytes of pages instead of ${content.pagesLength}`);
    return content;
  } catch (error) {
    throw error instanceof MalformedJson ? damaged(error.message) : error;
  }
}

function contentsOf(table: TableEntry, reader: PageReader): StoredContents {
  return new EncodedContents(table.id, table.version, table.totals, {
    tablets: table.tablets.map((reference) => reader.page(reference)),
    vectors: table.vectors === undefined ? undefined : reader.page(table.vectors),
  });
}

function directoriesOf(objects: readonly CatalogObject[]): PersistentMap<Directory> {
  const grouped = Map.groupBy(objects, directoryOf);
  return PersistentMap.from([...grouped].map(([key, members]) => [key, Directory.from(members)] as const));
}

const periodPage = (period: Period): Json => ({
  firstMs: period.firstMs,
  lastMs: period.lastMs,
  versions: sorted(period.versions).map(([idempotencyKey, version]) => [idempotencyKey, version]),
});

function periodOf(reference: PageReference, reader: PageReader): Period {
  const page = reader.page(reference);
  const json = decodePage(page) as { firstMs: number; lastMs: number; versions: [string, number][] };
  const period = { ...json, versions: PersistentMap.from(json.versions) };
  periodPages.learn(period, page);
  return period;
}

/** Entries sorted by key, so that equal states produce equal files. */
function sorted<V>(map: PersistentMap<V>): readonly (readonly [string, V])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
