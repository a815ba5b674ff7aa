import { cpus, hostname } from 'node:os';
import { startInterval, type Timer } from '@tessera/common';
import type { MemoryUse } from '@tessera/kernel';
import type { AgentMetrics } from '@tessera/storage-agent';
import type { MetricsSample } from '@tessera/system-catalog';

/** The number of samples that are kept: a day at twelve per minute. */
const MAX_SAMPLES = 24 * 60 * 12;

export interface MetricsSources {
  kernelMemory(): Promise<MemoryUse>;
  /** Undefined if the node keeps no tables. */
  storageAgent(): AgentMetrics | undefined;
  runningQueries(): number;
  /** The number of queries that wait to be admitted. */
  queuedQueries(): number;
}

/** The resource use of the node, sampled several times a minute and kept for at most a day. */
export class MetricsHistory implements Iterable<MetricsSample> {
  readonly #sources: MetricsSources;
  readonly #samples: MetricsSample[] = [];
  readonly #capacity: number;
  readonly #timer: Timer;
  #processors = processorTimes();
  #requests = { hits: 0, misses: 0 };
  #sampling = false;

  constructor(sources: MetricsSources, samplesPerMinute: number) {
    this.#sources = sources;
    this.#capacity = Math.min(24 * 60 * samplesPerMinute, MAX_SAMPLES);
    this.#timer = startInterval(() => void this.#sampleUnlessLate(), 60_000 / samplesPerMinute).unref();
  }

  /** Iterates the samples, oldest first. */
  [Symbol.iterator](): Iterator<MetricsSample> {
    return this.#samples.values();
  }

  /** Takes a sample now. If that fails, for example while the kernel restarts, the sample is omitted. */
  async sample(): Promise<void> {
    const memory = await this.#sources.kernelMemory().catch(() => undefined);
    if (memory === undefined) return;
    const agent = this.#sources.storageAgent();
    this.#samples.push({
      time: new Date(),
      node: hostname(),
      cpuUsed: this.#cpuUsed(),
      memoryBytes: process.memoryUsage.rss() + memory.usedBytes,
      diskBytes: agent?.bytesOnDisk ?? 0,
      cacheHitRatio: this.#cacheHitRatio(agent),
      spilledBytes: memory.spilledBytes,
      runningQueries: this.#sources.runningQueries(),
      suspendedQueries: this.#sources.queuedQueries(),
    });
    if (this.#samples.length > this.#capacity) this.#samples.shift();
  }

  /** A kernel that has not answered yet is not asked again. */
  async #sampleUnlessLate(): Promise<void> {
    if (this.#sampling) return;
    this.#sampling = true;
    await this.sample();
    this.#sampling = false;
  }

  close(): void {
    this.#timer.clear();
  }

  #cpuUsed(): number {
    const before = this.#processors;
    this.#processors = processorTimes();
    const total = this.#processors.total - before.total;
    return total === 0 ? 0 : 1 - (this.#processors.idle - before.idle) / total;
  }

  #cacheHitRatio(agent: AgentMetrics | undefined): number | null {
    if (agent === undefined) return null;
    const hits = agent.hits - this.#requests.hits;
    const misses = agent.misses - this.#requests.misses;
    this.#requests = { hits: agent.hits, misses: agent.misses };
    return hits + misses === 0 ? null : hits / (hits + misses);
  }
}

/** The times of all processors of the machine together, since its start. */
function processorTimes(): { readonly total: number; readonly idle: number } {
  let [total, idle] = [0, 0];
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { total, idle };
}
