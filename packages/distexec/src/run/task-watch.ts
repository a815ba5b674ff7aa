import type { KernelSession } from '@tessera/kernel';
import type { TaskProgress } from '../dist-exec.ts';
import type { MemoryWatch } from './memory-watch.ts';

const INTERVAL_MS = 200;
/** The kernel plans a statement once more for its exact progress, which is too much for short tasks. */
const MIN_MS_BEFORE_PLANNING = 350;

/** Samples a running task: its progress, and how much the kernel spilled meanwhile. */
export class TaskWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #memory: Pick<MemoryWatch, 'begin' | 'spilledBytes'>;
  readonly #endMemory: () => void;
  readonly #session: Pick<KernelSession, 'progress'>;
  readonly #onProgress: ((progress: TaskProgress) => void) | undefined;
  readonly #startedAt = performance.now();
  #spilledAtFirst: number | undefined;
  /**
   * The largest growth of the spill files during the task, whichever task wrote them; 0 for very short tasks.
   */
  spilledBytes = 0;

  constructor(
    memory: Pick<MemoryWatch, 'begin' | 'spilledBytes'>,
    session: Pick<KernelSession, 'progress'>,
    onProgress: ((progress: TaskProgress) => void) | undefined,
  ) {
    this.#memory = memory;
    this.#endMemory = memory.begin();
    this.#session = session;
    this.#onProgress = onProgress;
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#endMemory();
  }

  async #look(): Promise<void> {
    const spilled = this.#memory.spilledBytes;
    if (spilled !== undefined) {
      this.#spilledAtFirst ??= spilled;
      this.spilledBytes = Math.max(this.spilledBytes, spilled - this.#spilledAtFirst);
    }
    const planned = performance.now() - this.#startedAt >= MIN_MS_BEFORE_PLANNING;
    try {
      const { fraction, uncountedMs } = await this.#session.progress(planned);
      if (uncountedMs !== undefined) this.#onProgress?.({ percent: undefined, cpuMs: uncountedMs });
      else this.#onProgress?.(fraction < 0 ? {} : { percent: fraction * 100, cpuMs: undefined });
    } catch {
      // The kernel process is gone, so the task fails by itself.
    }
  }
}
