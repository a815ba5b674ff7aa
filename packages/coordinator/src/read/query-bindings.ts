import type { Snapshot } from '@tessera/catalog';
import type { Binding } from './binding.ts';
import type { BindRequest } from './bound-query.ts';
import { findRelation } from './statement-relations.ts';

const MAX_ENTRIES = 1_000;
/** Longer statements are rarely sent twice, and would fill the memory. */
const MAX_KEY_LENGTH = 32_768;

/** What a binding follows from, besides the relations that the statement names. */
export type BindingKey = string;

/** Undefined for statements that are not worth remembering. */
export function bindingKey(request: BindRequest): BindingKey | undefined {
  const { sql, parameters, settings, sessionValues, rowPositionsOf } = request;
  if (sql.length > MAX_KEY_LENGTH) return undefined;
  const values = parameters.map(({ name, value }) => [name, typeof value, String(value)]);
  const { database, user } = sessionValues;
  const key = JSON.stringify([settings.timezone, database, user, rowPositionsOf ?? '', sql, values]);
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/**
 * Statements that were bound before, least recently used first. A binding holds as long as every name in it stands for the
 * object that it stood for then.
 */
export class QueryBindings {
  readonly #entries = new Map<BindingKey, Binding>();

  async get(key: BindingKey, snapshot: () => Promise<Snapshot>): Promise<Binding | undefined> {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    if (found.named.length > 0 && !stillHolds(found, await snapshot())) return undefined;
    this.#entries.set(key, found);
    return found;
  }

  add(key: BindingKey, binding: Binding): void {
    this.#entries.set(key, binding);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }
}

const stillHolds = (binding: Binding, snapshot: Snapshot): boolean =>
  binding.named.every(({ name, database, object }) => findRelation(snapshot, name, database) === object);
