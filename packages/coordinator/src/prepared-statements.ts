import type { PreparedQuery } from '@tessera/sql';

const MAX_ENTRIES = 1_000;
/** Longer statements are rarely sent twice, and would fill the memory. */
const MAX_TEXT_LENGTH = 32_768;

/** What a prepared statement depends on besides its text. */
export interface PreparedScope {
  readonly timezone: string;
  readonly database: string;
  readonly user: string;
}

/**
 * Statements that were prepared before, least recently used first. Only those belong here whose preparation follows from
 * text and scope alone: no files, no parameters.
 */
export class PreparedStatements {
  readonly #entries = new Map<string, PreparedQuery>();

  get(text: string, scope: PreparedScope): PreparedQuery | undefined {
    const key = keyOf(text, scope);
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  add(text: string, scope: PreparedScope, prepared: PreparedQuery): void {
    if (text.length > MAX_TEXT_LENGTH) return;
    this.#entries.set(keyOf(text, scope), prepared);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }
}

const keyOf = (text: string, scope: PreparedScope): string =>
  JSON.stringify([scope.timezone, scope.database, scope.user, text]);
