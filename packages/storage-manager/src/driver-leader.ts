import type { Transaction } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { LogNodeDriver } from './log-node-driver.ts';
import type { LogLeader, PinsReport } from './served-storage-manager.ts';
import type { GarbageReport } from './storage-manager.ts';
import type { StorageManagerTimes } from './times.ts';

/** Answers other nodes from this node's log while this node leads. */
export class DriverLeader implements LogLeader {
  readonly #driver: LogNodeDriver;
  readonly #times: StorageManagerTimes;

  constructor(driver: LogNodeDriver, times: StorageManagerTimes) {
    this.#driver = driver;
    this.#times = times;
  }

  async latest(have: number | undefined): Promise<{ version: number; epoch: number; entries: Uint8Array[] }> {
    this.#check();
    const { version, epoch } = await this.#driver.latest(this.#times.readTimeoutMs);
    const entries = have === undefined ? [] : this.#driver.recent.between(have, version);
    return { version, epoch, entries };
  }

  async commit(transaction: Transaction): Promise<{ version: number }> {
    const reply = await this.#driver.request({ kind: 'commit', transaction }, this.#times.commitTimeoutMs);
    if (reply.kind !== 'committed') throw new Error(`a commit was answered with ${reply.kind}`);
    return { version: reply.version };
  }

  reportPins(report: PinsReport): void {
    this.#check();
    this.#driver.dispatch({ kind: 'pins', ...report });
  }

  async collectGarbage(limit: number): Promise<GarbageReport> {
    const reply = await this.#driver.request(
      { kind: 'collect_garbage', limit },
      this.#times.garbageTimeoutMs,
    );
    if (reply.kind !== 'collected') throw new Error(`a collection was answered with ${reply.kind}`);
    return reply.report;
  }

  #check(): void {
    if (this.#driver.state.role.kind !== 'leader') throw TesseraError.of('NOT_LEADER', {});
  }
}
