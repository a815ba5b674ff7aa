import { crc32c } from '@node-rs/crc32';
import { noteBuffer } from '@tessera/common';
import type { ReadPart } from '../outputs/read-part.ts';

type ResponseInit = { sequence: number; content: ContentInit };
type ContentInit =
  | { case: 'schema'; value: Uint8Array }
  | { case: 'batch'; value: { ipc: Uint8Array; rawLength: number; rows: number; crc32c: number } }
  | { case: 'end'; value: { rows: bigint; batches: number } };

/**
 * Encodes the rows of an output as responses with numbers and checksums; the last one has the counts. A
 * response is valid until the next one is requested.
 */
export async function* encodeBatches(
  rows: AsyncIterable<ReadPart>,
  compressed: boolean,
): AsyncGenerator<ResponseInit> {
  let sequence = 0;
  let total = 0;
  let batches = 0;
  for await (const part of rows) {
    if (part instanceof Uint8Array) {
      yield { sequence: sequence++, content: { case: 'schema', value: part } };
      continue;
    }
    const raw = part.ipc;
    const ipc = compressed ? await (await import('lz4-napi')).compress(raw) : raw;
    noteBuffer(ipc.length);
    total += part.rows;
    batches++;
    const value = { ipc, rawLength: compressed ? raw.length : 0, rows: part.rows, crc32c: crc32c(ipc) };
    yield { sequence: sequence++, content: { case: 'batch', value } };
    part.release();
  }
  yield { sequence, content: { case: 'end', value: { rows: BigInt(total), batches } } };
}
