import type { UploadPart } from '../../http/upload.ts';

/** The parameters of the process that uploads. */
export interface UploadsParameters {
  readonly url: string;
  readonly kinds: readonly UploadKind[];
}

/** Files of one format. */
export interface UploadKind {
  readonly name: string;
  readonly part: UploadPart;
  readonly sql: string;
  /** The expected answer, without the names and types of its columns. */
  readonly answer: string;
}
