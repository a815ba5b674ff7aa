const MAX_TEXTS = 256;
const MAX_TEXT_LENGTH = 4_096;
/** As long as another session may have to wait for a statement that runs on the thread of the event loop, in milliseconds. */
const QUICK_MS = 2;
/** How many rows it computes may change from run to run. */
const VARYING = /random/i;

/**
 * Statements whose last run was quick. The same text is quick again if it reads the same rows, and then costs less than the two
 * changes of threads of another one.
 */
export class QuickStatements {
  /** Least recently used first. */
  readonly #texts = new Set<string>();
  readonly #now: () => number;

  /** @param now the clock in milliseconds; replaced in tests */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a statement on this thread if its last run was quick, and otherwise on another one. */
  async run<T>(sql: string, atOnce: () => T, elsewhere: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    const result = this.#texts.delete(sql) ? atOnce() : await elsewhere();
    if (this.#now() - startedAt <= QUICK_MS) this.#add(sql);
    return result;
  }

  #add(sql: string): void {
    if (sql.length > MAX_TEXT_LENGTH || VARYING.test(sql)) return;
    this.#texts.add(sql);
    if (this.#texts.size > MAX_TEXTS) this.#texts.delete(this.#texts.values().next().value!);
  }
}
