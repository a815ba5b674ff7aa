import { collectGarbage } from '@tessera/common';

/** Collecting more often costs more time than it saves memory. */
const COLLECT_AFTER_BYTES = 32 << 20;

let receivedBytes = 0;

/**
 * Must be called with the length of each message that was received. HTTP/2 reads into buffers of up to 64 KiB, which
 * only a collection frees. They take hardly any space in the heap, so V8 would collect late, and then the whole heap. A
 * collection of the young generation frees them within a few milliseconds.
 */
export function countReceived(bytes: number): void {
  receivedBytes += bytes;
  if (receivedBytes < COLLECT_AFTER_BYTES) return;
  receivedBytes = 0;
  collectGarbage('minor');
}
