import { getHeapStatistics } from 'node:v8';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { buffersOf, type DecodedFile, DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { ThreadInput, ThreadMessage, ThreadRequest } from './messages.ts';

/**
 * The body of the decoding thread. For each file it sends the fields, then the batches, each when the
 * consumer has room. A thread that has failed accepts no more work.
 */
async function run(port: MessagePort, { format, paths }: ThreadInput, room: Room): Promise<void> {
  const post = (message: ThreadMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  try {
    for (const [position, path] of paths.entries()) {
      post({ kind: 'file', position });
      const { fields, batches } = await decode(format, path);
      post({ kind: 'fields', fields });
      for await (const batch of batches) {
        await room.take();
        post({ kind: 'batch', batch }, buffersOf(batch.columns));
      }
    }
    const { total_heap_size, external_memory } = getHeapStatistics();
    post({ kind: 'end', heldBytes: total_heap_size + external_memory });
  } catch (error) {
    if (error instanceof DecodeError) post({ kind: 'bad-file', reason: error.message });
    else if (error instanceof UnsupportedError) post({ kind: 'unsupported', what: error.message });
    else throw error;
  }
}

async function decode(format: ThreadInput['format'], path: string): Promise<DecodedFile> {
  // The decoders are loaded on demand, because each format has a library of its own.
  if (format === 'avro') return (await import('../avro/decode-avro.ts')).decodeAvro(path);
  return (await import('../arrow/decode-arrow.ts')).decodeArrow(path);
}

/** Counts how many batches the consumer will accept: each request from it makes room for one more. */
class Room {
  #free = 0;
  #waiting: (() => void) | undefined;

  give(): void {
    this.#free++;
    this.#waiting?.();
  }

  async take(): Promise<void> {
    while (this.#free === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#free--;
  }
}

const port = parentPort;
// The consumer of earlier work may have asked for more batches than there were, so new work has room of its own.
let room = new Room();
port?.on('message', (request: ThreadRequest) => {
  if (request.kind === 'more') {
    room.give();
    return;
  }
  room = new Room();
  // A failure ends the thread, and the consumer receives it.
  void run(port, request.input, room);
});
