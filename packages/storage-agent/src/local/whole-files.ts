import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';

/** Tablets as local files, each fetched whole. */
export class LocalFiles {
  readonly #store: ObjectStore;
  readonly #directory: string;
  readonly #present = new Map<string, Promise<number>>();
  #temporary = 0;

  constructor(store: ObjectStore, directory: string) {
    this.#store = store;
    this.#directory = directory;
  }

  async open(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  path(tablet: Tablet): string {
    return join(this.#directory, `${tablet.id}.parquet`);
  }

  /** Bytes fetched for it: 0 when it was there. */
  async ensure(table: TableObject, tablet: Tablet, signal: AbortSignal): Promise<number> {
    const present = this.#present.get(tablet.id);
    if (present !== undefined) return present.then(() => 0);
    const fetching = this.#fetch(table, tablet, signal);
    this.#present.set(tablet.id, fetching);
    fetching.catch(() => this.#present.delete(tablet.id));
    return fetching;
  }

  async adopt(tablet: Tablet, path: string): Promise<void> {
    await rename(path, this.path(tablet));
    this.#present.set(tablet.id, Promise.resolve(0));
  }

  async remove(tablet: Tablet): Promise<void> {
    this.#present.delete(tablet.id);
    await rm(this.path(tablet), { force: true });
  }

  async #fetch(table: TableObject, tablet: Tablet, signal: AbortSignal): Promise<number> {
    const inline = tablet.inline === undefined ? undefined : Buffer.from(tablet.inline, 'base64');
    const body = inline ?? (await this.#store.get(tablet.key!, { signal }))?.body;
    if (body?.length !== tablet.bytes) {
      const reason = body === undefined ? 'its object is missing' : `${body.length} bytes of ${tablet.bytes}`;
      throw TesseraError.of('CORRUPT_TABLET', { tablet: tablet.id, table: table.name, reason });
    }
    const temporary = join(this.#directory, `${this.#temporary++}.tmp`);
    await writeFile(temporary, body, { mode: 0o600 });
    await rename(temporary, this.path(tablet));
    return inline === undefined ? body.length : 0;
  }
}
