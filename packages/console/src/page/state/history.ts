import { signal } from '@preact/signals';
import { browserStorage, keep, kept, type PageStorage } from '../browser-storage.ts';

const KEY = 'tessera.history';
const KEPT = 100;
const MAX_CHARACTERS = 100_000;

/** `at` is in milliseconds since 1970. */
export interface Entry {
  readonly sql: string;
  readonly at: number;
}

/** The statements in a storage, the last one first. */
export function storedHistory(storage: PageStorage): Entry[] {
  const entries = kept(storage, KEY);
  return Array.isArray(entries)
    ? entries.filter((entry) => typeof entry?.sql === 'string' && Number.isFinite(entry.at))
    : [];
}

/** The entries with one more. A statement run again moves to the front; a full storage loses the oldest. */
export function storeInHistory(
  storage: PageStorage,
  entries: readonly Entry[],
  sql: string,
  at: number,
): Entry[] {
  if (sql.length > MAX_CHARACTERS) return [...entries];
  let all = [{ sql, at }, ...entries.filter((entry) => entry.sql !== sql)].slice(0, KEPT);
  while (all.length > 0 && !keep(storage, KEY, all)) all = all.slice(0, Math.floor(all.length / 2));
  return all;
}

const storage = browserStorage('localStorage');

/** The statements run in this browser. */
export const history = signal<readonly Entry[]>(storedHistory(storage));

export function addToHistory(sql: string, at: number): void {
  history.value = storeInHistory(storage, history.value, sql, at);
}

export function clearHistory(): void {
  history.value = [];
  keep(storage, KEY, []);
}
