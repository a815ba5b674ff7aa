import type { Kernel, MemoryUse } from '@tessera/kernel';

const INTERVAL_MS = 200;
/** The fraction of the kernel's memory beyond which another task would mostly make the others spill. */
const CROWDED = 0.9;

/** Samples what the kernel holds in memory and in spill files while at least one task is interested. */
export class MemoryWatch {
  readonly #kernel: Kernel;
  #timer: NodeJS.Timeout | undefined;
  #watchers = 0;
  #latest: MemoryUse | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Starts sampling; the returned function ends it. */
  begin(): () => void {
    this.#watchers++;
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL_MS);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#watchers--;
      if (this.#watchers > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#latest = undefined;
    };
  }

  /** Undefined before the first sample. */
  get spilledBytes(): number | undefined {
    return this.#latest?.spilledBytes;
  }

  /** Whether little memory is left. */
  get isCrowded(): boolean {
    return this.#latest !== undefined && this.#latest.usedBytes > CROWDED * this.#latest.limitBytes;
  }

  async #look(): Promise<void> {
    try {
      const use = await this.#kernel.memory();
      if (this.#watchers > 0) this.#latest = use;
    } catch {
      this.#latest = undefined;
    }
  }
}
