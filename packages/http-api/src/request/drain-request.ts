import type { IncomingMessage } from 'node:http';
import { startTimer } from '@tessera/common';

interface DrainLimits {
  readonly bytes: number;
  readonly ms: number;
}

const OF_A_USER: DrainLimits = { bytes: 16 << 20, ms: 2_000 };
/** What is under way when the answer leaves, and small bodies whole. */
const OF_A_STRANGER: DrainLimits = { bytes: 4 << 20, ms: 1_000 };

/**
 * Reads away what a client still sends after its request was answered, so that it gets to read the answer instead of a
 * reset; beyond the limit nothing is read any more, and a client that has not gone by the end of the time is cut off.
 */
export const drainRequest = (request: IncomingMessage): void => drain(request, OF_A_USER);

/** The same for a client that nobody knows, or nobody wants to. */
export const drainUnread = (request: IncomingMessage): void => drain(request, OF_A_STRANGER);

function drain(request: IncomingMessage, { bytes, ms }: DrainLimits): void {
  if (request.complete || request.destroyed) return;
  let left = bytes;
  const timer = startTimer(() => request.destroy(), ms);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) request.pause();
  });
  request.once('end', () => timer.clear());
  request.once('close', () => timer.clear());
  request.resume();
}
