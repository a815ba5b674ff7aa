import type { ObjectCredentials } from './object-access.ts';

export interface AccessOptions {
  readonly signal: AbortSignal;
  readonly credentials?: ObjectCredentials | undefined;
}

export interface ResolveOptions extends AccessOptions {
  /** The request's own directory: downloads go there. */
  readonly directory: string;
  /** For a download, counted after its content coding is undone; files read in place are not bounded. */
  readonly maxBytes: number;
}

export interface ResolvedFile {
  /** Absolute, without symbolic links; its name may hold glob characters: do not expand it again. */
  readonly path: string;
  /** Where it came from: a URL without credentials, or the path itself. */
  readonly url: string;
  /** As it is stored there. */
  readonly bytes: number;
  /** Undefined when the server did not tell. */
  readonly modifiedAt: Date | undefined;
}

export interface ResolvedFiles {
  /** Those of `files`. */
  readonly paths: readonly string[];
  /** Sorted; never empty. */
  readonly files: readonly ResolvedFile[];
  /** Removes what was downloaded; may be called more than once. */
  dispose(): Promise<void>;
}
