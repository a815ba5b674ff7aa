import { type RecordBatch, RecordBatchStreamWriter } from 'apache-arrow';
import { schemaMessage } from '../arrow/ipc.ts';
import { FrameKind, frameHeader } from '../protocol/frames.ts';
import type { Request } from '../protocol/messages.ts';
import type { SessionSocket } from './session-socket.ts';

/**
 * The rows to append: a batch of apache-arrow, or encapsulated uncompressed messages (dictionary batches
 * before the record batch that needs them). `sent` is called when the bytes are no longer read.
 */
export type ArrowBatchInput =
  | RecordBatch
  | { readonly ipc: Uint8Array; readonly sent?: (() => void) | undefined };

type BatchesRequest = Extract<Request, { op: 'append' } | { op: 'receive' }>;

/** Runs an `append` or a `receive` over the batches and returns the value of its reply. */
export async function sendBatches(
  socket: SessionSocket,
  request: BatchesRequest,
  batches: AsyncIterable<ArrowBatchInput> | Iterable<ArrowBatchInput>,
): Promise<unknown> {
  let ended = false;
  const call = socket.call(request).finally(() => {
    ended = true;
  });
  call.catch(() => undefined);
  try {
    for await (const batch of batches) {
      if (ended) break;
      const { ipc, sent = undefined } = 'ipc' in batch ? batch : { ipc: encode(batch) };
      await socket.send([frameHeader(FrameKind.appendBatch, ipc.length), ipc], sent);
    }
  } catch (error) {
    if (!ended) await end(socket, false);
    await call.catch(() => undefined);
    throw error;
  }
  if (!ended) await end(socket, true);
  return await call;
}

const end = (socket: SessionSocket, keep: boolean) =>
  socket.send([frameHeader(FrameKind.appendEnd, 1), Buffer.from([keep ? 1 : 0])]);

/** The batch's messages, without the schema message. */
function encode(batch: RecordBatch): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.write(batch);
  const bytes = writer.toUint8Array(true);
  return bytes.subarray(schemaMessage(batch.schema).length);
}
