/**
 * A bucket, or another store with the same interface. Keys are relative to the store's prefix and never begin
 * with `/`; the store of an engine also accepts URLs of objects elsewhere (`locatedStore`). Every method may
 * throw STORAGE_UNAVAILABLE after its retries, and the reason of `signal` once that is aborted.
 */
export interface ObjectStore {
  /** The location in messages and logs: `s3://bucket/prefix`. */
  readonly url: string;
  /** Returns the current object, or undefined if it does not exist. */
  get(key: string, options?: RequestOptions): Promise<StoredObject | undefined>;
  /**
   * Returns the bytes from `start` (inclusive) to `end` (exclusive); fewer only if the object ends before.
   * @throws OBJECT_NOT_FOUND
   */
  getRange(key: string, start: number, end: number, options?: RequestOptions): Promise<Uint8Array>;
  head(key: string, options?: RequestOptions): Promise<ObjectInfo | undefined>;
  put(key: string, body: Uint8Array, options?: RequestOptions): Promise<void>;
  /**
   * Writes an object from a local file, in parts if it is large. The file may be removed afterwards but must not be
   * changed, because a local store keeps a link to it.
   */
  putFile(key: string, path: string, options?: RequestOptions): Promise<void>;
  /**
   * Creates the object if it does not exist. `exists`: another request has created it, or an earlier attempt of
   * this one whose response was lost (requests are retried); only the content reveals which.
   * @throws STORAGE_UNAVAILABLE with `outcome: 'unknown'` if it may have been written
   */
  putIfAbsent(key: string, body: Uint8Array, options?: RequestOptions): Promise<'created' | 'exists'>;
  /**
   * Replaces the object only if it still has this etag. `changed` may also follow a lost response, as with
   * `exists`.
   */
  putIfMatch(
    key: string,
    body: Uint8Array,
    etag: string,
    options?: RequestOptions,
  ): Promise<'replaced' | 'changed'>;
  /** Lists keys in byte order. `startAfter` is exclusive. */
  list(
    prefix: string,
    options?: RequestOptions & { readonly startAfter?: string },
  ): AsyncIterable<ObjectInfo>;
  /** Deleting an object that does not exist is not an error. */
  delete(keys: readonly string[], options?: RequestOptions): Promise<void>;
  /** The file of the object, if the store is on this machine. It may be read or linked but never written. Not for URLs. */
  localPath?(key: string): string;
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface StoredObject {
  readonly body: Uint8Array;
  readonly etag: string;
}

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  readonly modifiedAt: Date;
}
