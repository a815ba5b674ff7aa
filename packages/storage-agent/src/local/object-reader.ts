import { TesseraError } from '@tessera/common';
import { isLocated, type ObjectStore } from '@tessera/object-store';
import type { ObjectRange, PeerTablets } from '../storage-agent.ts';
import type { TabletNeed } from './local-tablets.ts';

type Place = Pick<TabletNeed, 'table' | 'tablet'>;
type Check = (body: Uint8Array) => Promise<string | undefined>;

/** Reads objects of tablets, verifies them, and requests damaged ones a second time. */
export class ObjectReader {
  readonly #store: ObjectStore;
  peers: PeerTablets | undefined;
  /** From the object store. */
  bytesFetched = 0;
  bytesFromPeers = 0;
  corruptRefetches = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** The path of the object, if the store keeps objects as local files. */
  localPath(key: string): string | undefined {
    return isLocated(key) ? undefined : this.#store.localPath?.(key);
  }

  /**
   * Reads a range of the object, from another node if one has it.
   * @param check describes what is wrong with the bytes, if anything
   * @throws TesseraError CORRUPT_TABLET if the object store returns wrong bytes twice
   */
  async range(need: Place, range: ObjectRange, check: Check, signal: AbortSignal): Promise<Uint8Array> {
    const { offset, bytes } = range;
    const { id, key } = need.tablet;
    const whole: Check = async (body) =>
      body.length === bytes ? check(body) : `${body.length} bytes of ${bytes} at ${offset}`;
    const found = await this.peers?.read(id, range, signal);
    if (found !== undefined && (await whole(found)) === undefined) {
      this.bytesFromPeers += bytes;
      return found;
    }
    if (found !== undefined) this.corruptRefetches++;
    return this.checked(need, () => this.#store.getRange(key!, offset, offset + bytes, { signal }), whole);
  }

  /** Returns the result of `read`, which is called a second time if the first result is damaged. */
  async checked(
    { table, tablet }: Place,
    read: () => Promise<Uint8Array>,
    check: Check,
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
