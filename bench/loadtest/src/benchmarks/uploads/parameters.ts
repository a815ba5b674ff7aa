import type { UploadPart } from '../../http/upload.ts';

/** What the process that uploads is told. */
export interface UploadsParameters {
  readonly url: string;
  readonly kinds: readonly UploadKind[];
}

/** Files of one format. */
export interface UploadKind {
  readonly name: string;
  readonly part: UploadPart;
  readonly sql: string;
  /** The answer, but for the names and types of its columns. */
  readonly answer: string;
}
