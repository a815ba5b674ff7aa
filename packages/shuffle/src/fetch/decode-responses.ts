import { crc32c } from '@node-rs/crc32';
import { discardBytes } from '@tessera/common';
import type { FetchResponse } from '@tessera/rpc';

/** Thrown if the received stream is not what was sent. A retry may help. */
export class BrokenStream extends Error {}

/** The rows of a block, in the order in which they arrive. */
export type BlockRows = SchemaPart | BatchPart;

export interface SchemaPart {
  readonly kind: 'schema';
  readonly ipc: Uint8Array;
}

export interface BatchPart {
  readonly kind: 'batch';
  readonly ipc: Uint8Array;
  readonly rows: number;
  /** The bytes that came from another node. */
  readonly bytes: number;
  /** Called when the bytes of `ipc` are no longer read. */
  release(): void;
}

/**
 * Verifies responses and decompresses them.
 * @throws BrokenStream if some are missing, repeated, reordered, truncated or changed
 */
export async function* decodeResponses(responses: AsyncIterable<FetchResponse>): AsyncGenerator<BlockRows> {
  let sequence = 0;
  let rows = 0;
  let batches = 0;
  let ended = false;
  for await (const { sequence: number, content } of responses) {
    if (ended) throw new BrokenStream('something came after the end');
    if (number !== sequence) throw new BrokenStream(`response ${number} came instead of ${sequence}`);
    sequence++;
    switch (content.case) {
      case 'schema':
        if (number !== 0) throw new BrokenStream('a second schema came');
        yield { kind: 'schema', ipc: content.value };
        break;
      case 'batch': {
        const batch = content.value;
        if (number === 0) throw new BrokenStream('rows came before the schema');
        if (crc32c(batch.ipc) !== batch.crc32c) throw new BrokenStream(`response ${number} was changed`);
        const ipc = batch.rawLength === 0 ? batch.ipc : await undone(batch.ipc, batch.rawLength);
        rows += batch.rows;
        batches++;
        yield {
          kind: 'batch',
          ipc,
          rows: batch.rows,
          bytes: batch.ipc.length,
          release: () => discardBytes(ipc),
        };
        break;
      }
      case 'end': {
        const { rows: sentRows, batches: sentBatches } = content.value;
        if (Number(sentRows) !== rows || sentBatches !== batches) {
          throw new BrokenStream(`${rows} rows in ${batches} batches came of ${sentRows} in ${sentBatches}`);
        }
        ended = true;
        break;
      }
      default:
        throw new BrokenStream(`response ${number} is empty`);
    }
  }
  if (!ended) throw new BrokenStream('the end did not come');
}

async function undone(block: Uint8Array, rawLength: number): Promise<Uint8Array> {
  let raw: Uint8Array;
  const { uncompress } = await import('lz4-napi');
  try {
    raw = await uncompress(block);
    discardBytes(block);
  } catch (cause) {
    throw new BrokenStream('a batch could not be decompressed', { cause });
  }
  if (raw.length !== rawLength) throw new BrokenStream('a batch has another length than was told');
  return raw;
}
