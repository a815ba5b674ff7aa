import type { Readable, Writable } from 'node:stream';

/** The standard streams of a command, as a process has them or as a test makes them. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}
