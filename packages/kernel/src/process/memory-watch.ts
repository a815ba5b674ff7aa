import type { MemoryCeiling } from './memory-ceiling.ts';

/** A call that a session runs. */
export interface WatchedCall {
  /** When it began, by the monotonic clock, in milliseconds. */
  readonly begunMs: number;
  /** Makes it fail for lack of memory. */
  endForMemory(): void;
}

const EVERY_MS = 10;
/** A call that has not run for longer than this is not ended: it has hardly taken memory. */
const SHORT_MS = 60;
/** While a call that was ended frees its memory, no other one is ended unless the process goes on growing by more than this. */
const GROWTH_BYTES = 4 << 20;

/**
 * Ends a running call when little memory is left below the ceiling. Beyond the ceiling every allocation fails: a large one ends
 * its query alone, but where a query takes its memory in small pieces, such as the groups of `mode(x)`, the next piece that
 * is refused may be one of V8 or of a destructor, which ends the process.
 * The oldest call is ended first, so that short ones beside it are answered. It is tried again alone, as all that run out of memory.
 */
export function watchMemory(ceiling: MemoryCeiling, calls: () => Iterable<WatchedCall>): void {
  let ended: { readonly call: WatchedCall; readonly bytes: number } | undefined;
  setInterval(() => {
    const running = [...calls()];
    if (running.length === 0) return;
    const bytes = ceiling.bytesIfNearlyReached();
    if (bytes === undefined) return;
    const isEnding = ended !== undefined && running.includes(ended.call);
    if (isEnding && bytes <= ended!.bytes + GROWTH_BYTES) return;
    const call = mostLikely(running.filter((one) => !isEnding || one !== ended!.call));
    if (call === undefined) return;
    ended = { call, bytes };
    call.endForMemory();
  }, EVERY_MS).unref();
}

function mostLikely(calls: readonly WatchedCall[]): WatchedCall | undefined {
  const latestMs = performance.now() - SHORT_MS;
  const [oldest] = calls.filter(({ begunMs }) => begunMs < latestMs).sort((a, b) => a.begunMs - b.begunMs);
  return oldest;
}
