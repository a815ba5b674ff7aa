import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';

/** Where objects of tablets are: a store and a key in it. */
export type StoreOf = (key: string) => { readonly store: ObjectStore; readonly key: string };

/** Reads tablets' objects, checks what comes, and asks once more for what is damaged. */
export class ObjectReader {
  readonly #storeOf: StoreOf;
  bytesFetched = 0;
  corruptRefetches = 0;

  constructor(storeOf: StoreOf) {
    this.#storeOf = storeOf;
  }

  /** Where the store has the object as a file. */
  localPath(key: string): string | undefined {
    const at = this.#storeOf(key);
    return at.store.localPath?.(at.key);
  }

  /**
   * A range of the object.
   * @param check what is wrong with the bytes
   * @throws TesseraError CORRUPT_TABLET when they are wrong twice
   */
  range(
    table: TableObject,
    tablet: Tablet,
    offset: number,
    bytes: number,
    check: (body: Uint8Array) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { store, key } = this.#storeOf(tablet.key!);
    return this.checked(
      table,
      tablet,
      () => store.getRange(key, offset, offset + bytes, { signal }),
      async (body) => {
        if (body.length !== bytes) return `${body.length} bytes of ${bytes} at ${offset}`;
        return check(body);
      },
    );
  }

  /** What `read` gives; it is asked again when that is damaged. */
  async checked(
    table: TableObject,
    tablet: Tablet,
    read: () => Promise<Uint8Array>,
    check: (body: Uint8Array) => Promise<string | undefined>,
  ): Promise<Uint8Array> {
    const first = await this.#counted(read);
    if ((await check(first)) === undefined) return first;
    this.corruptRefetches++;
    const second = await this.#counted(read);
    const reason = await check(second);
    if (reason === undefined) return second;
    throw TesseraError.of('CORRUPT_TABLET', { tablet: tablet.id, table: table.name, reason });
  }

  async #counted(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const body = await read();
    this.bytesFetched += body.length;
    return body;
  }
}
