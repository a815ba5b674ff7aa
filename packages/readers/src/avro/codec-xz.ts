import xzDecompress from 'xz-decompress';
import { MAX_BLOCK_BYTES, tooLarge } from './limits.ts';

/** Decompresses xz and verifies its checksums. */
export async function xz(data: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of new xzDecompress.XzReadableStream(new Blob([new Uint8Array(data)]).stream())) {
    total += chunk.length;
    if (total > MAX_BLOCK_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
