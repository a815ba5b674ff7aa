/** For smaller buffers, allocation costs less than a search. */
const MIN_POOLED_BYTES = 128 * 1024;
const SIZE_STEP_BYTES = 256 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** A registered buffer may be larger than the payload by this factor. */
const MAX_WASTE = 2;

/** Memory that a pool divides into buffers. It must stay mapped as long as the process runs. */
export interface BackingMemory {
  readonly bytes: number;
  /** A new buffer over a part of the memory; offset and size are in bytes. */
  view(offset: number, bytes: number): ArrayBuffer;
}

/**
 * Reuses buffers of large payloads once nobody reads them: fresh buffers would trigger the garbage collector
 * because of their size, and the system would have to clear their pages.
 */
export class PayloadPool {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #registered: RegisteredBuffers | undefined;

  /** Takes buffers from this memory as long as it has room; undefined ends that. */
  register(memory: BackingMemory | undefined): void {
    this.#registered = memory && new RegisteredBuffers(memory);
  }

  /** A buffer of exactly this size with undefined content. */
  take(size: number): Buffer {
    if (size < MIN_POOLED_BYTES) return Buffer.allocUnsafeSlow(size);
    const stepped = Math.ceil(size / SIZE_STEP_BYTES) * SIZE_STEP_BYTES;
    const registered = this.#registered?.take(stepped);
    if (registered !== undefined) return Buffer.from(registered, 0, size);
    const fits = this.#kept.findIndex((buffer) => buffer.length >= size);
    if (fits === -1) return Buffer.allocUnsafeSlow(stepped).subarray(0, size);
    const [found] = this.#kept.splice(fits, 1);
    this.#keptBytes -= found!.length;
    return found!.subarray(0, size);
  }

  /** Takes back a buffer of `take`. Must be called once, when nobody reads the buffer any more. */
  give(payload: Buffer): void {
    const bytes = payload.buffer.byteLength;
    if (bytes < MIN_POOLED_BYTES) return;
    if (!(payload.buffer instanceof ArrayBuffer) || this.#registered?.give(payload.buffer) === true) return;
    if (this.#keptBytes + bytes > MAX_KEPT_BYTES) {
      // Freed at once: left to the collector, it would count as a reason to run.
      payload.buffer.transfer(0);
      return;
    }
    this.#kept.push(Buffer.from(payload.buffer));
    this.#keptBytes += bytes;
  }

  /** Whether the bytes are in registered memory. */
  isRegistered({ buffer }: Uint8Array): boolean {
    return buffer instanceof ArrayBuffer && this.#registered?.owns(buffer) === true;
  }
}

interface Place {
  /** The number of the division of the memory that it belongs to. */
  readonly division: number;
  readonly offset: number;
  readonly size: number;
}

/**
 * Buffers over one memory. They are made when sizes are first needed, and stay: a new one would count as a reason for the
 * garbage collector to run. If none fits while all are free, the memory is divided again.
 */
class RegisteredBuffers {
  readonly #memory: BackingMemory;
  #division = 0;
  #dividedBytes = 0;
  /** The buffers of the current division, and those of them that nobody reads. */
  #all = new WeakSet<ArrayBuffer>();
  #free: ArrayBuffer[] = [];
  #lent = 0;
  /** Replaces buffers that were never given back, because what read them was interrupted. */
  readonly #forgotten = new FinalizationRegistry<Place>((place) => {
    if (place.division !== this.#division) return;
    this.#lent--;
    this.#free.push(this.#bufferAt(place));
  });

  constructor(memory: BackingMemory) {
    this.#memory = memory;
  }

  take(size: number): ArrayBuffer | undefined {
    const fits = this.#free.findIndex(
      ({ byteLength }) => byteLength >= size && byteLength <= MAX_WASTE * size,
    );
    const buffer = fits === -1 ? this.#divide(size) : this.#free.splice(fits, 1)[0];
    if (buffer !== undefined) this.#lent++;
    return buffer;
  }

  #divide(size: number): ArrayBuffer | undefined {
    if (this.#dividedBytes + size > this.#memory.bytes) {
      if (this.#lent > 0 || size > this.#memory.bytes) return undefined;
      this.#division++;
      this.#dividedBytes = 0;
      this.#all = new WeakSet();
      this.#free = [];
    }
    const offset = this.#dividedBytes;
    this.#dividedBytes += size;
    return this.#bufferAt({ division: this.#division, offset, size });
  }

  #bufferAt(place: Place): ArrayBuffer {
    const buffer = this.#memory.view(place.offset, place.size);
    this.#all.add(buffer);
    this.#forgotten.register(buffer, place);
    return buffer;
  }

  /** Returns false if the buffer is not from here. */
  give(buffer: ArrayBuffer): boolean {
    if (!this.owns(buffer)) return false;
    this.#free.push(buffer);
    this.#lent--;
    return true;
  }

  owns(buffer: ArrayBuffer): boolean {
    return this.#all.has(buffer);
  }
}
