import type { KernelSession } from '@tessera/kernel';
import type { TaskProgress } from '../dist-exec.ts';
import type { TaskCpu } from './cpu-meter.ts';
import type { MemoryWatch } from './memory-watch.ts';

const INTERVAL_MS = 200;
/** The kernel plans a statement once more for its exact progress, which is too much for short tasks. */
const MIN_MS_BEFORE_PLANNING = 350;

/** A task that is watched, and the receiver of its progress. */
export interface WatchedTask {
  readonly memory: Pick<MemoryWatch, 'begin' | 'spilledBytes'>;
  readonly session: Pick<KernelSession, 'progress'>;
  readonly cpu: Pick<TaskCpu, 'ms'>;
  onProgress(progress: TaskProgress): void;
}

/** Samples a running task: its progress, and how much the kernel spilled meanwhile. */
export class TaskWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #task: WatchedTask;
  readonly #endMemory: () => void;
  readonly #startedAt = performance.now();
  #spilledAtFirst: number | undefined;
  /**
   * The largest growth of the spill files during the task, whichever task wrote them; 0 for very short tasks.
   */
  spilledBytes = 0;

  constructor(task: WatchedTask) {
    this.#task = task;
    this.#endMemory = task.memory.begin();
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#endMemory();
  }

  async #look(): Promise<void> {
    const { memory, session, cpu } = this.#task;
    const spilled = memory.spilledBytes;
    if (spilled !== undefined) {
      this.#spilledAtFirst ??= spilled;
      this.spilledBytes = Math.max(this.spilledBytes, spilled - this.#spilledAtFirst);
    }
    const planned = performance.now() - this.#startedAt >= MIN_MS_BEFORE_PLANNING;
    try {
      const { fraction, isGuess = false } = await session.progress(planned);
      const percent = fraction < 0 || isGuess ? undefined : fraction * 100;
      this.#task.onProgress({ percent, cpuMs: cpu.ms() });
    } catch {
      // The kernel process is gone, so the task fails by itself.
    }
  }
}
