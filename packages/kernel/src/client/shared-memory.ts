import { pause } from '@tessera/common';
import { markedAsNotStarted } from '../errors/failed-value.ts';
import { outOfMemory } from '../errors/kernel-error.ts';
import { processMemory } from '../own-memory.ts';
import type { MemoryLimits } from '../protocol/messages.ts';
import { HeapTrimmer } from './heap-trimmer.ts';
import type { KernelProcessHandle } from './kernel-process-handle.ts';

/**
 * The quarantine process gets half of the memory that the serving process does not use, within these fractions of the
 * whole. The queries of the serving process go on with the other half.
 */
const QUARANTINE_SHARE = { least: 1 / 4, most: 1 / 2 };
/** The serving process could not work with less, whatever the node's own process uses. */
const LEAST_SERVING_SHARE = 1 / 4;
/** How long a query that is refused its quarantine waits for the other queries to release memory. */
const MAX_WAIT_MS = 1_000;
const RETRY_MS = 50;
const WATCH_MS = 100;
/** Limits change in steps of this size, so that a process is not notified of every byte. */
const STEP_BYTES = 8 << 20;

/** The processes that serve sessions. */
interface ServingProcesses {
  current(): Promise<KernelProcessHandle>;
  readonly serving: KernelProcessHandle | undefined;
  /** Replaced processes that still have sessions. */
  readonly retired: readonly KernelProcessHandle[];
}

/**
 * Divides the memory of a kernel between its serving process and the quarantine process. Their ceilings never
 * add up to more than the whole: the other process only starts after the serving process has received its
 * lower limit and complied with it. If the node's own process exceeds its share, the excess is taken from the
 * serving process.
 */
export class SharedMemory {
  readonly #whole: MemoryLimits;
  readonly #nodeBytes: number;
  readonly #processes: ServingProcesses;
  readonly #watch: NodeJS.Timeout;
  readonly #heap = new HeapTrimmer();
  #quarantineBytes = 0;

  constructor(whole: MemoryLimits, nodeBytes: number, processes: ServingProcesses) {
    this.#whole = whole;
    this.#nodeBytes = nodeBytes;
    this.#processes = processes;
    this.#watch = setInterval(() => this.#tellServing(), WATCH_MS).unref();
  }

  /** The current limits of the serving process, or of the successor of `beside`, which starts while `beside` still serves. */
  limits(beside?: KernelProcessHandle): MemoryLimits {
    const besideBytes = (beside && processMemory(beside.pid)?.ownBytes) ?? 0;
    return this.#servingLimits(this.#quarantineBytes + besideBytes);
  }

  /** The limit of the serving process while there is no quarantine process. */
  get limitBytes(): number {
    return this.#servingLimits(0).memoryLimitBytes;
  }

  #servingLimits(otherBytes: number): MemoryLimits {
    const left = this.#whole.ceilingBytes - this.#elsewhereBytes() - otherBytes;
    return this.#limited(Math.max(Math.floor(this.#whole.ceilingBytes * LEAST_SERVING_SHARE), left));
  }

  /**
   * Reserves memory for a quarantine process until `release`, and returns its limits.
   * @throws OUT_OF_MEMORY, which `hasNotStarted` recognises, if the serving process holds too much for a second one to
   * start: once it holds less, or after `MAX_WAIT_MS`. The query has probably failed because of those that hold the
   * memory, and can run in the serving process again.
   * @throws the signal's reason
   */
  async takeForQuarantine(signal?: AbortSignal): Promise<MemoryLimits> {
    const taken = await this.#takeAtOnce();
    if (taken !== undefined) return taken;
    const deadline = performance.now() + MAX_WAIT_MS;
    do {
      await pause(RETRY_MS, { signal });
      if ((await this.#takeAtOnce()) !== undefined) break;
    } while (performance.now() < deadline);
    this.release();
    throw markedAsNotStarted(outOfMemory('other queries hold the memory that a second attempt needs'));
  }

  /** Returns undefined if the serving process holds too much. */
  async #takeAtOnce(): Promise<MemoryLimits | undefined> {
    const least = Math.floor(this.#whole.ceilingBytes * QUARANTINE_SHARE.least);
    const most = Math.floor(this.#whole.ceilingBytes * QUARANTINE_SHARE.most);
    const serving = await this.#processes.current();
    const spare =
      this.#whole.ceilingBytes - this.#elsewhereBytes() - (processMemory(serving.pid)?.ownBytes ?? 0);
    const bytes = Math.min(most, Math.max(least, Math.floor(spare / 2)));
    // A process that ends meanwhile holds nothing; the next attempt asks its successor.
    const fits = await serving.comeDownTo(this.#servingLimits(bytes)).catch(() => false);
    if (!fits) return undefined;
    this.#quarantineBytes = bytes;
    return this.#limited(bytes);
  }

  release(): void {
    this.#quarantineBytes = 0;
    this.#tellServing();
  }

  close(): void {
    clearInterval(this.#watch);
  }

  #tellServing(): void {
    const { serving } = this.#processes;
    const limits = this.limits();
    if (serving === undefined || serving.ceilingBytes === limits.ceilingBytes) return;
    // A process that has ended needs no limit.
    serving.setLimits(limits).catch(() => undefined);
  }

  #elsewhereBytes(): number {
    const retired = this.#processes.retired.map(({ pid }) => processMemory(pid)?.ownBytes ?? 0);
    const bytes = retired.reduce((sum, own) => sum + own, this.#nodeExcess());
    return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
  }

  /** The bytes of the node's own process beyond its share. */
  #nodeExcess(): number {
    // The resident memory is at least the process's own, and costs a tenth of asking for that.
    if (process.memoryUsage.rss() <= this.#nodeBytes) return 0;
    const excess = (processMemory('self')?.ownBytes ?? 0) - this.#nodeBytes;
    if (excess > 0) this.#heap.trim();
    return Math.max(0, excess);
  }

  #limited(ceilingBytes: number): MemoryLimits {
    const share = ceilingBytes / this.#whole.ceilingBytes;
    return { ceilingBytes, memoryLimitBytes: Math.floor(this.#whole.memoryLimitBytes * share) };
  }
}
