import type { TakeBytes } from '@tessera/common';
import type { ObjectCredentials } from './object-access.ts';
import type { ListedWithin } from './object-matches.ts';

export interface AccessOptions {
  readonly signal: AbortSignal;
  readonly credentials?: ObjectCredentials | undefined;
}

export interface ListOptions extends AccessOptions, ListedWithin {}

export interface ResolveOptions extends AccessOptions {
  /** The directory of the request, into which files are downloaded. */
  readonly directory: string;
  /** The limit for a download, counted after decompression; files that are read in place have no limit. */
  readonly maxBytes: number;
}

export interface ResolvedFile {
  /** Absolute, without symbolic links. Its name may contain glob characters and must not be expanded again. */
  readonly path: string;
  /** The origin of the file: a URL without credentials, or the path itself. */
  readonly url: string;
  /** The size of the file at its origin. */
  readonly bytes: number;
  /** Undefined if the server did not report it. */
  readonly modifiedAt: Date | undefined;
}

/** A file as a listing describes it; its content is not on this node. */
export interface ListedFile extends Omit<ResolvedFile, 'path'> {
  /** Changes whenever the content changes; undefined for files of this node. */
  readonly etag?: string | undefined;
}

/** A listed object, and the path for its content. */
export interface ListedDownload extends ListedFile {
  readonly path: string;
}

/**
 * Reads bytes `start` (inclusive) to `end` (exclusive) of a file; fewer only where the file ends.
 * @throws TesseraError EXTERNAL_READ_FAILED, also when the file has an `etag` and is no longer the one that was listed;
 * FILE_NOT_FOUND, LOCATION_NOT_ALLOWED
 */
export type ReadObjectRange = (
  file: Pick<ListedFile, 'url' | 'etag'>,
  start: number,
  end: number,
) => Promise<Uint8Array>;

/** Passes the same bytes to `take` in pieces; fewer only where the file ends. @throws TesseraError as `ReadObjectRange` */
export type CopyObjectRange = (
  file: Pick<ListedFile, 'url' | 'etag'>,
  start: number,
  end: number,
  take: TakeBytes,
) => Promise<void>;

/** Reads files of one bucket, or of this node. */
export interface ExternalReader {
  readonly range: ReadObjectRange;
  readonly copy: CopyObjectRange;
  /** The content of a file; undefined if there is none. */
  whole(url: string): Promise<Uint8Array | undefined>;
  /** The files that match a pattern, in order; may be none. */
  list(pattern: string): Promise<readonly ListedFile[]>;
}

export interface ResolvedFiles {
  /** The paths of `files`. */
  readonly paths: readonly string[];
  /** Sorted; never empty. */
  readonly files: readonly ResolvedFile[];
  /** Removes what was downloaded; may be called more than once. */
  dispose(): Promise<void>;
}
