import { RecentTexts } from './recent-texts.ts';

/** As long as another session may have to wait for a statement that runs on the thread of the event loop, in milliseconds. */
const QUICK_MS = 2;

/**
 * Statements whose last run was quick. The same text is quick again if it reads the same rows, and then costs less than the two
 * changes of threads of another one.
 */
export class QuickStatements {
  readonly #texts = new RecentTexts();
  readonly #now: () => number;

  /** @param now the clock in milliseconds; replaced in tests */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a statement on this thread if its last run was quick, and otherwise on another one. */
  async run<T>(sql: string, atOnce: () => T, elsewhere: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    const result = this.#texts.delete(sql) ? atOnce() : await elsewhere();
    if (this.#now() - startedAt <= QUICK_MS) this.#texts.add(sql);
    return result;
  }
}
