import { isDeepStrictEqual } from 'node:util';
import { genericText, type QueryParameter, withGenericTexts } from '@tessera/sql';
import type { BoundQuery } from '../read/bound-query.ts';

/** The parameters of a request to bind a generic plan with. */
export interface GenericParameters {
  /** All parameters; `isGeneric` marks those whose values the query is bound without. */
  readonly parameters: readonly QueryParameter[];
  /** The texts of the generic parameters, by number. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Undefined if all values must be known. */
export function genericParameters(given: readonly QueryParameter[]): GenericParameters | undefined {
  const texts = new Map<string, string>();
  const parameters = given.map((parameter) => {
    const text = /^\$\d+$/.test(parameter.name) ? genericText(parameter) : undefined;
    if (text === undefined) return parameter;
    texts.set(parameter.name.slice(1), text);
    return { ...parameter, isGeneric: true };
  });
  return texts.size === 0 ? undefined : { parameters, texts };
}

/** The query that a generic plan is for concrete values. */
export const withValues = (
  { uses: _, ...generic }: BoundQuery,
  { texts }: GenericParameters,
): BoundQuery => ({
  ...generic,
  uses: 0,
  prepared: { ...generic.prepared, sql: withGenericTexts(generic.prepared.sql, texts) },
});

/**
 * Whether a generic plan with the values of `bound` equals what was bound with them: the same text, so that
 * values only occur in their own places, and the same result.
 */
export function isFaithful(generic: BoundQuery, bound: BoundQuery, parameters: GenericParameters): boolean {
  const [a, b] = [withValues(generic, parameters).prepared, bound.prepared];
  return (
    a.sql === b.sql &&
    a.time === 'none' &&
    b.time === 'none' &&
    a.date === undefined &&
    a.sessionRelations.size === 0 &&
    isDeepStrictEqual(a.columns, b.columns) &&
    isDeepStrictEqual(a.tables, b.tables) &&
    generic.named.length === bound.named.length &&
    generic.named.every(({ object }, i) => object === bound.named[i]!.object)
  );
}
