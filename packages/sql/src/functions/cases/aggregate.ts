import { type Cases, error } from './case.ts';

const NONE = 'FROM range(0) t(x)';
const NULLS = 'FROM (VALUES (NULL::int), (NULL)) t(x)';
const PAIRS = "FROM (VALUES (1, 'a'), (2, 'b'), (NULL, 'c')) t(x, y)";

export const AGGREGATE_CASES: Cases = {
  any_value: [
    [`SELECT any_value(x) ${NULLS}`, null],
    ['SELECT "any"(x) FROM (VALUES (7)) t(x)', '7'],
  ],
  approx_count_distinct: [
    [`SELECT approx_count_distinct(x) ${NONE}`, '0'],
    ['SELECT abs(approx_count_distinct(x) - 100000) < 15000 FROM range(100000) t(x)', 'true'],
  ],
  array_agg: [
    [`SELECT array_agg(x) ${NONE}`, null],
    [`SELECT array_agg(DISTINCT y ORDER BY y DESC) ${PAIRS}`, '[c, b, a]'],
    [`SELECT array_agg(y ORDER BY y) FILTER (WHERE x > 1) ${PAIRS}`, '[b]'],
  ],
  avg: [
    [`SELECT avg(x) ${NULLS}`, null],
    ['SELECT avg(DISTINCT x) FROM (VALUES (1.5), (1.5), (2.5)) t(x)', '2.0'],
  ],
  bit_and: [[`SELECT bit_and(x) ${NULLS}`, null]],
  bit_or: [[`SELECT bit_or(x) ${NULLS}`, null]],
  bit_xor: [[`SELECT bit_xor(x) ${NULLS}`, null]],
  bool_and: [
    ['SELECT bool_and(x) FROM (VALUES (true), (NULL)) t(x)', 'true'],
    [`SELECT bool_and(x > 0) ${NONE}`, null],
  ],
  bool_or: [['SELECT bool_or(x) FROM (VALUES (false), (NULL)) t(x)', 'false']],
  count: [
    [`SELECT count(*) ${NULLS}`, '2'],
    [`SELECT count(x) ${NULLS}`, '0'],
    [`SELECT count(*) FILTER (WHERE x = 1) ${PAIRS}`, '1'],
  ],
  hash_agg: [
    [`SELECT hash_agg(x) ${NONE}`, null],
    [`SELECT typeof(hash_agg(x, y)) ${PAIRS}`, 'bigint'],
    [`SELECT hash_agg(*) = hash_agg(x, y) ${PAIRS}`, 'true'],
    ['SELECT hash_agg(x) <> checksum(x + 1) FROM range(1000) t(x)', 'true'],
    ['SELECT hash_agg(x) <> 0 FROM (VALUES (1), (1)) t(x)', 'true'],
    ['SELECT count(DISTINCT h) FROM (SELECT hash_agg(x) OVER () AS h FROM range(3) t(x)) q', '1'],
    [
      'SELECT hash_agg(x) FILTER (WHERE x < 5) = (SELECT hash_agg(y) FROM range(5) u(y)) FROM range(9) t(x)',
      'true',
    ],
  ],
  hll_count_build: [
    [`SELECT hll_count_estimate(hll_count_build(x)) ${NONE}`, '0'],
    [`SELECT hll_count_estimate(hll_count_build(x)) ${NULLS}`, '0'],
    ["SELECT encode(hll_count_build(x), 'hex') FROM range(0) t(x)", '0c'],
    ['SELECT octet_length(hll_count_build(x)) FROM range(100000) t(x)', '4097'],
    ['SELECT octet_length(hll_count_build(x, 14)) FROM range(100000) t(x)', '16385'],
    ['SELECT hll_count_build(x, 11) FROM range(1) t(x)', error('literal from 12 to 20')],
    ...[10, 1_000, 3_000, 10_000, 100_000, 1_000_000].map(
      (n) =>
        [
          `SELECT abs(hll_count_estimate(hll_count_build('user-' || x)) - ${n}) <= ${n} * 0.03 FROM range(${n}) t(x)`,
          'true',
        ] as const,
    ),
    [
      'SELECT abs(hll_count_estimate(hll_count_build(x, 16)) - 300000) <= 3000 FROM range(300000) t(x)',
      'true',
    ],
    [
      'SELECT sum(hll_count_estimate(s)) BETWEEN 1980 AND 2020 FROM (SELECT hll_count_build(x) AS s FROM range(2000) t(x) GROUP BY x // 10) g',
      'true',
    ],
  ],
  hll_count_distinct: [
    ['SELECT hll_count_distinct(x, 14) FROM (VALUES (1), (1)) t(x)', '1'],
    ['SELECT hll_count_distinct(x, 30) FROM range(1) t(x)', error('literal from 12 to 20')],
  ],
  hll_count_merge: [
    // The same values give the same bytes, whether they are sketched at once or in parts that are merged.
    [
      'SELECT hll_count_merge(s) = (SELECT hll_count_build(x) FROM range(30000) t(x)) FROM (SELECT hll_count_build(x) AS s FROM range(30000) t(x) GROUP BY x % 7) g',
      'true',
    ],
    [
      'SELECT hll_count_merge(s) = any_value(s) FROM (SELECT hll_count_build(x) AS s FROM range(20) t(x)) g',
      'true',
    ],
    ['SELECT hll_count_merge(NULL::bytea)', null],
    ["SELECT hll_count_merge('abc'::bytea)", error('not a sketch of hll_count_build')],
    [
      "SELECT hll_count_merge(s) FROM (VALUES (decode('0C', 'hex')), (decode('0D', 'hex'))) t(s)",
      error('different precisions'),
    ],
  ],
  hll_count_estimate: [
    ['hll_count_estimate(NULL)', null],
    ["hll_count_estimate(''::bytea)", error('not a sketch of hll_count_build')],
    ["hll_count_estimate(decode('0C0001', 'hex'))", error('not a sketch of hll_count_build')],
  ],
  max: [
    [`SELECT max(x) ${NULLS}`, null],
    ["SELECT max(x) FROM (VALUES ('Z'), ('a'), ('ż')) t(x)", 'ż'],
  ],
  min: [["SELECT min(x) FROM (VALUES ('Z'), ('a')) t(x)", 'Z']],
  max_by: [
    [`SELECT max_by(y, x) ${PAIRS}`, 'b'],
    [`SELECT max_by(x, x) ${NULLS}`, null],
  ],
  min_by: [[`SELECT min_by(y, x) ${PAIRS}`, 'a']],
  median: [
    [`SELECT median(x) ${NULLS}`, null],
    ['SELECT median(x) FROM (VALUES (1.1), (1.2)) t(x)', '1.15'],
    ['SELECT median(x) FROM (VALUES (3), (1), (2)) t(x)', '2.0'],
  ],
  percentile_disc: [
    [`SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) ${NULLS}`, null],
    ['SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x DESC) FROM range(4) t(x)', '2'],
    ['SELECT percentile_disc(NULL) WITHIN GROUP (ORDER BY x) FROM range(4) t(x)', null],
  ],
  percentile_cont: [
    [`SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) ${NULLS}`, null],
    ['SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY x DESC) FROM range(1, 6) t(x)', '4.0'],
    ['SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM (VALUES (1.1), (1.2)) t(x)', '1.15'],
    [
      'SELECT list(p ORDER BY x) FROM (SELECT x, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY x % 2) AS p FROM range(5) t(x)) q',
      '[2.0, 2.0, 2.0, 2.0, 2.0]',
    ],
    [
      'SELECT list(p ORDER BY x) FROM (SELECT x, percentile_cont(0.25) WITHIN GROUP (ORDER BY x DESC) OVER () AS p FROM (VALUES (1), (5)) t(x)) q',
      '[4.0, 4.0]',
    ],
    [
      'SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY x) FROM range(5) t(x)',
      error('in the range [0, 1]'),
    ],
  ],
  stddev_pop: [
    [`SELECT stddev_pop(x) ${NONE}`, null],
    ['SELECT stddev_pop(x) FROM (VALUES (5)) t(x)', '0.0'],
  ],
  stddev_samp: [
    ['SELECT stddev_samp(x) FROM (VALUES (5)) t(x)', null],
    ['SELECT stddev(x) = stddev_samp(x) FROM range(9) t(x)', 'true'],
  ],
  sum: [
    [`SELECT sum(x) ${NULLS}`, null],
    ['SELECT sum(x) FROM (VALUES (9223372036854775807), (1)) t(x)', '9223372036854775808'],
    ['SELECT sum(x) FROM (VALUES (1.25), (1.50)) t(x)', '2.75'],
  ],
  variance_pop: [['SELECT var_pop(x) = variance_pop(x) FROM range(9) t(x)', 'true']],
  variance_samp: [
    ['SELECT variance_samp(x) FROM (VALUES (5)) t(x)', null],
    ['SELECT variance(x) = variance_samp(x) AND var_samp(x) = variance(x) FROM range(9) t(x)', 'true'],
  ],
};
