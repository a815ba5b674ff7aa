import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';

/** Resolves the key of a tablet to an object store and a key in it. */
export type StoreOf = (key: string) => { readonly store: ObjectStore; readonly key: string };

/** Reads objects of tablets, verifies them, and requests damaged ones a second time. */
export class ObjectReader {
  readonly #storeOf: StoreOf;
  bytesFetched = 0;
  corruptRefetches = 0;

  constructor(storeOf: StoreOf) {
    this.#storeOf = storeOf;
  }

  /** The path of the object, if the store keeps objects as local files. */
  localPath(key: string): string | undefined {
    const at = this.#storeOf(key);
    return at.store.localPath?.(at.key);
  }

  /**
   * Reads a range of the object.
   * @param check describes what is wrong with the bytes, if anything
   * @throws TesseraError CORRUPT_TABLET if they are wrong twice
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

  /** Returns the result of `read`, which is called a second time if the first result is damaged. */
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
