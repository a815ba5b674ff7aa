import { measurement } from '@tessera/common';
import type { KernelLog } from '@tessera/kernel';
import type { ContentsOf } from '../storage-agent.ts';
import type { RememberedTable, RememberedTables } from './remembered-tables.ts';
import type { ResidentTableUpdates } from './resident-table-updates.ts';
import type { ResidentTables } from './resident-tables.ts';

/** A table that is in memory again after a restart of its node. */
export const warmedTables = measurement<{ readonly tablets: number }>('table-warmed');

export interface WarmUpOptions {
  readonly resident: ResidentTables;
  readonly updates: ResidentTableUpdates;
  readonly remembered: RememberedTables;
  readonly log: KernelLog;
}

/**
 * Remembers which tables are in memory, and loads those that were there before a restart: one after the other, most recently
 * used first, each in a pause between scans, and within the memory that eviction leaves to tables.
 */
export class WarmUp {
  readonly #o: WarmUpOptions;
  /** Tables of the earlier run that have not been loaded yet. */
  #waiting: readonly RememberedTable[] = [];
  #saving: Promise<void> = Promise.resolve();

  private constructor(options: WarmUpOptions) {
    this.#o = options;
  }

  static async open(options: WarmUpOptions): Promise<WarmUp> {
    const warmUp = new WarmUp(options);
    warmUp.#waiting = await options.remembered.read();
    return warmUp;
  }

  /** Writes down what is in memory, and what is still to be loaded. */
  save(): Promise<void> {
    const { updates, remembered, log } = this.#o;
    const inMemory = updates.inMemory();
    const ids = new Set(inMemory.map(({ tableId }) => tableId));
    const tables = [...inMemory, ...this.#waiting.filter(({ tableId }) => !ids.has(tableId))];
    this.#saving = this.#saving
      .then(() => remembered.write(tables))
      .catch((error) => log.warn({ error: String(error) }, 'the list of resident tables could not be saved'));
    return this.#saving;
  }

  /** Resolves when all tables have been loaded, or the agent is closed. */
  async run(contentsOf: ContentsOf): Promise<void> {
    const { resident, updates, log } = this.#o;
    const startedAt = performance.now();
    let tables = 0;
    for (const remembered of this.#waiting) {
      if (!(await updates.pause())) return;
      try {
        const tablets = await updates.restore(remembered, contentsOf);
        if (tablets > 0) {
          tables += 1;
          warmedTables.emit({ tablets });
        }
      } catch (error) {
        log.warn(
          { table: remembered.tableId, error: String(error) },
          'a table could not be loaded into memory again',
        );
      }
      this.#waiting = this.#waiting.filter((waiting) => waiting !== remembered);
    }
    if (tables === 0) return;
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    log.info(
      { tables, bytes: resident.bytes, seconds },
      'the tables that were in memory before the restart have been loaded again',
    );
  }
}
