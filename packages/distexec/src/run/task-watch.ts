import type { Kernel, KernelSession } from '@tessera/kernel';
import type { TaskProgress } from '../dist-exec.ts';

const INTERVAL_MS = 200;

/** Looks at a running task now and then: how far it is, and what it made the kernel spill. */
export class TaskWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #kernel: Kernel;
  readonly #session: KernelSession;
  readonly #onProgress: ((progress: TaskProgress) => void) | undefined;
  #spilledAtFirst: number | undefined;
  /** The most that spill files have grown by, whoever wrote them; 0 for tasks that end at once. */
  spilledBytes = 0;

  constructor(
    kernel: Kernel,
    session: KernelSession,
    onProgress: ((progress: TaskProgress) => void) | undefined,
  ) {
    this.#kernel = kernel;
    this.#session = session;
    this.#onProgress = onProgress;
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const [{ fraction }, { spilledBytes }] = await Promise.all([
        this.#session.progress(),
        this.#kernel.memory(),
      ]);
      this.#spilledAtFirst ??= spilledBytes;
      this.spilledBytes = Math.max(this.spilledBytes, spilledBytes - this.#spilledAtFirst);
      this.#onProgress?.(fraction < 0 ? {} : { percent: fraction * 100 });
    } catch {
      // The kernel is gone: the task fails by itself.
    }
  }
}
