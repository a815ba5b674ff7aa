/** For smaller buffers, allocation costs less than a search. */
const MIN_POOLED_BYTES = 128 * 1024;
const SIZE_STEP_BYTES = 256 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Reuses buffers of large payloads once nobody reads them: fresh buffers would trigger the garbage collector
 * because of their size, and the system would have to clear their pages.
 */
export class PayloadPool {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  /** A buffer of exactly this size with undefined content. */
  take(size: number): Buffer {
    if (size < MIN_POOLED_BYTES) return Buffer.allocUnsafeSlow(size);
    const fits = this.#kept.findIndex((buffer) => buffer.length >= size);
    if (fits === -1) {
      return Buffer.allocUnsafeSlow(Math.ceil(size / SIZE_STEP_BYTES) * SIZE_STEP_BYTES).subarray(0, size);
    }
    const [found] = this.#kept.splice(fits, 1);
    this.#keptBytes -= found!.length;
    return found!.subarray(0, size);
  }

  /** Takes back a buffer of `take`. Must be called once, when nobody reads the buffer any more. */
  give(payload: Buffer): void {
    const bytes = payload.buffer.byteLength;
    if (bytes < MIN_POOLED_BYTES) return;
    if (this.#keptBytes + bytes > MAX_KEPT_BYTES) {
      // Freed at once: left to the collector, it would count as a reason to run.
      if (payload.buffer instanceof ArrayBuffer) payload.buffer.transfer(0);
      return;
    }
    this.#kept.push(Buffer.from(payload.buffer));
    this.#keptBytes += bytes;
  }
}
