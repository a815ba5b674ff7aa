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
/** Macros of the kernel itself that statements call. */
const KERNEL_MACROS = new Map([['nullif', ['(a, b) AS CASE WHEN a = b THEN NULL ELSE a END']]]);

const ARGUMENTS_FIRST = new Map<string, boolean>();

/**
 * Whether a subquery among the arguments of a macro must be computed before the call: the macro contains a lambda, in which
 * the kernel allows no subqueries, or it names an argument more than once, so that the kernel would compute the subquery
 * as often; or it calls a macro that does.
 */
export function needsArgumentsFirst(name: string): boolean {
  const overloads = MACROS.get(name) ?? KERNEL_MACROS.get(name);
  if (overloads === undefined) return false;
  const known = ARGUMENTS_FIRST.get(name);
  if (known !== undefined) return known;
  ARGUMENTS_FIRST.set(name, false);
  const body = overloads.join();
  const found =
    /[\w)] -> [^>]|\blambda\b/.test(body) ||
    overloads.some(repeatsArgument) ||
    [...body.matchAll(/\btsr_\w+/g)].some(([called]) => needsArgumentsFirst(called));
  ARGUMENTS_FIRST.set(name, found);
  return found;
}

/** @param overload `(x, y) AS …` */
function repeatsArgument(overload: string): boolean {
  const [, names = '', body = ''] = /^\(([^)]*)\) AS (.*)$/s.exec(overload) ?? [];
  return names
    .split(',')
    .map((name) => name.trim().split(' ')[0]!)
    .some((name) => name !== '' && body.split(new RegExp(`\\b${name}\\b`)).length > 2);
}
