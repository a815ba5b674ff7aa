const MAX_TEXTS = 256;
const MAX_TEXT_LENGTH = 4_096;
/** A statement whose text matches may compute something else in each run, although it reads the same rows. */
const VARYING = /random/i;

/** Texts of statements over rows that do not change, of which something is known from their last run. */
export class RecentTexts {
  /** Least recently added first. */
  readonly #texts = new Set<string>();

  has(sql: string): boolean {
    return this.#texts.has(sql);
  }

  /** Does nothing for a text that is long or may mean something else each time. */
  add(sql: string): void {
    if (sql.length > MAX_TEXT_LENGTH || VARYING.test(sql)) return;
    this.#texts.delete(sql);
    this.#texts.add(sql);
    if (this.#texts.size > MAX_TEXTS) this.#texts.delete(this.#texts.values().next().value!);
  }

  delete(sql: string): boolean {
    return this.#texts.delete(sql);
  }
}
