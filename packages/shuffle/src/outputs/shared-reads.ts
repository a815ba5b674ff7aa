import type { Kernel } from '@tessera/kernel';
import type { KeptOutput } from './kept-outputs.ts';
import { type ReadPart, readOutput } from './read-output.ts';

/** Larger outputs are read anew for every reader: what is kept here is beside what the kernel has. */
const MAX_BYTES = 1 << 20;
/** Of all outputs together. */
const BUDGET_BYTES = 64 << 20;

/** Small outputs that are asked for as a whole, which several nodes do at once when rows are broadcast: the kernel reads them once. */
export class SharedReads {
  readonly #kernel: Kernel;
  readonly #reads = new WeakMap<KeptOutput, Promise<readonly ReadPart[]>>();
  #bytes = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Whether `read` takes the output. */
  has(output: KeptOutput): boolean {
    return (
      this.#reads.has(output) || (output.bytes <= MAX_BYTES && this.#bytes + output.bytes <= BUDGET_BYTES)
    );
  }

  /** All rows, as `readOutput` gives them. */
  async *read(output: KeptOutput, signal: AbortSignal): AsyncGenerator<ReadPart> {
    let read = this.#reads.get(output);
    if (read === undefined) {
      read = this.#begin(output);
      this.#reads.set(output, read);
    }
    const parts = await read;
    for (const part of parts) {
      if (signal.aborted) throw signal.reason;
      yield part;
    }
  }

  #begin(output: KeptOutput): Promise<readonly ReadPart[]> {
    const { bytes, released } = output;
    this.#bytes += bytes;
    const forget = () => {
      released.removeEventListener('abort', forget);
      this.#reads.delete(output);
      this.#bytes -= bytes;
    };
    released.addEventListener('abort', forget, { once: true });
    const read = this.#all(output);
    read.catch(forget);
    return read;
  }

  async #all(output: KeptOutput): Promise<readonly ReadPart[]> {
    const parts: ReadPart[] = [];
    for await (const part of readOutput(this.#kernel, output, {}, output.released)) {
      if (part instanceof Uint8Array) parts.push(part);
      else {
        parts.push({ ipc: new Uint8Array(part.ipc), rows: part.rows, release: keep });
        part.release();
      }
    }
    return parts;
  }
}

/** The next reader wants it too. */
const keep = (): void => {};
