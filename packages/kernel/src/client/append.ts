import { type RecordBatch, RecordBatchStreamWriter, type Schema } from 'apache-arrow';
import { schemaMessage } from '../arrow/ipc.ts';
import { FrameKind, frameHeader } from '../protocol/frames.ts';
import type { SessionSocket } from './session-socket.ts';

/**
 * Rows to append: a batch of apache-arrow, or encapsulated messages as they are (dictionary batches before the record
 * batch that needs them), uncompressed; `sent` is called when the bytes are no longer read.
 */
export type ArrowBatchInput =
  | RecordBatch
  | { readonly ipc: Uint8Array; readonly sent?: (() => void) | undefined };

export async function appendBatches(
  socket: SessionSocket,
  timeZone: string | null,
  table: string,
  schema: Schema,
  batches: AsyncIterable<ArrowBatchInput> | Iterable<ArrowBatchInput>,
): Promise<number> {
  let ended = false;
  const call = socket
    .call({ op: 'append', table, schemaIpc: schemaMessage(schema), timeZone })
    .finally(() => {
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
  return (await call) as number;
}

const end = (socket: SessionSocket, keep: boolean) =>
  socket.send([frameHeader(FrameKind.appendEnd, 1), Buffer.from([keep ? 1 : 0])]);

/** The batch's messages without the schema's. */
function encode(batch: RecordBatch): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.write(batch);
  const bytes = writer.toUint8Array(true);
  return bytes.subarray(schemaMessage(batch.schema).length);
}
