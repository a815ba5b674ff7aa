import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '@tessera/catalog';
import { openText, type QueryParameter, withOpenTexts } from '@tessera/sql';
import type { BoundQuery } from './bound-query.ts';
import { type BindingKey, QueryBindings } from './query-bindings.ts';

const MAX_KEYS = 1_000;

/** The parameters of a request; those whose values a query can be bound without are open. */
export interface OpenParameters {
  readonly parameters: readonly QueryParameter[];
  /** The texts of the open parameters, by number. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Undefined if all parameters must be known. */
export function openParameters(given: readonly QueryParameter[]): OpenParameters | undefined {
  const texts = new Map<string, string>();
  const parameters = given.map((parameter) => {
    const text = /^\$\d+$/.test(parameter.name) ? openText(parameter) : undefined;
    if (text === undefined) return parameter;
    texts.set(parameter.name.slice(1), text);
    return { ...parameter, isOpen: true };
  });
  return texts.size === 0 ? undefined : { parameters, texts };
}

/**
 * Statements that were bound for all values of their parameters (generic plans), by a key without the values.
 */
export class OpenBindings {
  readonly #bindings = new QueryBindings();
  /** Statements that occurred with a second list of values, and whether a generic plan was tried. */
  readonly #tried = new Map<BindingKey, boolean>();

  /**
   * Whether to try a generic plan: the statement occurred before with other values, and it was not tried yet.
   */
  isDue(key: BindingKey): boolean {
    const tried = this.#tried.get(key);
    this.#tried.delete(key);
    this.#tried.set(key, tried !== undefined);
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > MAX_KEYS && oldest !== undefined) this.#tried.delete(oldest);
    return tried === false;
  }

  get(key: BindingKey, snapshot: () => Promise<Snapshot>): Promise<BoundQuery | undefined> {
    return this.#bindings.get(key, snapshot);
  }

  /** Adds a generic plan; when it becomes invalid, another one may be tried. */
  add(key: BindingKey, binding: BoundQuery): void {
    this.#tried.set(key, false);
    this.#bindings.add(key, binding);
  }
}

/** The binding for concrete values. */
export const filled = ({ uses: _, ...binding }: BoundQuery, { texts }: OpenParameters): BoundQuery => ({
  ...binding,
  uses: 0,
  prepared: { ...binding.prepared, sql: withOpenTexts(binding.prepared.sql, texts) },
});

/**
 * Whether a generic plan, filled with the values of `bound`, equals what was bound with them: the same text,
 * so that values only occur in their own places, and the same result.
 */
export function isFaithful(open: BoundQuery, bound: BoundQuery, parameters: OpenParameters): boolean {
  const [a, b] = [filled(open, parameters).prepared, bound.prepared];
  return (
    a.sql === b.sql &&
    a.time === 'none' &&
    b.time === 'none' &&
    a.sessionRelations.size === 0 &&
    isDeepStrictEqual(a.columns, b.columns) &&
    isDeepStrictEqual(a.tables, b.tables) &&
    open.named.length === bound.named.length &&
    open.named.every(({ object }, i) => object === bound.named[i]!.object)
  );
}
