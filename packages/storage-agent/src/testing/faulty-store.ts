import type { ObjectStore, RequestOptions, StoredObject } from '@tessera/object-store';

type Damage = (body: Uint8Array, start: number) => Uint8Array;

export const flipByteAt =
  (position: number): Damage =>
  (body, start) => {
    const index = position - start;
    if (index < 0 || index >= body.length) return body;
    const copy = Uint8Array.from(body);
    copy[index]! ^= 0xff;
    return copy;
  };

export const truncate: Damage = (body) => body.subarray(0, Math.floor(body.length / 2));
export const lengthen: Damage = (body) => Buffer.concat([body, Buffer.from([0])]);

/**
 * A store that behaves like a remote one: it has no local files, counts the data that it returns, and damages
 * answers on request.
 */
export class FaultyStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly url: string;
  bytes = 0;
  requests = 0;
  running = 0;
  mostRunning = 0;
  /** The damage for the next `times` answers that it applies to. */
  damage: { readonly apply: Damage; times: number } | undefined;
  /** Answers wait for this promise. */
  gate: Promise<void> | undefined;

  constructor(store: ObjectStore) {
    this.#store = store;
    this.url = store.url;
  }

  async get(key: string, options?: RequestOptions): Promise<StoredObject | undefined> {
    const object = await this.#store.get(key, options);
    return object && { ...object, body: await this.#answer(object.body, 0) };
  }

  async getRange(key: string, start: number, end: number, options?: RequestOptions): Promise<Uint8Array> {
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await this.#answer(await this.#store.getRange(key, start, end, options), start);
    } finally {
      this.running--;
    }
  }

  async #answer(body: Uint8Array, start: number): Promise<Uint8Array> {
    this.requests++;
    await this.gate;
    this.bytes += body.length;
    if (this.damage === undefined || this.damage.times === 0) return body;
    const damaged = this.damage.apply(body, start);
    if (damaged !== body) this.damage.times--;
    return damaged;
  }

  head: ObjectStore['head'] = (key, options) => this.#store.head(key, options);
  put: ObjectStore['put'] = (key, body, options) => this.#store.put(key, body, options);
  putFile: ObjectStore['putFile'] = (key, path, options) => this.#store.putFile(key, path, options);
  putIfAbsent: ObjectStore['putIfAbsent'] = (key, body, options) =>
    this.#store.putIfAbsent(key, body, options);
  putIfMatch: ObjectStore['putIfMatch'] = (key, body, etag, options) =>
    this.#store.putIfMatch(key, body, etag, options);
  list: ObjectStore['list'] = (prefix, options) => this.#store.list(prefix, options);
  delete: ObjectStore['delete'] = (keys, options) => this.#store.delete(keys, options);
  close: ObjectStore['close'] = async () => undefined;
}
