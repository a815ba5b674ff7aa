import { caseOf, comparison, constant, type Expression } from '../tree.ts';
import { type Argument, allColumns, internalCall, kernelCall, operatorCall } from './expressions.ts';
import { hllPrecision } from './hyperloglog.ts';
import { builtAsJsonb, documentOfValue } from './json.ts';
import { PERCENTILE_CONT, PERCENTILE_DISC } from './percentile.ts';
import { alias, type Implementation, inCategory, kernelFunction } from './types.ts';

const values = (rows: string, columns = 'x') => `FROM (VALUES ${rows}) t(${columns})`;

/**
 * One 64-bit number for all rows, independent of their order: the sum of the hashes of the rows, modulo 2^64.
 */
const hashAggregate: Implementation = {
  kind: 'aggregate',
  arity: [0, Number.POSITIVE_INFINITY],
  // The parser drops the star of `hash_agg(*)`.
  aggregate: (args) => ({
    name: 'sum',
    args: [kernelCall('hash', ...(args.length === 0 ? [allColumns()] : args))],
  }),
  finish: (sum) => internalCall('signed_sum', sum),
};

/** `jsonb_agg` and `json_agg` join the texts of the documents. */
const jsonList = (type: 'json' | 'jsonb'): Implementation => ({
  kind: 'aggregate',
  arity: [1, 1],
  aggregate: ([value]) => ({
    name: 'string_agg',
    args: [jsonItem(type, value), constant(type === 'jsonb' ? ',' : ', ')],
  }),
  finish: (texts) => internalCall(`${type}_list`, texts),
});

/** `jsonb_object_agg` and `json_object_agg` */
const jsonObject = (type: 'json' | 'jsonb'): Implementation => ({
  kind: 'aggregate',
  arity: [2, 2],
  aggregate: ([key, value]) => ({
    name: 'list',
    args: [internalCall('json_member_of', constant(0), key, jsonItem(type, value))],
  }),
  finish: (members) => internalCall(`${type}_object`, members, type === 'json' ? constant(' ') : undefined),
});

const jsonItem = (type: 'json' | 'jsonb', value: Argument): Expression => {
  const isBuilt = value?.class === 'FUNCTION' && /^jsonb?_build_/.test(value.function_name);
  if (!isBuilt) return internalCall('json_item_text', value && documentOfValue(type, value));
  return internalCall('json_item_text', type === 'jsonb' ? builtAsJsonb(value) : value);
};

/** NULL where one of the sides does not vary: the kernel divides zero by zero. */
const ofVarying = (name: string, spreads: readonly string[]): Implementation => ({
  kind: 'aggregate',
  arity: [2, 2],
  aggregate: (args) => ({ name, args }),
  finish: (result) =>
    caseOf(
      spreads.map((spread) => [
        comparison('COMPARE_EQUAL', { ...result, function_name: spread } as Expression, constant(0)),
        constant(null),
      ]),
      result,
    ),
});

/** NaN for a single infinity or NaN, of which the kernel makes 0. It refuses several values with one of these. */
const spreadOfAll = (name: string): Implementation => ({
  kind: 'aggregate',
  arity: [1, 1],
  aggregate: (args) => ({ name, args }),
  finish: (result) =>
    operatorCall(
      '+',
      result,
      internalCall('nan_unless_finite', { ...result, function_name: 'min' } as Expression),
    ),
});

export const AGGREGATE_FUNCTIONS = inCategory('aggregate', [
  {
    ...kernelFunction(
      'any_value',
      'any_value(T) → T',
      'Some value of the group that is not NULL.',
      `SELECT any_value(x) ${values('(NULL), (7)')}`,
      '7',
    ),
    aliases: ['any'],
    implementation: alias('any_value'),
  },
  kernelFunction(
    'approx_count_distinct',
    'approx_count_distinct(any) → bigint',
    'About how many different values there are, NULL not counted.',
    `SELECT approx_count_distinct(x) ${values('(1), (2), (2), (NULL)')}`,
    '2',
  ),
  kernelFunction(
    'array_agg',
    'array_agg(T [ORDER BY …]) → array(T)',
    'The values as an array, NULLs included; NULL for no rows.',
    `SELECT array_agg(x ORDER BY x DESC) ${values('(1), (NULL), (3)')}`,
    '[NULL, 3, 1]',
  ),
  kernelFunction(
    'avg',
    'avg(numeric) → double precision',
    'The mean of the values that are not NULL.',
    `SELECT avg(x) ${values('(1), (2), (NULL)')}`,
    '1.5',
  ),
  kernelFunction(
    'bit_and',
    'bit_and(integer) → integer',
    'The bits that all values have.',
    `SELECT bit_and(x) ${values('(6), (3), (NULL)')}`,
    '2',
  ),
  kernelFunction(
    'bit_or',
    'bit_or(integer) → integer',
    'The bits that some value has.',
    `SELECT bit_or(x) ${values('(6), (3), (NULL)')}`,
    '7',
  ),
  kernelFunction(
    'bit_xor',
    'bit_xor(integer) → integer',
    'The bits that an odd number of values have.',
    `SELECT bit_xor(x) ${values('(6), (3), (NULL)')}`,
    '5',
  ),
  {
    ...kernelFunction(
      'bool_and',
      'bool_and(boolean) → boolean',
      'Whether all values are true.',
      `SELECT bool_and(x) ${values('(true), (NULL), (false)')}`,
      'false',
    ),
    aliases: ['every'],
    implementation: alias('bool_and'),
  },
  kernelFunction(
    'bool_or',
    'bool_or(boolean) → boolean',
    'Whether some value is true.',
    `SELECT bool_or(x) ${values('(true), (NULL), (false)')}`,
    'true',
  ),
  {
    name: 'hash_agg',
    aliases: ['checksum'],
    signatures: ['hash_agg(any, …) → bigint', 'hash_agg(*) → bigint'],
    description:
      'One number for all rows that does not depend on their order: equal tables have equal numbers.',
    example:
      'SELECT (SELECT hash_agg(*) FROM (VALUES (1, 2), (3, 4)) t) = (SELECT hash_agg(*) FROM (VALUES (3, 4), (1, 2)) t)',
    result: 'true',
    implementation: hashAggregate,
  },
  {
    name: 'corr',
    signatures: ['corr(double precision, double precision) → double precision'],
    description: 'The coefficient of correlation of the pairs without NULL; NULL if one side does not vary.',
    example: `SELECT corr(y, x) ${values('(1, 2), (2, 4), (3, NULL)', 'x, y')}`,
    result: '1.0',
    implementation: ofVarying('corr', ['regr_sxx', 'regr_syy']),
  },
  kernelFunction(
    'count',
    'count(*) → bigint, count([DISTINCT] any) → bigint',
    'How many rows there are, or how many values that are not NULL.',
    `SELECT count(DISTINCT x) ${values('(1), (1), (NULL)')}`,
    '1',
  ),
  {
    name: 'hll_count_build',
    signatures: ['hll_count_build(any [, integer precision 12…20]) → bytea'],
    description: 'A HyperLogLog sketch of the values that are not NULL.',
    example: 'SELECT hll_count_estimate(hll_count_build(x)) FROM range(5) t(x)',
    result: '5',
    implementation: {
      kind: 'aggregate',
      arity: [1, 2],
      aggregate: ([value, precision]) => ({
        name: 'list',
        args: [internalCall('hll_entry', value, constant(hllPrecision(precision)))],
        distinct: true,
      }),
      finish: (entries, [, precision]) =>
        internalCall('hll_encode', entries, constant(hllPrecision(precision))),
    },
  },
  {
    name: 'hll_count_distinct',
    signatures: ['hll_count_distinct(any [, integer precision 12…20]) → bigint'],
    description: 'About how many different values there are, by a HyperLogLog sketch.',
    example: `SELECT hll_count_distinct(x) ${values('(1), (2), (2), (NULL)')}`,
    result: '2',
    implementation: {
      kind: 'aggregate',
      arity: [1, 2],
      aggregate: ([value, precision]) => {
        hllPrecision(precision);
        return { name: 'approx_count_distinct', args: value === undefined ? [] : [value] };
      },
    },
  },
  {
    name: 'hll_count_merge',
    signatures: ['hll_count_merge(bytea) → bytea'],
    description: 'One sketch for the values of all sketches, which must have one precision.',
    example:
      'SELECT hll_count_estimate(hll_count_merge(s)) FROM (SELECT hll_count_build(x) AS s FROM range(6) t(x) GROUP BY x % 2) g',
    result: '6',
    implementation: {
      kind: 'aggregate',
      arity: [1, 1],
      aggregate: (args) => ({ name: 'list', args, distinct: true }),
      finish: (sketches) => internalCall('hll_merge', sketches),
    },
  },
  {
    name: 'json_agg',
    signatures: ['json_agg(any [ORDER BY …]) → json'],
    description: 'The values as a JSON array, NULLs included; NULL for no rows.',
    example: `SELECT json_agg(x ORDER BY x) ${values('(1), (NULL), (3)')}`,
    result: '[1, 3, null]',
    implementation: jsonList('json'),
  },
  {
    name: 'json_object_agg',
    signatures: ['json_object_agg(any key, any value [ORDER BY …]) → json'],
    description: 'The keys and values as a JSON object; NULL for no rows.',
    example: `SELECT json_object_agg(k, v ORDER BY k) ${values(`('b', 1), ('a', 2)`, 'k, v')}`,
    result: '{ "a" : 2, "b" : 1 }',
    implementation: jsonObject('json'),
  },
  {
    name: 'jsonb_agg',
    signatures: ['jsonb_agg(any [ORDER BY …]) → jsonb'],
    description: 'The values as a JSON array, NULLs included; NULL for no rows.',
    example: `SELECT jsonb_agg(x ORDER BY x) ${values('(1), (NULL), (3)')}`,
    result: '[1,3,null]',
    implementation: jsonList('jsonb'),
  },
  {
    name: 'jsonb_object_agg',
    signatures: ['jsonb_object_agg(any key, any value [ORDER BY …]) → jsonb'],
    description: 'The keys and values as a JSON object with the last value of each key; NULL for no rows.',
    example: `SELECT jsonb_object_agg(k, v) ${values(`('b', 1), ('a', 2)`, 'k, v')}`,
    result: '{"a":2,"b":1}',
    implementation: jsonObject('jsonb'),
  },
  kernelFunction(
    'max',
    'max(T) → T',
    'The largest value.',
    `SELECT max(x) ${values('(1), (NULL), (3)')}`,
    '3',
  ),
  kernelFunction(
    'max_by',
    'max_by(T, any) → T',
    'The first argument of the row whose second is the largest.',
    `SELECT max_by(x, y) ${values("('a', 1), ('b', 2), (NULL, 3)", 'x, y')}`,
    'b',
  ),
  {
    ...kernelFunction(
      'median',
      'median(numeric) → double precision',
      'The middle value, or the mean of the two in the middle.',
      `SELECT median(x) ${values('(1), (2), (NULL)')}`,
      '1.5',
    ),
    implementation: {
      kind: 'aggregate',
      arity: [1, 1],
      aggregate: ([value]) => ({ name: 'median', args: [internalCall('quantile_input', value)] }),
    },
  },
  kernelFunction(
    'min',
    'min(T) → T',
    'The smallest value.',
    `SELECT min(x) ${values('(1), (NULL), (3)')}`,
    '1',
  ),
  kernelFunction(
    'min_by',
    'min_by(T, any) → T',
    'The first argument of the row whose second is the smallest.',
    `SELECT min_by(x, y) ${values("('a', 1), ('b', 2)", 'x, y')}`,
    'a',
  ),
  {
    ...kernelFunction(
      'percentile_cont',
      'percentile_cont(fraction) WITHIN GROUP (ORDER BY numeric) → double precision',
      'The value at a fraction of the ordered values, interpolated; also a window function.',
      `SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY x) ${values('(1), (2), (3), (4), (NULL)')}`,
      '1.75',
    ),
    aliases: ['quantile_cont'],
    implementation: PERCENTILE_CONT,
  },
  {
    ...kernelFunction(
      'percentile_disc',
      'percentile_disc(fraction) WITHIN GROUP (ORDER BY any) → any',
      'The first of the ordered values whose position is at least a fraction of their number.',
      `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) ${values("('a'), ('b'), ('c'), ('d'), (NULL)")}`,
      'b',
    ),
    aliases: ['quantile_disc'],
    implementation: PERCENTILE_DISC,
  },
  {
    name: 'regr_slope',
    signatures: ['regr_slope(double precision y, double precision x) → double precision'],
    description:
      'The slope of the line through the pairs without NULL, by least squares; NULL if `x` does not vary.',
    example: `SELECT regr_slope(y, x) ${values('(1, 2), (2, 4), (3, NULL)', 'x, y')}`,
    result: '2.0',
    implementation: ofVarying('regr_slope', ['regr_sxx']),
  },
  {
    ...kernelFunction(
      'stddev_pop',
      'stddev_pop(numeric) → double precision',
      'The standard deviation of a population.',
      `SELECT stddev_pop(x) ${values('(1), (3), (NULL)')}`,
      '1.0',
    ),
    implementation: spreadOfAll('stddev_pop'),
  },
  {
    ...kernelFunction(
      'stddev_samp',
      'stddev_samp(numeric) → double precision',
      'The standard deviation of a sample; NULL for fewer than two values.',
      `SELECT stddev_samp(x) ${values('(2), (4), (4), (4), (5), (5), (7), (9), (1)')}`,
      '2.4037008503093262',
    ),
    aliases: ['stddev'],
    implementation: alias('stddev_samp'),
  },
  kernelFunction(
    'sum',
    'sum(numeric) → bigint | numeric | double precision',
    'The sum of the values that are not NULL; NULL when there is none.',
    `SELECT sum(x) ${values('(1), (2), (NULL)')}`,
    '3',
  ),
  {
    name: 'variance_pop',
    aliases: ['var_pop'],
    signatures: ['variance_pop(numeric) → double precision'],
    description: 'The variance of a population.',
    example: `SELECT variance_pop(x) ${values('(1), (3), (NULL)')}`,
    result: '1.0',
    implementation: spreadOfAll('var_pop'),
  },
  {
    name: 'variance_samp',
    aliases: ['variance', 'var_samp'],
    signatures: ['variance_samp(numeric) → double precision'],
    description: 'The variance of a sample; NULL for fewer than two values.',
    example: `SELECT variance_samp(x) ${values('(1), (3), (NULL)')}`,
    result: '2.0',
    implementation: alias('var_samp'),
  },
]);

export const AGGREGATE_MACROS: Readonly<Record<string, readonly string[]>> = {
  // Texts, each with the separator before it except the first. A text that is NULL is left out with its separator.
  joined_pairs: [
    `(pairs) AS cast_to_type(list_aggregate(list_transform(list_filter(pairs, p -> struct_extract(p, 1) IS NOT NULL), (p, i) ->
      CASE WHEN i = 1 THEN '' ELSE coalesce(struct_extract(p, 2), '') END || struct_extract(p, 1)), 'string_agg', ''),
      struct_extract(pairs[1], 1))`,
  ],
  // The kernel would interpolate a decimal in the decimal's own scale.
  quantile_input: ['(x) AS cast_to_type(x, list_avg([x]))'],
  nan_unless_finite: [
    "(x) AS CASE WHEN NOT isfinite(CAST(x AS DOUBLE)) THEN CAST('nan' AS DOUBLE) ELSE 0 END",
  ],
  signed: [
    `(h) AS CASE WHEN h < 9223372036854775808 THEN h::BIGINT
      ELSE (h - 9223372036854775808)::BIGINT - 9223372036854775807 - 1 END`,
  ],
  signed_sum: ['(s) AS tsr_signed((s & 18446744073709551615)::UBIGINT)'],
};
