import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Action, TableObject, Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import { type WrittenTablet, writeTablets } from '@tessera/tablet';
import { type DefinitionContext, partitionExpressions } from '../catalog/definition-check.ts';
import type { Settings } from '../settings.ts';
import type { TableServices } from '../tables.ts';
import { discardTablets } from './discard-tablets.ts';
import { refuseNulls } from './refuse-nulls.ts';

/** Uploads of one statement at the same time. */
const UPLOADS_AT_ONCE = 4;

export interface RowsToStore {
  readonly session: KernelSession;
  readonly table: TableObject;
  /** A query of the kernel: the table's columns by their stored names, in order, with their types. */
  readonly sql: string;
  readonly params?: KernelParams;
  /** Whether NULL in NOT NULL columns is to be found here; without it the query does. */
  readonly countsNulls?: boolean;
  readonly signal: AbortSignal;
}

export interface StoredRows {
  readonly actions: readonly Action[];
  readonly rows: number;
}

export interface StoreContext extends DefinitionContext {
  readonly tables: TableServices;
  readonly settings: Settings;
}

/**
 * Makes tablets of the rows of a query and puts them into the object store, each while later ones are still being made.
 * Nothing names them yet. When it fails nothing stays, as far as the store can be reached.
 */
export async function storeRows(context: StoreContext, rows: RowsToStore): Promise<StoredRows> {
  const { tables, settings } = context;
  const { table, signal } = rows;
  const partitions =
    table.partitionBy.length === 0 ? [] : await partitionExpressions(context, rows.session, table);
  const directory = join(tables.stagingRoot, newUlid());
  await mkdir(directory, { recursive: true });
  const uploads = new Uploads(tables, table, signal);
  try {
    const written = writeTablets({
      ...rows,
      partitionSql: partitions.map(({ sql }) => sql),
      directory,
      minBytes: settings.tablet_min_size_bytes,
      maxBytes: settings.tablet_max_size_bytes,
      header: tables.header,
    });
    for await (const tablet of written) {
      if (rows.countsNulls) refuseNulls(table, tablet.tablet);
      await uploads.add(tablet);
    }
    const tablets = await uploads.finish();
    const actions = tablets.map((tablet): Action => ({ kind: 'add_tablet', tablet }));
    return { actions, rows: tablets.reduce((sum, tablet) => sum + tablet.rows, 0) };
  } catch (error) {
    await uploads.abandon();
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Uploads written tablets, a few at a time, and hands their files to the agent. */
class Uploads {
  readonly #tables: TableServices;
  readonly #table: TableObject;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  readonly #tablets: Tablet[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(tables: TableServices, table: TableObject, signal: AbortSignal) {
    this.#tables = tables;
    this.#table = table;
    this.#signal = signal;
  }

  /** Resolves when there is room for the next one. */
  async add(written: WrittenTablet): Promise<void> {
    const tablet = keyed(written.tablet, this.#table, this.#tables.store);
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
    await discardTablets(
      this.#tables,
      this.#tablets.map((tablet) => ({ kind: 'add_tablet', tablet })),
    );
  }

  async #upload(tablet: Tablet, path: string): Promise<void> {
    const { store, agent } = this.#tables;
    if (tablet.key !== undefined) await store.putFile(tablet.key, path, { signal: this.#signal });
    await agent.adopt(tablet, path);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Where the object of a tablet goes: below the table's own location where it has one. */
function keyed(tablet: Tablet, { location }: TableObject, store: ObjectStore): Tablet {
  if (tablet.layout === 'subcompact') return tablet;
  const prefix = location === undefined ? '' : location.slice(store.url.length + 1).replace(/\/*$/, '/');
  const key = `${prefix === '/' ? '' : prefix}tablets/${tablet.tableId}/${tablet.id}.parquet`;
  return { ...tablet, key };
}
