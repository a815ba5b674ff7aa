import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { locationPrefix, type TableObject, type Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { type WriteOptions, type WrittenTablet, writeTablets } from '@tessera/tablet';
import type { StorageAgent } from '../storage-agent.ts';

/** The destination of tablets that are written on this node. */
export interface TabletStore {
  readonly agent: StorageAgent;
  readonly store: ObjectStore;
  /** A directory that the kernel can write to; tablets are kept there until they are uploaded. */
  readonly stagingRoot: string;
  readonly header: WriteOptions['header'];
  /** The id of the store. Stores that share a LOCATION keep their tablets in folders of this name. */
  readonly storeId: string;
}

/** `sql` returns the table's columns by their stored names, in order, with their types. */
export interface RowsToStore extends Omit<WriteOptions, 'directory' | 'header'> {
  /** Throws if a tablet is not acceptable. */
  readonly check?: ((tablet: Tablet) => void) | undefined;
}

/** The number of concurrent uploads of one statement. */
const UPLOADS_AT_ONCE = 4;

/**
 * Writes the rows of a query as tablets and uploads each to the object store while the next ones are written.
 * No commit refers to them yet. If it fails, it removes all of them, as far as the store can be reached.
 */
export async function storeTablets(to: TabletStore, rows: RowsToStore): Promise<readonly Tablet[]> {
  const { check, ...query } = rows;
  const directory = join(to.stagingRoot, newUlid());
  // Two names in a directory: that takes less time than two turns of the thread pool.
  mkdirSync(directory, { recursive: true });
  const uploads = new Uploads(to, rows.table, rows.signal);
  try {
    for await (const written of writeTablets({ ...query, directory, header: to.header })) {
      check?.(written.tablet);
      await uploads.add(written);
    }
    const tablets = await uploads.finish();
    // The agent has taken the files.
    rmSync(directory, { recursive: true, force: true });
    return tablets;
  } catch (error) {
    await uploads.abandon();
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Stores the rows of a query that are so few that one tablet holds them all; the result has more tablets if they are not. */
export const storeInOneTablet = (
  to: TabletStore,
  rows: Pick<RowsToStore, 'session' | 'table' | 'sql' | 'signal'>,
): Promise<readonly Tablet[]> =>
  storeTablets(to, { ...rows, partitionSql: [], minBytes: 0, maxBytes: Number.MAX_SAFE_INTEGER });

/**
 * Deletes tablets that will not be committed. This is best effort: objects that remain are orphans, which
 * garbage collection removes.
 */
export async function discardTablets(
  { agent, store }: Pick<TabletStore, 'agent' | 'store'>,
  tablets: readonly Tablet[],
): Promise<void> {
  const keys = tablets.flatMap(({ key, sharesKey }) => (key === undefined || sharesKey ? [] : [key]));
  await Promise.allSettled([
    keys.length === 0 ? undefined : store.delete(keys),
    tablets.length === 0 ? undefined : agent.forget(tablets),
  ]);
}

/** Uploads written tablets, a few at a time, and hands their files to the agent. */
class Uploads {
  readonly #to: TabletStore;
  readonly #table: TableObject;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  readonly #tablets: Tablet[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(to: TabletStore, table: TableObject, signal: AbortSignal) {
    this.#to = to;
    this.#table = table;
    this.#signal = signal;
  }

  /** Resolves when there is room for the next tablet. */
  async add(written: WrittenTablet): Promise<void> {
    const tablet = keyed(written.tablet, this.#table, this.#to);
    this.#tablets.push(tablet);
    const upload = this.#upload(tablet, written.path)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(upload));
    this.#running.add(upload);
    if (this.#running.size >= UPLOADS_AT_ONCE) await Promise.race(this.#running);
    this.#throwFailure();
  }

  async finish(): Promise<readonly Tablet[]> {
    await Promise.all(this.#running);
    this.#throwFailure();
    return this.#tablets;
  }

  async abandon(): Promise<void> {
    await Promise.all(this.#running);
    await discardTablets(this.#to, this.#tablets);
  }

  async #upload(tablet: Tablet, path: string): Promise<void> {
    const { store, agent } = this.#to;
    if (tablet.key !== undefined) await store.putFile(tablet.key, path, { signal: this.#signal });
    await agent.adopt(tablet, path);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Sets the key of a tablet's object: below the table's own location if it has one. */
function keyed(tablet: Tablet, table: TableObject, { store, storeId }: TabletStore): Tablet {
  if (tablet.layout === 'subcompact') return tablet;
  const prefix = locationPrefix(table, { url: store.url, id: storeId });
  return { ...tablet, key: `${prefix}tablets/${tablet.tableId}/${tablet.id}.parquet` };
}
