import { AGGREGATE_FUNCTIONS, AGGREGATE_MACROS } from './aggregate.ts';
import { ARRAY_FUNCTIONS, ARRAY_MACROS } from './array.ts';
import { BYTEA_FUNCTIONS, BYTEA_MACROS } from './bytea.ts';
import { CITY_HASH_MACROS } from './city-hash.ts';
import { CONDITIONAL_FUNCTIONS } from './conditional.ts';
import { CONVERSION_FUNCTIONS } from './conversion.ts';
import { DATE_FUNCTIONS, DATE_MACROS } from './date.ts';
import { HASH_FUNCTIONS } from './hash.ts';
import { HLL_MACROS } from './hyperloglog.ts';
import { internalName } from './internal-macros.ts';
import { JSON_FUNCTIONS, JSON_MACROS } from './json.ts';
import { NUMERIC_FUNCTIONS } from './numeric.ts';
import { PARSE_DATE_MACROS } from './parse-date.ts';
import { POSTGRES_FUNCTION_MACROS } from './postgres-macros.ts';
import { SESSION_FUNCTIONS } from './session.ts';
import { STRING_FUNCTIONS, STRING_MACROS } from './string.ts';
import { TO_CHAR_MACROS } from './to-char.ts';
import { TO_CHAR_NUMBER_MACROS } from './to-char-number.ts';
import { TYPE_NAME_MACROS } from './type-name.ts';
import type { DialectFunction } from './types.ts';
import { VECTOR_FUNCTIONS } from './vector.ts';
import { WINDOW_FUNCTIONS } from './window.ts';

/** Every function that the dialect supports. A name may occur in two categories (aggregate and window). */
export const DIALECT_FUNCTIONS: readonly DialectFunction[] = [
  ...AGGREGATE_FUNCTIONS,
  ...WINDOW_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...NUMERIC_FUNCTIONS,
  ...CONDITIONAL_FUNCTIONS,
  ...CONVERSION_FUNCTIONS,
  ...HASH_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...BYTEA_FUNCTIONS,
  ...VECTOR_FUNCTIONS,
  ...SESSION_FUNCTIONS,
];

/** The macros of all functions, by name without the internal prefix. */
export const INTERNAL_MACROS: Readonly<Record<string, readonly string[]>> = {
  ...AGGREGATE_MACROS,
  ...HLL_MACROS,
  ...ARRAY_MACROS,
  ...STRING_MACROS,
  ...DATE_MACROS,
  ...PARSE_DATE_MACROS,
  ...TO_CHAR_MACROS,
  ...TO_CHAR_NUMBER_MACROS,
  ...JSON_MACROS,
  ...BYTEA_MACROS,
  ...TYPE_NAME_MACROS,
  ...CITY_HASH_MACROS,
  ...POSTGRES_FUNCTION_MACROS,
};

/** The overloads of all macros of functions, as `(x, y) AS …`, by the names of the macros. */
export const MACROS: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(INTERNAL_MACROS).map(([name, overloads]) => [internalName(name), overloads] as const),
  ...DIALECT_FUNCTIONS.flatMap(({ name, implementation }) =>
    implementation.kind === 'macro' ? [[internalName(name), implementation.overloads] as const] : [],
  ),
]);
const LAMBDAS = new Map<string, boolean>();

/** Whether a macro contains a lambda, or calls a macro that does. */
export function usesLambdas(name: string): boolean {
  const body = MACROS.get(name)?.join();
  if (body === undefined) return false;
  const known = LAMBDAS.get(name);
  if (known !== undefined) return known;
  LAMBDAS.set(name, false);
  const found =
    /[\w)] -> [^>]|\blambda\b/.test(body) ||
    [...body.matchAll(/\btsr_\w+/g)].some(([called]) => usesLambdas(called));
  LAMBDAS.set(name, found);
  return found;
}
