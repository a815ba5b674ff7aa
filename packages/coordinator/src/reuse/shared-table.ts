import { type Kernel, quoteName } from '@tessera/kernel';

/**
 * The kernel's bootstrap must include this statement. Tables that statements share have a database of their own, because a
 * statement that fills one may run for long, and the kernel compresses the tables of a database only while nothing else
 * writes to it: in `hot`, loading other tables would fail.
 */
export const sharedTablesBootstrap = "ATTACH ':memory:' AS kept";

/** The name of a table that statements share, for FROM. */
export const relationOf = (name: string): string => `kept.main.${quoteName(name)}`;

/**
 * A table in the memory of a kernel process, which statements share. It is dropped when it is no longer kept and the last
 * statement that reads it has ended.
 */
export class SharedTable {
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #processId: string | undefined;
  #users = 0;
  #isKept = true;

  /** @param processId the process in which the table is */
  constructor(kernel: Kernel, name: string, processId = kernel.processId) {
    this.#kernel = kernel;
    this.name = name;
    this.#processId = processId;
  }

  /** Whether the process of the table still runs. */
  get isThere(): boolean {
    return this.#processId === this.#kernel.processId;
  }

  /** Keeps the table until the returned function is called, which may happen repeatedly. */
  use(): () => void {
    this.#users += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#users -= 1;
      this.#dropUnused();
    };
  }

  drop(): void {
    this.#isKept = false;
    this.#dropUnused();
  }

  #dropUnused(): void {
    if (this.#isKept || this.#users > 0 || !this.isThere) return;
    // The process may have ended, and the table with it.
    void this.#dropTable().catch(() => undefined);
  }

  async #dropTable(): Promise<void> {
    const session = await this.#kernel.session({});
    try {
      await session.execute(`DROP TABLE IF EXISTS ${relationOf(this.name)}`);
    } finally {
      await session.close();
    }
  }
}
