import type { IncomingMessage } from 'node:http';
import { startTimer } from '@tessera/common';

interface DrainLimits {
  readonly bytes: number;
  readonly ms: number;
}

const OF_A_USER: DrainLimits = { bytes: 16 << 20, ms: 2_000 };
/** Enough for what is in transit when the answer is sent, and for small bodies as a whole. */
const OF_A_STRANGER: DrainLimits = { bytes: 4 << 20, ms: 1_000 };

/**
 * Reads and discards the rest of a request that was already answered, so that the client receives the answer
 * instead of a connection reset. Beyond the limit nothing more is read, and a client that is still connected
 * after the time limit is disconnected.
 */
export const drainRequest = (request: IncomingMessage): void => drain(request, OF_A_USER);

/** The same with tighter limits, for a client that is unauthenticated or was refused. */
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
