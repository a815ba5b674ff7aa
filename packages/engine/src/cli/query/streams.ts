import type { Readable, Writable } from 'node:stream';

/** The standard streams of a command, of a process or of a test. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}
