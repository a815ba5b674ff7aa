import { cancellation, TesseraError } from '@tessera/common';
import type { ObjectInfo, ObjectStore, RequestOptions, StoredObject } from '../object-store.ts';
import {
  type BucketClient,
  type ReadRequest,
  readBody,
  type WholeBody,
  type WriteCondition,
} from './bucket-client.ts';

/** An object store in a bucket, or below a prefix of one. */
export class BucketStore implements ObjectStore {
  readonly url: string;
  readonly #client: BucketClient;
  readonly #prefix: string;

  /** @param prefix empty, or ending with a slash */
  constructor(client: BucketClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
    this.url = `${client.url}/${prefix}`.replace(/\/$/, '');
  }

  async get(key: string, options: RequestOptions = {}): Promise<StoredObject | undefined> {
    const found = await this.#read(key, { signal: options.signal });
    return found === undefined ? undefined : { body: found.body, etag: found.etag };
  }

  async getRange(key: string, start: number, end: number, options: RequestOptions = {}): Promise<Uint8Array> {
    if (start >= end) return new Uint8Array();
    const found = await this.#read(key, { range: { start, end }, signal: options.signal });
    if (found === undefined) throw TesseraError.of('OBJECT_NOT_FOUND', { url: this.#urlOf(key) });
    return found.body.subarray(start - found.offset, end - found.offset);
  }

  head(key: string, { signal }: RequestOptions = {}): Promise<ObjectInfo | undefined> {
    return this.#attempt(key, signal, async () => {
      const info = await this.#client.head(this.#prefix + key, signal);
      return info === undefined ? undefined : { ...info, key };
    });
  }

  async put(key: string, body: Uint8Array, options: RequestOptions = {}): Promise<void> {
    await this.#write(key, body, undefined, options.signal);
  }

  async putFile(key: string, path: string, { signal }: RequestOptions = {}): Promise<void> {
    await this.#attempt(key, signal, () => this.#client.writeFile(this.#prefix + key, path, signal));
  }

  async putIfAbsent(
    key: string,
    body: Uint8Array,
    options: RequestOptions = {},
  ): Promise<'created' | 'exists'> {
    const result = await this.#write(key, body, { absent: true }, options.signal);
    return result === 'written' ? 'created' : 'exists';
  }

  async putIfMatch(
    key: string,
    body: Uint8Array,
    etag: string,
    options: RequestOptions = {},
  ): Promise<'replaced' | 'changed'> {
    const result = await this.#write(key, body, { etag }, options.signal);
    return result === 'written' ? 'replaced' : 'changed';
  }

  async *list(
    prefix: string,
    options: RequestOptions & { readonly startAfter?: string } = {},
  ): AsyncGenerator<ObjectInfo> {
    const { signal, startAfter } = options;
    try {
      if (signal?.aborted) throw cancellation(signal);
      const after = startAfter === undefined ? undefined : this.#prefix + startAfter;
      for await (const page of this.#client.listPages(this.#prefix + prefix, after, signal)) {
        for (const info of page) yield { ...info, key: info.key.slice(this.#prefix.length) };
      }
    } catch (error) {
      throw this.#failure(prefix, error, signal);
    }
  }

  async delete(keys: readonly string[], { signal }: RequestOptions = {}): Promise<void> {
    for (let from = 0; from < keys.length; from += this.#client.deletedAtOnce) {
      const batch = keys.slice(from, from + this.#client.deletedAtOnce);
      await this.#attempt(batch[0]!, signal, () =>
        this.#client.delete(
          batch.map((key) => this.#prefix + key),
          signal,
        ),
      );
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'> {
    return this.#attempt(key, signal, () => this.#client.write(this.#prefix + key, body, condition, signal));
  }

  #read(key: string, request: ReadRequest): Promise<WholeBody | undefined> {
    return this.#attempt(key, request.signal, () => readBody(this.#client, this.#prefix + key, request));
  }

  async #attempt<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      if (signal?.aborted) throw cancellation(signal);
      return await work();
    } catch (error) {
      throw this.#failure(key, error, signal);
    }
  }

  #failure(key: string, error: unknown, signal: AbortSignal | undefined): TesseraError {
    if (error instanceof TesseraError) return error;
    if (signal?.aborted) return cancellation(signal);
    const { reason, mayHaveHappened } = this.#client.explain(error);
    const outcome = mayHaveHappened ? 'unknown' : 'failed';
    return TesseraError.of(
      'STORAGE_UNAVAILABLE',
      { url: this.#urlOf(key), reason, outcome },
      { cause: error },
    );
  }

  #urlOf(key: string): string {
    return `${this.url}/${key}`;
  }
}
