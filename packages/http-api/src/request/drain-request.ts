import type { IncomingMessage } from 'node:http';

interface DrainLimits {
  readonly bytes: number;
  readonly ms: number;
}

const OF_A_USER: DrainLimits = { bytes: 16 << 20, ms: 2_000 };
/** Enough for what is under way when the answer leaves. */
const OF_A_STRANGER: DrainLimits = { bytes: 1 << 20, ms: 1_000 };

/**
 * Reads away what a client still sends after its request was answered, so that it gets to read the answer instead of a
 * reset; a client that goes on sending for too long is cut off.
 */
export const drainRequest = (request: IncomingMessage): void => drain(request, OF_A_USER);

/** The same for a client that nobody knows, or nobody wants to. */
export const drainUnread = (request: IncomingMessage): void => drain(request, OF_A_STRANGER);

function drain(request: IncomingMessage, { bytes, ms }: DrainLimits): void {
  if (request.complete || request.destroyed) return;
  let left = bytes;
  const timer = setTimeout(() => request.destroy(), ms);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) request.destroy();
  });
  request.once('close', () => clearTimeout(timer));
  request.resume();
}
