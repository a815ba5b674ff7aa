const KEY = 'tessera.history';
const KEPT = 100;
const MAX_CHARACTERS = 100_000;

/** @typedef {{ sql: string, at: number }} Entry `at`: milliseconds since 1970 */

/** The statements run in this browser, the last one first. Storage that refuses (full, switched off) is no failure. */
export class StatementHistory {
  /** @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /** @returns {Entry[]} */
  entries() {
    try {
      const entries = JSON.parse(this.storage.getItem(KEY) ?? '[]');
      return Array.isArray(entries)
        ? entries.filter((e) => typeof e?.sql === 'string' && Number.isFinite(e.at))
        : [];
    } catch {
      return [];
    }
  }

  /** A statement run again moves to the front. @param {string} sql @param {number} at */
  add(sql, at) {
    if (sql.length > MAX_CHARACTERS) return;
    const older = this.entries().filter((entry) => entry.sql !== sql);
    let kept = [{ sql, at }, ...older].slice(0, KEPT);
    while (kept.length > 0 && !this.#store(kept)) kept = kept.slice(0, Math.floor(kept.length / 2));
  }

  clear() {
    try {
      this.storage.removeItem(KEY);
    } catch {}
  }

  /** @param {Entry[]} entries */
  #store(entries) {
    try {
      this.storage.setItem(KEY, JSON.stringify(entries));
      return true;
    } catch {
      return false;
    }
  }
}
