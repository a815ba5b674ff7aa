import type { FileHandle } from 'node:fs/promises';

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
