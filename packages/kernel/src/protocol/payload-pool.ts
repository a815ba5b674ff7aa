/** Below this, a buffer of its own costs less than looking for one. */
const MIN_POOLED_BYTES = 128 * 1024;
const SIZE_STEP_BYTES = 256 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Buffers for large payloads, used again once nobody reads them: fresh ones make the collector run for their size, and
 * the system clear their pages.
 */
export class PayloadPool {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  /** A buffer of just this size, its content undefined. */
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

  /** Takes back what `take` gave; to be called once for it, when nobody reads it any more. */
  give(payload: Buffer): void {
    const bytes = payload.buffer.byteLength;
    if (bytes < MIN_POOLED_BYTES || this.#keptBytes + bytes > MAX_KEPT_BYTES) return;
    this.#kept.push(Buffer.from(payload.buffer));
    this.#keptBytes += bytes;
  }
}
