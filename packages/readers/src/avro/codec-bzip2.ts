import Bunzip from 'seek-bzip';
import { MAX_BLOCK_BYTES, tooLarge } from './limits.ts';

/** Decompresses bzip2 and verifies its block and stream checksums. */
export function bzip2(data: Uint8Array): Uint8Array {
  const chunks: Buffer[] = [];
  let chunk = Buffer.allocUnsafe(64 << 10);
  let filled = 0;
  let total = 0;
  const output = {
    writeByte(byte: number) {
      if (filled === chunk.length) {
        chunks.push(chunk);
        total += filled;
        if (total >= MAX_BLOCK_BYTES) throw tooLarge();
        chunk = Buffer.allocUnsafe(Math.min(chunk.length * 2, 4 << 20));
        filled = 0;
      }
      chunk[filled++] = byte;
    },
  };
  Bunzip.decode(Buffer.from(data.buffer, data.byteOffset, data.byteLength), output);
  return Buffer.concat([...chunks, chunk.subarray(0, filled)]);
}
