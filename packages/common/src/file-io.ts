import type { FileHandle } from 'node:fs/promises';
import { discardBytes } from './discard-bytes.ts';

/** Fills `into` with the bytes of a file from `offset` on. Returns their number, which is smaller only at the end of the file. */
export async function readInto(file: FileHandle, into: Uint8Array, offset: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await file.read(into, done, into.length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** Writes all of `bytes` to a file at `offset`. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

/** Takes consecutive bytes, which are valid until the returned promise resolves; `position` is that of the first. */
export type TakeBytes = (bytes: Buffer, position: number) => Promise<void>;

const PIECE_BYTES = 1 << 20;

/** Passes bytes `start` (inclusive) to `end` (exclusive) of a file to `take` in pieces; fewer only where the file ends. */
export async function copyFrom(
  file: FileHandle,
  [start, end]: readonly [start: number, end: number],
  take: TakeBytes,
): Promise<void> {
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(0, end - start)));
  for (let at = start; at < end; ) {
    const read = await readInto(file, piece.subarray(0, end - at), at);
    if (read === 0) break;
    await take(piece.subarray(0, read), at);
    at += read;
  }
  discardBytes(piece);
}
