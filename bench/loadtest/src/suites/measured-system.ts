import type { Workload } from '@tessera/workloads';
import type { Peer } from '../peers/peer.ts';
import { cpuSeconds } from '../processes/cpu-time.ts';
import { MemoryWatch } from '../processes/resident-memory.ts';

export interface LoadCost {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly storedBytes: number | undefined;
}

/** A peer, with its resource use if it runs on this machine. */
export class MeasuredSystem {
  readonly peer: Peer;
  #watch: MemoryWatch | undefined;
  #peakBytes = 0;
  #loadCost: LoadCost | undefined;

  constructor(peer: Peer) {
    this.peer = peer;
    this.#watchOn();
  }

  get loadCost(): LoadCost | undefined {
    return this.#loadCost;
  }

  /** The largest resident memory so far. */
  get peakBytes(): number | undefined {
    return this.#watch === undefined ? undefined : Math.max(this.#peakBytes, this.#watch.peakBytes);
  }

  /** The CPU seconds of the current process so far. */
  cpuSeconds(): number | undefined {
    return this.peer.pid === undefined ? undefined : cpuSeconds(this.peer.pid);
  }

  async load(workload: Workload, directory: string, progress: (table: string) => void): Promise<void> {
    const before = this.cpuSeconds();
    const start = performance.now();
    await this.peer.load(workload, directory, progress);
    const seconds = (performance.now() - start) / 1000;
    this.#loadCost = {
      seconds,
      cpuSeconds: before === undefined ? undefined : this.cpuSeconds()! - before,
      storedBytes: await this.peer.storedBytes(),
    };
  }

  async restart(): Promise<void> {
    this.#peakBytes = this.peakBytes ?? 0;
    await this.#watch?.stop();
    await this.peer.restart!();
    this.#watchOn();
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
    await this.peer.stop();
  }

  #watchOn(): void {
    const { pid } = this.peer;
    this.#watch = pid === undefined ? undefined : new MemoryWatch(pid);
  }
}
