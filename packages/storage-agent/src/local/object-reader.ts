import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { isLocated, type ObjectStore } from '@tessera/object-store';

/** Reads objects of tablets, verifies them, and requests damaged ones a second time. */
export class ObjectReader {
  readonly #store: ObjectStore;
  bytesFetched = 0;
  corruptRefetches = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** The path of the object, if the store keeps objects as local files. */
  localPath(key: string): string | undefined {
    return isLocated(key) ? undefined : this.#store.localPath?.(key);
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
    return this.checked(
      table,
      tablet,
      () => this.#store.getRange(tablet.key!, offset, offset + bytes, { signal }),
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
