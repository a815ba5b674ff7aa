import { REFUSED_END } from '@tessera/kernel';
import { DATE_BEGINS, DATE_TEXT, ERA, TIME, TIME_BEGINS, YEAR_ZERO, ZONED } from '../text/date-texts.ts';

/**
 * From this magnitude on, PostgreSQL writes a number with an exponent; the kernel does so only beyond 16
 * digits.
 */
const SCIENTIFIC = { float: '1e6', double: '1e15' } as const;

/** A fraction with more decimals has more digits than a double-precision number. */
const MOST_SUMMED_SCALE = 15;

/** A text of fewer characters without an exponent is a number that a REAL can hold. */
const LONG_NUMBER = 38;

const floatReader = (name: string, type: string): string =>
  String.raw`CREATE OR REPLACE MACRO tsr_${name}_text(t) AS CASE
    WHEN strlen(t) < ${LONG_NUMBER} AND NOT contains(t, 'e') AND NOT contains(t, 'E') THEN t
    WHEN isinf(TRY_CAST(t AS ${type})) AND regexp_matches(t, '\d') OR TRY_CAST(t AS ${type}) = 0 AND regexp_matches(t, '^[^eE]*[1-9]')
    THEN t || '${REFUSED_END}' ELSE t END`;

/**
 * Macros for the texts of values as PostgreSQL writes them, and for the texts that it reads as integers:
 * - `tsr_pg_number(v, t, least)`: the text of the number `v`, where `t` is the kernel's text of it. PostgreSQL writes an exponent
 *   for values of at least `least`.
 * - `tsr_interval_text(i)`: `1 year -2 mons +3 days 04:05:06`, where a part gets a plus after a negative one
 * - `tsr_text(x)`: the text of a value of any type
 * - `tsr_row_item(x)`: the text of a value in a row, `(1,"a b",)`
 * - `tsr_boolean_text(t)`: a text that PostgreSQL reads as a boolean, such as `off`, as one that the kernel reads
 * - `tsr_is_text(x)`: whether the type is TEXT
 * - `tsr_integer_text(t)`: the text `t`, with an end that no cast to an integer accepts if the kernel reads it as an integer although it
 *   has more than digits and a sign
 * - `tsr_double_text(t)`, `tsr_real_text(t)`: the text `t`, with an end that no cast to a number accepts if the kernel reads the number
 *   as infinity or zero although it is neither: `1e400`, `1e-400`
 * - `tsr_date_text(t)`, `tsr_time_of_day_text(t)`: the text `t`, with a beginning that no cast to a date or time accepts if
 *   something else follows the date or time, which the kernel ignores: `2024-01-01 x`, `10:00 pm`. A year before Christ
 *   (`0044-03-15 BC`) is in the kernel's notation.
 * - `tsr_float_json(x)`: a REAL or DOUBLE PRECISION as JSON
 */
export const NUMBER_TEXT_MACROS: readonly string[] = [
  // `-1234567.5` has the digits `12345675`, of which seven stand before the point.
  `CREATE OR REPLACE MACRO tsr_pg_scientific(t, digits) AS CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END
  || rtrim(left(digits, 1) || '.' || substring(digits, 2), '.')
  || 'e+' || lpad(CAST(strpos(ltrim(t, '-'), '.') - 2 AS VARCHAR), 2, '0')`,
  `CREATE OR REPLACE MACRO tsr_pg_number(v, t, least) AS CASE
  WHEN isfinite(v) THEN CASE
    WHEN abs(v) >= least AND NOT contains(t, 'e')
    THEN tsr_pg_scientific(t, rtrim(replace(replace(t, '-', ''), '.', ''), '0'))
    WHEN suffix(t, '.0') THEN left(t, -2) ELSE t END
  WHEN isnan(v) THEN 'NaN' WHEN v > 0 THEN 'Infinity' WHEN v < 0 THEN '-Infinity' END`,
  `CREATE OR REPLACE MACRO tsr_pg_float(v) AS tsr_pg_number(v, CAST(v AS VARCHAR), ${SCIENTIFIC.float})`,
  `CREATE OR REPLACE MACRO tsr_pg_double(v) AS tsr_pg_number(v, CAST(v AS VARCHAR), ${SCIENTIFIC.double})`,
  `CREATE OR REPLACE MACRO tsr_pg_item(t) AS CASE
  WHEN t = '' OR regexp_matches(t, '[{}",\\\\\\s\\x0b]') OR lower(t) = 'null'
  THEN '"' || replace(replace(t, '\\', '\\\\'), '"', '\\"') || '"' ELSE coalesce(t, 'NULL') END`,
  "CREATE OR REPLACE MACRO tsr_bytea_text(b) AS '\\x' || lower(hex(CAST(b AS BLOB)))",
  String.raw`CREATE OR REPLACE MACRO tsr_interval_text(i) AS regexp_replace(regexp_replace(
  replace(CAST(i AS VARCHAR), ' month', ' mon'), '(-1 (?:year|mon|day))\b', '\1s', 'g'), '(-[0-9]+ [a-z]+ )([0-9])', '\1+\2', 'g')`,
  `CREATE OR REPLACE MACRO tsr_array_item(e, type) AS CASE
  WHEN starts_with(type, 'DOUBLE') THEN coalesce(tsr_pg_double(CAST(e AS DOUBLE)), 'NULL')
  WHEN starts_with(type, 'FLOAT') THEN coalesce(tsr_pg_float(CAST(e AS FLOAT)), 'NULL')
  WHEN starts_with(type, 'BLOB') THEN tsr_pg_item(tsr_bytea_text(e))
  WHEN starts_with(type, 'INTERVAL') THEN tsr_pg_item(tsr_interval_text(e))
  ELSE tsr_pg_item(e) END`,
  `CREATE OR REPLACE MACRO tsr_array_text(a) AS CASE
  WHEN regexp_matches(typeof(a), '^(BOOLEAN|(TINY|SMALL|BIG|HUGE)INT|INTEGER|DECIMAL)')
  THEN replace(translate(replace(replace(CAST(a AS VARCHAR), 'true', 't'), 'false', 'f'), '[]', '{}'), ', ', ',')
  WHEN suffix(typeof(a), '][]') THEN '{' || array_to_string(list_transform(CAST(a AS VARCHAR[][]), lambda r: coalesce(
    '{' || array_to_string(list_transform(r, lambda e: tsr_array_item(e, typeof(a))), ',') || '}', 'NULL')), ',') || '}'
  ELSE '{' || array_to_string(list_transform(CAST(a AS VARCHAR[]), lambda e: tsr_array_item(e, typeof(a))), ',') || '}' END`,
  `CREATE OR REPLACE MACRO tsr_text(x) AS CASE
  WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN tsr_pg_number(
    CAST(x AS DOUBLE), CAST(x AS VARCHAR), CASE typeof(x) WHEN 'FLOAT' THEN ${SCIENTIFIC.float} ELSE ${SCIENTIFIC.double} END)
  WHEN typeof(x) = 'BLOB' THEN tsr_bytea_text(x)
  WHEN typeof(x) = 'INTERVAL' THEN tsr_interval_text(x)
  WHEN typeof(x) IN ('DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE') AND contains(CAST(x AS VARCHAR), '(BC)')
  THEN replace(CAST(x AS VARCHAR), ' (BC)', '') || ' BC'
  ELSE CAST(x AS VARCHAR) END`,
  `CREATE OR REPLACE MACRO tsr_moment_text(x) AS CASE WHEN x < DATE '0001-01-01' AND isfinite(x)
  THEN replace(CAST(x AS VARCHAR), ' (BC)', '') || ' BC' ELSE CAST(x AS VARCHAR) END`,
  String.raw`CREATE OR REPLACE MACRO tsr_row_item(x) AS coalesce(regexp_replace(replace(replace(CASE
  WHEN typeof(x) = 'BOOLEAN' THEN left(CAST(x AS VARCHAR), 1)
  WHEN starts_with(typeof(x), 'STRUCT') AND NOT suffix(typeof(x), ']') THEN CAST(to_json(x) AS VARCHAR)
  WHEN suffix(typeof(x), ']') THEN tsr_array_text(x) ELSE tsr_text(x) END,
  '\', '\\'), '"', '""'), '(?s)^(.*[(),"\\\s\x0b].*|)$', '"\1"'), '')`,
  `CREATE OR REPLACE MACRO tsr_boolean_text(t) AS CASE WHEN lower(trim(t)) IN ('on', 'tr', 'tru', 'ye', 'yes', 'true', 'y', 't', '1') THEN 't'
  WHEN lower(trim(t)) IN ('of', 'off', 'fa', 'fal', 'fals', 'no', 'false', 'n', 'f', '0') THEN 'f' ELSE t END`,
  'CREATE OR REPLACE MACRO tsr_joined_arrays(a, b) AS CASE WHEN a IS NOT NULL OR b IS NOT NULL THEN list_concat(a, b) END',
  "CREATE OR REPLACE MACRO tsr_is_float(x) AS typeof(x) IN ('DOUBLE', 'FLOAT')",
  // Floating-point numbers as decimals: see `exactDecimal`. PostgreSQL converts 15 digits of a DOUBLE PRECISION, of which the last
  // one is even if two are equally near.
  `CREATE OR REPLACE MACRO tsr_decimal_text(x) AS CASE WHEN NOT tsr_is_float(x) OR abs(CAST(x AS DOUBLE)) >= 1e15 OR typeof(x) = 'FLOAT'
  THEN CAST(x AS VARCHAR) ELSE format('{:.15g}', CAST(x AS DOUBLE)) END`,
  'CREATE OR REPLACE MACRO tsr_decimal_whole(x) AS CAST(trunc(TRY_CAST(x AS DOUBLE)) AS BIGINT)',
  `CREATE OR REPLACE MACRO tsr_rounded_fraction(f, digits, scale) AS CASE WHEN digits < scale THEN round_even(f, digits)
  ELSE round(round(round_even(f, digits) * pow(10, scale), digits - scale)) / pow(10, scale) END`,
  `CREATE OR REPLACE MACRO tsr_fraction_of(d, scale) AS
  tsr_rounded_fraction(d - trunc(d), 14 - CAST(floor(log10(abs(d))) AS INTEGER), scale)`,
  'CREATE OR REPLACE MACRO tsr_decimal_fraction(x, scale) AS tsr_fraction_of(TRY_CAST(x AS DOUBLE), scale)',
  `CREATE OR REPLACE MACRO tsr_is_far_from_half(scaled, epsilon) AS
  scaled * epsilon < 0.5 AND abs(scaled - floor(scaled) - 0.5) > scaled * epsilon`,
  `CREATE OR REPLACE MACRO tsr_is_exact(x, scale) AS NOT tsr_is_float(x) OR coalesce(
  tsr_is_far_from_half(abs(TRY_CAST(x AS DOUBLE)) * pow(10, scale), CASE typeof(x) WHEN 'FLOAT' THEN 1e-5 ELSE 6e-15 END), true)`,
  `CREATE OR REPLACE MACRO tsr_is_sum(x, scale) AS typeof(x) = 'DOUBLE' AND scale <= ${MOST_SUMMED_SCALE} AND abs(TRY_CAST(x AS DOUBLE)) < 1e15`,
  "CREATE OR REPLACE MACRO tsr_is_text(x) AS typeof(x) = 'VARCHAR'",
  // The first comparison is cheaper than a pattern. A text that the kernel refuses stays as it is, so that its error names the column.
  String.raw`CREATE OR REPLACE MACRO tsr_integer_text(t) AS CASE WHEN CAST(TRY_CAST(t AS BIGINT) AS VARCHAR) = t THEN t
    WHEN TRY_CAST(t AS BIGINT) IS NULL OR regexp_full_match(t, '\s*[-+]?\d+\s*') THEN t ELSE t || '${REFUSED_END}' END`,
  floatReader('double', 'DOUBLE'),
  floatReader('real', 'FLOAT'),
  // Seconds with more than six decimals, which the kernel cuts off: PostgreSQL rounds them.
  String.raw`CREATE OR REPLACE MACRO tsr_seconds_text(t, digits) AS CASE WHEN round_even(CAST('0.' || digits AS DOUBLE) * 1e6, 0) < 1e6
    THEN regexp_replace(t, '\.\d+', '.' || format('{:06d}', CAST(round_even(CAST('0.' || digits AS DOUBLE) * 1e6, 0) AS BIGINT)))
    WHEN regexp_matches(t, '^[\d:.]+$') THEN CASE WHEN split_part(t, '.', 1) = '23:59:59' THEN '24:00:00'
      ELSE CAST(CAST(split_part(t, '.', 1) AS TIME) + INTERVAL 1 SECOND AS VARCHAR) END
    ELSE CAST(CAST(split_part(t, '.', 1) AS TIMESTAMP) + INTERVAL 1 SECOND AS VARCHAR) || regexp_extract(t, '\.\d+(.*)$', 1) END`,
  String.raw`CREATE OR REPLACE MACRO tsr_rounded_seconds(t) AS CASE WHEN length(t) > 15 AND regexp_matches(t, ':\d\d?\.\d{7}')
    THEN tsr_seconds_text(t, regexp_extract(t, ':\d\d?\.(\d+)', 1)) ELSE t END`,
  // `20240229` for a date without dashes, and the era as the kernel spells it.
  String.raw`CREATE OR REPLACE MACRO tsr_kernel_date(t) AS
  regexp_replace(regexp_replace(t, '^(\s*\d{4})(\d\d)(\d\d)(\D|$)', '\1-\2-\3\4'), '${ERA}', '\1 (BC)\2', 'i')`,
  String.raw`CREATE OR REPLACE MACRO tsr_date_text(t) AS
  CASE WHEN length(t) = 10 AND t[5] = '-' AND t[8] = '-' AND t[10] BETWEEN '0' AND '9' AND t > '0001' THEN t
    WHEN regexp_full_match(t, '${DATE_TEXT}') AND NOT regexp_matches(t, '${YEAR_ZERO}')
    THEN tsr_kernel_date(regexp_replace(trim(t), '${ZONED}', '\1\3'))
    WHEN regexp_matches(t, '${DATE_BEGINS}') THEN '${REFUSED_END}' || t ELSE t END`,
  `CREATE OR REPLACE MACRO tsr_is_plain_moment(t) AS t[5] = '-' AND t[8] = '-' AND t > '0001' AND t[10] BETWEEN '0' AND '9'
    AND (length(t) = 10 OR length(t) = 19 AND t[14] = ':' AND t[17] = ':' AND t[19] BETWEEN '0' AND '9')`,
  String.raw`CREATE OR REPLACE MACRO tsr_timestamp_text(t) AS CASE WHEN tsr_is_plain_moment(t) THEN t
    ELSE list_transform([regexp_replace(tsr_rounded_seconds(t), '${ZONED}', '\1\3')], lambda rounded: tsr_date_text(rounded))[1] END`,
  String.raw`CREATE OR REPLACE MACRO tsr_instant_text(t) AS CASE WHEN tsr_is_plain_moment(t) THEN t
    WHEN regexp_full_match(t, '${DATE_TEXT}') AND NOT regexp_matches(t, '${YEAR_ZERO}')
    THEN regexp_replace(regexp_replace(tsr_kernel_date(trim(tsr_rounded_seconds(t))),
      '^(\s*\d+-\d+-\d+[ T]\d[\d:.]*)\s+([+-]\d|[Zz])', '\1\2'), '^(\s*\d+-\d+-\d+[ T]\d\d?:\d\d)([+-]\d|[Zz])', '\1:00\2')
    WHEN regexp_matches(t, '${DATE_BEGINS}') THEN '${REFUSED_END}' || t ELSE t END`,
  String.raw`CREATE OR REPLACE MACRO tsr_time_of_day_text(t) AS
  CASE WHEN regexp_matches(t, '${TIME_BEGINS}') AND NOT regexp_full_match(t, '\s*${TIME}\s*') THEN '${REFUSED_END}' || t
    ELSE tsr_rounded_seconds(t) END`,
  // The forms of `intervalLiteral`: `1-2`, `1 2:03`, `1 min 5`, `P1Y2M3DT4H5M6S`.
  String.raw`CREATE OR REPLACE MACRO tsr_iso_part(t, y, m, w, d) AS regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    t, '([\d.])Y', '\1' || y), '([\d.])M', '\1' || m), '([\d.])[WH]', '\1' || w), '([\d.])[DS]', '\1' || d)`,
  String.raw`CREATE OR REPLACE MACRO tsr_interval_form(t) AS CASE
    WHEN regexp_full_match(t, '\s*[-+]?\d+-\d+\s*')
    THEN regexp_replace(t, '^\s*([-+]?)(\d+)-(\d+)\s*$', '\1\2 years \1\3 months')
    WHEN regexp_full_match(t, '\s*[-+]?\d+\s+[-+]?\d+:\d+(?::\d+(?:\.\d+)?)?\s*')
    THEN regexp_replace(t, '^\s*([-+]?\d+)\s+', '\1 days ')
    WHEN regexp_full_match(t, '\s*(?:[-+]?[\d.]+\s*[A-Za-z]+\s+)*[-+]?\d+(?:\.\d+)?\s*') THEN trim(t) || ' seconds'
    WHEN regexp_full_match(t, '\s*P(?:[-+]?[\d.]+[YMWD])*(?:T(?:[-+]?[\d.]+[HMS])+)?\s*') AND length(trim(t)) > 1
    THEN tsr_iso_part(split_part(substr(trim(t), 2), 'T', 1), ' years ', ' months ', ' weeks ', ' days ')
      || tsr_iso_part(split_part(t, 'T', 2), '', ' minutes ', ' hours ', ' seconds ')
    ELSE t END`,
  // The kernel reads no plus sign, and no blank after a minus sign: `1 month - 1 day`, `1 day +2 hours`.
  String.raw`CREATE OR REPLACE MACRO tsr_interval_reading(t) AS
    tsr_interval_form(regexp_replace(regexp_replace(t, '([-+])\s+([\d.])', '\1\2', 'g'), '\+([\d.])', '\1', 'g'))`,
  // The kernel reads `\x61` as one byte, wherever it stands, and no characters beyond ASCII. A backslash before `\x` makes it refuse
  // the text.
  String.raw`CREATE OR REPLACE MACRO tsr_escaped_bytes(digits) AS regexp_replace(digits, '(..)', '\\x\1', 'g')`,
  String.raw`CREATE OR REPLACE MACRO tsr_blob_text(t) AS CASE WHEN regexp_full_match(t, '[ -\[\]-~]*') THEN t
    WHEN regexp_full_match(t, '\\x(?:[0-9A-Fa-f]{2})*') THEN tsr_escaped_bytes(substr(t, 3))
    WHEN regexp_matches(t, '^\\x[0-9A-Fa-f]{2}') THEN '\' || t
    WHEN starts_with(t, '\x') THEN t
    WHEN contains(t, '\') THEN tsr_escaped_bytes(hex(tsr_unescape(t))) ELSE tsr_escaped_bytes(hex(encode(t))) END`,
  `CREATE OR REPLACE MACRO tsr_float_json(x) AS CASE WHEN isfinite(CAST(x AS DOUBLE)) THEN CAST(tsr_text(x) AS JSON)
  ELSE to_json(tsr_text(x)) END`,
];

/** Macros for PostgreSQL's text forms of values that the kernel prints differently. */
export const POSTGRES_MACROS: readonly string[] = [
  `CREATE OR REPLACE MACRO tsr_pg_era(t) AS
  CASE WHEN contains(t, ' (BC)') THEN replace(t, ' (BC)', '') || ' BC' ELSE t END`,
  // Historic local times have offsets with seconds, which the kernel omits.
  `CREATE OR REPLACE MACRO tsr_pg_timestamptz(v) AS tsr_pg_era(CASE
  WHEN v >= TIMESTAMPTZ '1973-01-01 00:00:00+00' OR NOT isfinite(v) OR extract('timezone' FROM v) % 60 = 0
  THEN CAST(v AS VARCHAR)
  ELSE CAST(v AS VARCHAR) || ':' || lpad(CAST(abs(extract('timezone' FROM v)) % 60 AS VARCHAR), 2, '0') END)`,
  `CREATE OR REPLACE MACRO tsr_pg_in_boolean(t) AS CASE
  WHEN t IN ('t', 'true', '1') OR lower(trim(t)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1') THEN true
  WHEN t IN ('f', 'false', '0') OR lower(trim(t)) IN ('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0') THEN false
  ELSE CAST(t AS BOOLEAN) END`,
  `CREATE OR REPLACE MACRO tsr_pg_in_bytea(t) AS
  CASE WHEN starts_with(t, '\\x') THEN unhex(t[3:]) ELSE tsr_unescape(t) END`,
];
