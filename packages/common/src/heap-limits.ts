import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startInterval, type Timer } from './timers.ts';

let gc: NodeJS.GCFunction | undefined;

/** Makes V8 collect its heap, or only the young generation (`minor`), before it returns. */
export function collectGarbage(type: 'major' | 'minor'): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as NodeJS.GCFunction;
  }
  gc({ type, execution: 'sync' });
}

/**
 * A flag that makes V8 count the memory of buffers like that of its heap: it collects when both together have grown by a
 * factor. Without it, V8 collects the whole heap whenever buffers have grown by 64 MiB, however much memory the process has.
 */
export const HEAP_INCLUDES_BUFFERS = '--external-memory-accounted-in-global-limit';
const HEAP_EXCLUDES_BUFFERS = HEAP_INCLUDES_BUFFERS.replace('--', '--no-');

/**
 * Setting the flag may cause a collection of the whole heap, because V8 then counts buffers that its last limit did not include;
 * fewer bytes are therefore cheaper without it.
 */
const MANY_BYTES = 16 << 20;
const QUIET_MS = 1_000;

let usedBytes = 0;
let usedBytesBefore = 0;
let quiet: Timer | undefined;

/**
 * To be called when a large buffer was filled whose memory is freed without the collector. While there are many such bytes, V8
 * counts them as heap (`HEAP_INCLUDES_BUFFERS`); other garbage may take more memory meanwhile.
 */
export function noteBuffer(bytes: number): void {
  const before = usedBytes;
  usedBytes += bytes;
  if (before < MANY_BYTES && usedBytes >= MANY_BYTES) setFlagsFromString(HEAP_INCLUDES_BUFFERS);
  quiet ??= startInterval(endIfQuiet, QUIET_MS).unref();
}

function endIfQuiet(): void {
  const isQuiet = usedBytes === usedBytesBefore;
  usedBytesBefore = usedBytes;
  if (!isQuiet) return;
  quiet?.clear();
  quiet = undefined;
  if (usedBytes >= MANY_BYTES) setFlagsFromString(HEAP_EXCLUDES_BUFFERS);
  usedBytes = 0;
  usedBytesBefore = 0;
}
