import type { Snapshot } from '@tessera/catalog';
import type { QueryDescription } from '@tessera/sql';
import type { NamedRelation } from './bound-query.ts';
import { type BindingKey, namesHold } from './query-bindings.ts';

const MAX_ENTRIES = 1_000;

export interface DescribedQuery {
  readonly description: QueryDescription;
  readonly named: readonly NamedRelation[];
}

/**
 * Caches descriptions of queries, least recently used first: clients that prepare statements ask before each
 * run.
 */
export class QueryDescriptions {
  readonly #entries = new Map<BindingKey, DescribedQuery>();

  /** Also undefined if a name in the query refers to something else by now. */
  async get(key: BindingKey, snapshot: () => Promise<Snapshot>): Promise<DescribedQuery | undefined> {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    if (found.named.length > 0 && !namesHold(found.named, await snapshot())) return undefined;
    this.#entries.set(key, found);
    return found;
  }

  add(key: BindingKey, described: DescribedQuery): void {
    this.#entries.delete(key);
    this.#entries.set(key, described);
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES) return;
      this.#entries.delete(oldest);
    }
  }
}
