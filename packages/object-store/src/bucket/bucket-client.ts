import type { ObjectInfo } from '../object-store.ts';

/**
 * The operations of one vendor's bucket, in terms that all vendors share. Keys are complete. Methods throw the vendor's
 * own errors after the vendor's own retries; `explain` interprets them.
 */
export interface BucketClient {
  /** `s3://bucket`, without a slash at the end. */
  readonly url: string;
  /** The maximum number of keys in one `delete`. */
  readonly deletedAtOnce: number;
  /** Undefined when there is no such object, or none whose etag is `request.etag`. */
  read(key: string, request: ReadRequest): Promise<BodyInFlight | undefined>;
  head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined>;
  /** `refused`: the condition does not hold. */
  write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'>;
  writeFile(key: string, path: string, signal: AbortSignal | undefined): Promise<void>;
  /** Lists pages of keys in byte order. */
  listPages(
    prefix: string,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncIterable<readonly ObjectInfo[]>;
  delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  explain(error: unknown): Explanation;
  close(): Promise<void>;
}

export interface ReadRequest {
  /** Bytes from `start` to before `end`, where `start < end`; an object may end before either. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An object as it arrives. */
export interface BodyInFlight {
  readonly etag: string;
  /** The offset of the stream within the object. */
  readonly offset: number;
  /** The number of bytes announced by the response; undefined if it announced none. */
  readonly bytes: number | undefined;
  readonly stream: AsyncIterable<Uint8Array>;
}

export type WriteCondition = { readonly absent: true } | { readonly etag: string };

export interface Explanation {
  readonly reason: string;
  /** Whether a write that failed so may have been done nevertheless. */
  readonly mayHaveHappened: boolean;
}
