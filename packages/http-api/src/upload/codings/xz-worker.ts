import { parentPort } from 'node:worker_threads';
import xz from 'xz-decompress';
import type { XzReply, XzRequest } from './xz-protocol.ts';

const OUTPUT_BYTES = 256 * 1024;

/** The values of `enum xz_ret` of XZ Embedded, which the library is built from. */
const FAILURES: Readonly<Record<string, string>> = {
  3: 'there is not enough memory for its dictionary',
  4: 'its dictionary is larger than 64 MiB',
  5: 'it does not have the xz format, or there are bytes after its end',
  6: 'it uses a filter or an integrity check that is not taken (LZMA2 is, with none, CRC32 or CRC64)',
  7: 'its data does not match its checksum, or is malformed',
  8: 'the compressed stream is cut short',
};

const port = parentPort!;
let takeInput: (chunk: Uint8Array | undefined) => void;
let decoded: ReadableStreamDefaultReader<Uint8Array>;

port.on('message', (request: XzRequest) => {
  if (request.kind === 'start') decoded = new xz.XzReadableStream(requestedInput()).getReader();
  else if (request.kind === 'input') takeInput(request.chunk);
  else void answerPull();
});

function requestedInput(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const input = new Promise<Uint8Array | undefined>((resolve) => {
          takeInput = resolve;
        });
        reply({ kind: 'need' });
        const chunk = await input;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

async function answerPull(): Promise<void> {
  try {
    const chunks: Uint8Array[] = [];
    for (let bytes = 0; bytes < OUTPUT_BYTES; ) {
      const { value, done } = await decoded.read();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
    }
    if (chunks.length === 0) return reply({ kind: 'done' });
    const chunk = new Uint8Array(Buffer.concat(chunks));
    reply({ kind: 'output', chunk }, [chunk.buffer]);
  } catch (error) {
    const code = /error code (\d+)/.exec((error as Error).message)?.[1] ?? '';
    const reason = FAILURES[code] ?? (error as Error).message;
    reply({ kind: 'corrupt', reason });
  }
}

function reply(message: XzReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}
