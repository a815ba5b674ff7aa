import { cpus } from 'node:os';
import { type NodeName, startInterval, type Timer } from '@tessera/common';
import type { MemoryUse } from '@tessera/kernel';
import type { AgentMetrics } from '@tessera/storage-agent';
import type { MetricsSample } from '@tessera/system-catalog';
import { type HistoryPlace, StoredHistory } from '../history/stored-history.ts';

const SAVE_EVERY_MS = 60_000;

export interface MetricsSources {
  /** The name of this node. */
  nodeName(): NodeName;
  kernelMemory(): Promise<MemoryUse>;
  /** Undefined if the node keeps no tables. */
  storageAgent(): AgentMetrics | undefined;
  runningQueries(): number;
  /** The number of queries that wait to be admitted. */
  queuedQueries(): number;
}

/** The resource use of all nodes of the cluster; this node samples its own several times a minute. */
export class MetricsHistory {
  readonly #sources: MetricsSources;
  readonly #samples: StoredHistory<MetricsSample>;
  readonly #timer: Timer;
  #processors = processorTimes();
  #requests = { hits: 0, misses: 0 };
  #sampling = false;

  constructor(sources: MetricsSources, samplesPerMinute: number, place?: HistoryPlace) {
    this.#sources = sources;
    this.#samples = new StoredHistory({
      kind: 'metrics',
      place,
      saveEveryMs: SAVE_EVERY_MS,
      timeOf: ({ time }) => time,
      lengthOf: () => 0,
      fromJson: (sample) => ({ ...sample, time: new Date(sample.time) }),
    });
    this.#timer = startInterval(() => void this.#sampleUnlessLate(), 60_000 / samplesPerMinute).unref();
  }

  /** The latest samples, oldest first. */
  samples(): Promise<readonly MetricsSample[]> {
    return this.#samples.records();
  }

  /** Takes a sample now. If that fails, for example while the kernel restarts, the sample is omitted. */
  async sample(): Promise<void> {
    const memory = await this.#sources.kernelMemory().catch(() => undefined);
    if (memory === undefined) return;
    const agent = this.#sources.storageAgent();
    this.#samples.add({
      time: new Date(),
      node: this.#sources.nodeName(),
      cpuUsed: this.#cpuUsed(),
      memoryBytes: process.memoryUsage.rss() + memory.usedBytes,
      diskBytes: agent?.bytesOnDisk ?? 0,
      cacheHitRatio: this.#cacheHitRatio(agent),
      spilledBytes: memory.spilledBytes,
      runningQueries: this.#sources.runningQueries(),
      suspendedQueries: this.#sources.queuedQueries(),
    });
  }

  /** A kernel that has not answered yet is not asked again. */
  async #sampleUnlessLate(): Promise<void> {
    if (this.#sampling) return;
    this.#sampling = true;
    await this.sample();
    this.#sampling = false;
  }

  async close(): Promise<void> {
    this.#timer.clear();
    await this.#samples.close();
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
