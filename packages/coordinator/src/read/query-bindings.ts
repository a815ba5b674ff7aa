import type { Snapshot } from '@tessera/catalog';
import type { SqlType } from '@tessera/sql';
import type { BoundQuery } from './bound-query.ts';
import type { BindRequest } from './executable-query.ts';
import { plannedRows } from './mirror-tables.ts';
import { findRelation } from './statement-relations.ts';

const MAX_ENTRIES = 1_000;
/** The total length of the cached plans, in characters. */
const MAX_PLAN_LENGTH = 16_777_216;
/** Longer statements are rarely repeated and would fill the memory. */
const MAX_KEY_LENGTH = 32_768;

/** The key of a binding: everything that it depends on, except the relations that the statement names. */
export type BindingKey = string;

/**
 * Undefined for statements that are not worth caching.
 * @param asked further inputs of the answer
 */
export function bindingKey(request: BindRequest, asked?: readonly SqlType[]): BindingKey | undefined {
  const { sql, parameters, settings, sessionValues, rowPositionsOf } = request;
  if (sql.length > MAX_KEY_LENGTH) return undefined;
  const values = parameters.map(({ name, value, type, isOpen }) => [
    name,
    typeof value,
    isOpen ? null : String(value),
    type,
  ]);
  const { database, user, protocol } = sessionValues;
  const session = [settings.timezone, database, user, protocol];
  const key = JSON.stringify([session, rowPositionsOf ?? '', sql, values, asked]);
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/**
 * Caches bound statements, least recently used first. A binding is valid as long as every name refers to the
 * same object and every table has about the same size.
 */
export class QueryBindings {
  readonly #entries = new Map<BindingKey, BoundQuery>();
  #planLength = 0;

  async get(key: BindingKey, snapshot: () => Promise<Snapshot>): Promise<BoundQuery | undefined> {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#remove(key);
    if (found.named.length > 0 && !stillHolds(found, await snapshot())) return undefined;
    this.add(key, found);
    return found;
  }

  add(key: BindingKey, binding: BoundQuery): void {
    this.#remove(key);
    this.#entries.set(key, binding);
    this.#planLength += planLength(binding);
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#planLength <= MAX_PLAN_LENGTH) return;
      this.#remove(oldest);
    }
  }

  #remove(key: BindingKey): void {
    this.#planLength -= planLength(this.#entries.get(key));
    this.#entries.delete(key);
  }
}

const planLength = (binding: BoundQuery | undefined): number => binding?.serializedPlan?.length ?? 0;

/** Whether names still refer to the same objects. */
export const namesHold = (named: BoundQuery['named'], snapshot: Snapshot): boolean =>
  named.every(
    ({ name, database, object, view }) =>
      findRelation(snapshot, { name, database, inView: view !== undefined }) === object,
  );

const stillHolds = ({ named, tables }: BoundQuery, snapshot: Snapshot): boolean =>
  namesHold(named, snapshot) &&
  [...tables.values()].every(({ table, plannedRows: rows }) => plannedRows(snapshot, table) === rows);
