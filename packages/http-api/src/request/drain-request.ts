import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 << 20;
const MAX_MS = 2_000;

/**
 * Reads away what a client still sends after its request was answered, so that it gets to read the answer instead of a
 * reset; a client that goes on sending for too long is cut off.
 */
export function drainRequest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = MAX_BYTES;
  const timer = setTimeout(() => request.destroy(), MAX_MS);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) request.destroy();
  });
  request.once('close', () => clearTimeout(timer));
  request.resume();
}
