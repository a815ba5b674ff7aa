import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { buffersOf, type DecodedFile, DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { ThreadInput, ThreadMessage } from './messages.ts';

/**
 * The body of the decoding thread. For each file it sends the fields, then the batches, each when the
 * consumer has room.
 */
async function run(port: MessagePort, { format, paths }: ThreadInput): Promise<void> {
  const room = new Room(port);
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
    post({ kind: 'end' });
  } catch (error) {
    if (error instanceof DecodeError) post({ kind: 'bad-file', reason: error.message });
    else if (error instanceof UnsupportedError) post({ kind: 'unsupported', what: error.message });
    else throw error;
  } finally {
    port.close();
  }
}

async function decode(format: ThreadInput['format'], path: string): Promise<DecodedFile> {
  // The decoders are loaded on demand, because each format has a library of its own.
  if (format === 'avro') return (await import('../avro/decode-avro.ts')).decodeAvro(path);
  return (await import('../arrow/decode-arrow.ts')).decodeArrow(path);
}

/** Counts how many batches the consumer will accept: each message from it makes room for one more. */
class Room {
  #free = 0;
  #waiting: (() => void) | undefined;

  constructor(port: MessagePort) {
    port.on('message', () => {
      this.#free++;
      this.#waiting?.();
    });
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

if (parentPort !== null) await run(parentPort, workerData as ThreadInput);
