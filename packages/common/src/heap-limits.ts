import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

let counting = 0;

/**
 * Sets `HEAP_INCLUDES_BUFFERS` until the returned object is disposed of. It is for work that frees its large buffers itself:
 * other garbage may take more memory meanwhile. Setting the flag may cause a collection of the whole heap, because V8 then
 * counts buffers that its last limit did not include; work over a few MiB is therefore cheaper without it.
 */
export function countBuffersAsHeap(): Disposable {
  if (counting++ === 0) setFlagsFromString(HEAP_INCLUDES_BUFFERS);
  return {
    [Symbol.dispose]: () => {
      if (--counting === 0) setFlagsFromString(HEAP_EXCLUDES_BUFFERS);
    },
  };
}
