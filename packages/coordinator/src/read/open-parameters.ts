import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '@tessera/catalog';
import { openText, type QueryParameter, withOpenTexts } from '@tessera/sql';
import type { Binding } from './binding.ts';
import { type BindingKey, QueryBindings } from './query-bindings.ts';

const MAX_KEYS = 1_000;

/** Parameters of a request, those open whose values a query can be bound without. */
export interface OpenParameters {
  readonly parameters: readonly QueryParameter[];
  /** By number, the texts that stand for the open ones. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Undefined where every parameter has to be known. */
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

/** Statements that were bound for all values of their parameters, by a key that leaves the values out. */
export class OpenBindings {
  readonly #bindings = new QueryBindings();
  /** Whether a statement was tried, once it came with a second list of values. */
  readonly #tried = new Map<BindingKey, boolean>();

  /** Whether it is time to bind a statement for all values: it came before with others, and that was not tried. */
  isDue(key: BindingKey): boolean {
    const tried = this.#tried.get(key);
    this.#tried.delete(key);
    this.#tried.set(key, tried !== undefined);
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > MAX_KEYS && oldest !== undefined) this.#tried.delete(oldest);
    return tried === false;
  }

  get(key: BindingKey, snapshot: () => Promise<Snapshot>): Promise<Binding | undefined> {
    return this.#bindings.get(key, snapshot);
  }

  /** It is due again when it does not hold any more. */
  add(key: BindingKey, binding: Binding): void {
    this.#tried.set(key, false);
    this.#bindings.add(key, binding);
  }
}

/** The binding for values. */
export const filled = ({ uses: _, ...binding }: Binding, { texts }: OpenParameters): Binding => ({
  ...binding,
  uses: 0,
  prepared: { ...binding.prepared, sql: withOpenTexts(binding.prepared.sql, texts) },
});

/**
 * Whether what was bound for all values is, for the values of `bound`, what was bound with them: the same text, so that the
 * values stand nowhere but at their places, and the same result.
 */
export function isFaithful(open: Binding, bound: Binding, parameters: OpenParameters): boolean {
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
