/** Words that PostgreSQL's `quote_ident` quotes although they look like plain names. */
const RESERVED =
  'all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char character check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout int integer intersect interval into is isnull join lateral leading least left like limit localtime localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay placing position precision primary real references returning right row select session_user setof similar smallint some substring symmetric table tablesample then time timestamp to trailing treat trim true union unique user using values varchar variadic verbose when where window with';

const reservedList = RESERVED.split(' ')
  .map((word) => `'${word}'`)
  .join(', ');

/** A function of an angle that PostgreSQL refuses for infinity. */
const ofAngle = (value: string): string =>
  `(x) AS CASE WHEN isinf(CAST(x AS DOUBLE)) THEN error('input is out of range') ELSE ${value} END`;

/** An inverse function of a number from -1 to 1. */
const ofUnit = (value: string): string =>
  `(x) AS CASE WHEN abs(CAST(x AS DOUBLE)) > 1 AND NOT isnan(CAST(x AS DOUBLE)) THEN error('input is out of range') ELSE ${value} END`;

const TURN = 'fmod(abs(CAST(x AS DOUBLE)), 360)';

const NAME_PART = '"(?:[^"]|"")*"|[^".]+';

/** The later of two times, or NULL if one of them is NULL. */
const laterOf = (one: string, other: string): string =>
  `CASE WHEN ${one} IS NOT NULL AND ${other} IS NOT NULL THEN greatest(${one}, ${other}) END`;

/** An overload of `overlay`, which replaces `count` characters of `s` from `start` on. */
const overlay = (parameters: string, count: string): string =>
  `(${parameters}) AS CASE WHEN start < 1 AND s || part IS NOT NULL AND ${count} IS NOT NULL THEN error('negative substring length not allowed')
    ELSE CAST(left(s, start - 1) || part || substring(s, CASE WHEN start + ${count} < 1 THEN 1 ELSE start + ${count} END) AS VARCHAR) END`;

/** The precisions that round and trunc may have. */
const PRECISIONS = Array.from({ length: 77 }, (_, i) => i - 38);

/** `round` or `trunc` to a number of digits that varies, of a NUMERIC too, for which the kernel requires a constant. */
const toDigits = (name: 'round' | 'trunc'): string =>
  `(x, n) AS list_transform([{'x': x, 'n': n}], tsr_v -> CASE WHEN tsr_v.n IS NULL THEN NULL
    WHEN typeof(tsr_v.x) LIKE 'DECIMAL%' THEN tsr_v.x + cast_to_type(CASE tsr_v.n
      ${PRECISIONS.map((digits) => `WHEN ${digits} THEN ${name}(tsr_v.x, ${digits}) - tsr_v.x`).join(' ')}
      ELSE CASE WHEN tsr_v.n < 0 THEN -tsr_v.x ELSE tsr_v.x - tsr_v.x END END, tsr_v.x)
    ELSE cast_to_type(${name}(CAST(tsr_v.x AS DOUBLE), CAST(tsr_v.n AS INTEGER)), tsr_v.x) END)[1]`;

/** A text without quotes around it, or one with them, as an element of an array in PostgreSQL's text form. */
const ARRAY_ITEM = String.raw`\s*(?:"(?:[^"\\]|\\.)*"|(?:[^"\\{},\s]|\\.)(?:[^"\\{},]|\\.)*)\s*`;

/**
 * The call `"as declared"(value, 'smallint')`, which no user's function is named like, in generated queries: the value of a column that a
 * table declares so.
 */
export const AS_DECLARED = 'as declared';

/** Functions of PostgreSQL that need no lookup, under internal names. */
export const POSTGRES_FUNCTION_MACROS: Readonly<Record<string, readonly string[]>> = {
  pg_days_between: [
    `(d, e) AS CASE WHEN isinf(d) AND e IS NOT NULL OR isinf(e) AND d IS NOT NULL
      THEN error('Cannot subtract infinite dates') ELSE d - e END`,
  ],
  // Angles in degrees. As in PostgreSQL, the values at multiples of 30 and 45 degrees are exact.
  pg_sind_acute: [
    `(x) AS CASE WHEN x <= 30 THEN sin(radians(x)) / sin(radians(30)) / 2
      ELSE 1 - (1 - cos(radians(90 - x))) / (1 - cos(radians(60))) / 2 END`,
  ],
  pg_sind_half: ['(x) AS tsr_pg_sind_acute(CASE WHEN x > 90 THEN 180 - x ELSE x END)'],
  pg_cosd_half: [
    '(x) AS CASE WHEN x > 90 THEN -tsr_pg_sind_acute(x - 90) ELSE tsr_pg_sind_acute(90 - x) END',
  ],
  pg_sind: [
    ofAngle(
      `sign(CAST(x AS DOUBLE)) * CASE WHEN ${TURN} > 180 THEN -tsr_pg_sind_half(360 - ${TURN}) ELSE tsr_pg_sind_half(${TURN}) END`,
    ),
  ],
  pg_cosd: [ofAngle(`tsr_pg_cosd_half(CASE WHEN ${TURN} > 180 THEN 360 - ${TURN} ELSE ${TURN} END)`)],
  // Adding 0 turns -0 into 0.
  pg_tand: [
    "(x) AS CASE WHEN fmod(abs(CAST(x AS DOUBLE)), 180) = 90 THEN tsr_pg_sind(x) * CAST('infinity' AS DOUBLE) ELSE tsr_pg_sind(x) / tsr_pg_cosd(x) + 0 END",
  ],
  pg_asind_acute: [
    `(x) AS CASE WHEN x <= 0.5 THEN asin(x) / asin(0.5::DOUBLE) * 30 ELSE 90 - acos(x) / acos(0.5::DOUBLE) * 60 END`,
  ],
  pg_asind: [ofUnit('sign(CAST(x AS DOUBLE)) * tsr_pg_asind_acute(abs(CAST(x AS DOUBLE)))')],
  pg_acosd: [
    ofUnit(
      `CASE WHEN x >= 0 THEN 90 - tsr_pg_asind_acute(CAST(x AS DOUBLE)) ELSE 90 + tsr_pg_asind_acute(-CAST(x AS DOUBLE)) END`,
    ),
  ],
  pg_atand: ['(x) AS atan(CAST(x AS DOUBLE)) / atan(1) * 45'],
  pg_atan2d: ['(y, x) AS atan2(CAST(y AS DOUBLE), CAST(x AS DOUBLE)) / atan(1) * 45'],
  pg_date_bin: ['(stride, t, origin) AS time_bucket(CAST(stride AS INTERVAL), t, origin)'],
  pg_initcap: [
    `(t) AS array_to_string(list_transform(regexp_extract_all(CAST(t AS VARCHAR), '[\\pL\\pN]+|[^\\pL\\pN]+'),
    lambda w: upper(w[1]) || lower(w[2:])), '')`,
  ],
  // An end that is NULL is unknown: the result is NULL unless the known ends decide it.
  pg_overlaps: [
    `(a, b, c, d) AS CASE
    WHEN least(a, b) > least(c, d) THEN least(a, b) < ${laterOf('c', 'd')} OR ${laterOf('a', 'b')} < least(a, b)
    WHEN least(a, b) < least(c, d) THEN least(c, d) < ${laterOf('a', 'b')} OR ${laterOf('c', 'd')} < least(c, d)
    ELSE least(a, b) <= ${laterOf('a', 'b')} AND least(c, d) <= ${laterOf('c', 'd')} END`,
  ],
  pg_quote_ident: [
    `(t) AS CASE WHEN regexp_full_match(CAST(t AS VARCHAR), '[a-z_][a-z0-9_$]*') AND CAST(t AS VARCHAR) NOT IN (${reservedList})
    THEN CAST(t AS VARCHAR) ELSE '"' || replace(CAST(t AS VARCHAR), '"', '""') || '"' END`,
  ],
  pg_quote_literal: [
    `(t) AS CAST(CASE WHEN contains(CAST(t AS VARCHAR), chr(92)) THEN 'E' ELSE '' END || ''''
    || replace(replace(CAST(t AS VARCHAR), chr(92), chr(92) || chr(92)), '''', '''''') || '''' AS VARCHAR)`,
  ],
  pg_format_ident: [
    `(t) AS CASE WHEN t IS NULL THEN error('null values cannot be formatted as an SQL identifier') ELSE tsr_pg_quote_ident(t) END`,
  ],
  pg_format_padded: [
    `(t, width, at_end) AS CASE WHEN length(t) >= abs(coalesce(width, 0)) THEN t
      WHEN at_end OR width < 0 THEN rpad(t, tsr_padded_length(abs(width)), ' ') ELSE lpad(t, tsr_padded_length(width), ' ') END`,
  ],
  pg_byte_place: [
    `(b, n) AS CASE WHEN n < 0 OR n >= octet_length(CAST(b AS BLOB)) THEN error('index ' || n || ' out of valid range, 0..' || octet_length(CAST(b AS BLOB)) - 1)
      ELSE 2 * n + 1 END`,
  ],
  pg_get_byte: [
    `(b, n) AS CAST('0x' || hex(CAST(b AS BLOB))[tsr_pg_byte_place(b, n):tsr_pg_byte_place(b, n) + 1] AS INTEGER)`,
  ],
  pg_set_byte: [
    `(b, n, v) AS unhex(left(hex(CAST(b AS BLOB)), tsr_pg_byte_place(b, n) - 1) || printf('%02x', v & 255) || hex(CAST(b AS BLOB))[tsr_pg_byte_place(b, n) + 2:])`,
  ],
  pg_parse_ident: [
    `(t) AS list_transform(regexp_extract_all(t, '${NAME_PART}'), lambda part: CASE
    WHEN starts_with(part, '"') THEN replace(part[2:-2], '""', '"') ELSE lower(trim(part)) END)`,
  ],
  // The OID decides which types have a modifier; the name is that of the type without it.
  pg_format_type: [
    `(name, type, modifier) AS CASE
    WHEN type IS NULL THEN NULL
    WHEN name IS NULL THEN CASE WHEN type = 0 THEN '-' ELSE '???' END
    WHEN type IN (1700, 1231) AND modifier >= 4 THEN replace(name, 'numeric', 'numeric(' || ((modifier - 4) >> 16) || ',' || ((modifier - 4) & 65535) || ')')
    WHEN type IN (1114, 1115, 1184, 1185) AND modifier >= 0 THEN replace(name, 'timestamp', 'timestamp(' || modifier || ')')
    WHEN type IN (1043, 1042, 1015, 1014) AND modifier >= 4 THEN
      CASE WHEN ends_with(name, '[]') THEN left(name, -2) || '(' || (modifier - 4) || ')[]' ELSE name || '(' || (modifier - 4) || ')' END
    ELSE name END`,
  ],
  // The default privileges of an owner, by PostgreSQL's letter for the kind of object.
  pg_acldefault: [
    `(kind, owner) AS CASE kind
    WHEN 'r' THEN [owner || '=arwdDm/' || owner]
    WHEN 'n' THEN [owner || '=UC/' || owner]
    WHEN 'd' THEN [owner || '=UC/' || owner]
    WHEN 's' THEN [owner || '=rwU/' || owner]
    WHEN 'f' THEN ['=X/' || owner, owner || '=X/' || owner]
    WHEN 'l' THEN ['=U/' || owner, owner || '=U/' || owner]
    WHEN 'T' THEN ['=U/' || owner, owner || '=U/' || owner]
    WHEN 'F' THEN [owner || '=U/' || owner]
    WHEN 'S' THEN [owner || '=U/' || owner]
    WHEN 't' THEN [owner || '=C/' || owner]
    WHEN 'L' THEN [owner || '=rw/' || owner]
    WHEN 'c' THEN CAST([] AS VARCHAR[])
    WHEN 'p' THEN CAST([] AS VARCHAR[]) END`,
  ],
  // The first group of a pattern, or all that matched if the pattern has no groups.
  pg_matched_part: [
    `(s, p, pattern) AS CASE WHEN regexp_matches(regexp_replace(p, '\\\\.|\\[\\^?\\]?[^\\]]*\\]|\\(\\?', '', 'gs'), '\\(')
      THEN tsr_regexp_extract(s, pattern || '()', 1) ELSE tsr_regexp_extract(s, pattern, 0) END`,
  ],
  // The numbers in billionths, so that they are added without rounding.
  billionths: ['(x) AS CAST(round(CAST(x AS DOUBLE) * 1e9) AS BIGINT)'],
  fraction_steps: [
    `(a, b, s) AS CASE WHEN s = 0 THEN error('interval cannot be 0')
      WHEN s > 0 AND a > b OR s < 0 AND a < b THEN 0 ELSE (b - a) // s + 1 END`,
  ],
  fraction_series: [
    `(a, b) AS list_transform([{'a': tsr_billionths(a), 'b': tsr_billionths(b), 's': tsr_billionths(1)}], tsr_v -> list_transform(
      range(0, tsr_fraction_steps(tsr_v.a, tsr_v.b, tsr_v.s)), i -> (tsr_v.a + i * tsr_v.s) / 1e9))[1]`,
    `(a, b, s) AS list_transform([{'a': tsr_billionths(a), 'b': tsr_billionths(b), 's': tsr_billionths(s)}], tsr_v -> list_transform(
      range(0, tsr_fraction_steps(tsr_v.a, tsr_v.b, tsr_v.s)), i -> (tsr_v.a + i * tsr_v.s) / 1e9))[1]`,
  ],
  round_to: [toDigits('round')],
  trunc_to: [toDigits('trunc')],
  pg_size_pretty: [
    `(n) AS CASE
    WHEN abs(n) < 10240 THEN CAST(n AS BIGINT) || ' bytes'
    WHEN abs(n) < 10485760 THEN CAST(round(n / 1024.0) AS BIGINT) || ' kB'
    WHEN abs(n) < 10737418240 THEN CAST(round(n / 1048576.0) AS BIGINT) || ' MB'
    WHEN abs(n) < 10995116277760 THEN CAST(round(n / 1073741824.0) AS BIGINT) || ' GB'
    ELSE CAST(round(n / 1099511627776.0) AS BIGINT) || ' TB' END`,
  ],
  // Whether an element equals the item; NULL if a NULL leaves that undecided.
  pg_any_equal: [
    `(list, item) AS CASE WHEN len(list) = 0 THEN false WHEN item IS NULL THEN NULL
      WHEN list_contains(list, item) THEN true WHEN list_count(list) = len(list) THEN false END`,
  ],
  // Whether some or all outcomes of comparisons are true; NULL if a NULL leaves that undecided.
  any_true: [
    '(outcomes) AS CASE WHEN list_contains(outcomes, true) THEN true WHEN list_count(outcomes) = len(outcomes) THEN false END',
  ],
  all_true: [
    '(outcomes) AS CASE WHEN list_contains(outcomes, false) THEN false WHEN list_count(outcomes) = len(outcomes) THEN true END',
  ],
  pg_array_contains: [
    `(whole, part) AS CASE WHEN list_has_all(whole, part) THEN list_count(part) = len(part)
      WHEN whole IS NOT NULL AND part IS NOT NULL THEN false END`,
  ],
  // The kernel returns a text of digits.
  pg_sha256: ['(b) AS unhex(sha256(b))'],
  pg_to_hex: [
    "(n) AS lower(to_hex(CASE WHEN typeof(n) = 'INTEGER' THEN CAST(n AS BIGINT) & 4294967295 ELSE n END))",
  ],
  pg_overlay: [overlay('s, part, start', 'length(part)'), overlay('s, part, start, count', 'count')],
  // Two hexadecimal digits are a byte.
  bytea_overlay: [
    '(b, part, start) AS unhex(tsr_pg_overlay(hex(b), hex(part), start * 2 - 1))',
    '(b, part, start, count) AS unhex(tsr_pg_overlay(hex(b), hex(part), start * 2 - 1, count * 2))',
  ],
  pg_regexp_split: ['(s, p) AS CASE WHEN p IS NOT NULL THEN string_split_regex(s, p) END'],
  // For patterns that match an empty text: such a match just after another one splits nothing.
  pg_regexp_pieces: [
    `(s, p) AS list_filter(tsr_pg_regexp_split(s, p),
      lambda piece, i: piece <> '' OR i = 1 OR i = len(tsr_pg_regexp_split(s, p)))`,
  ],
  pg_array_dims: [
    `(list) AS CASE WHEN len(list) > 0 THEN '[1:' || len(list) || ']' || CASE WHEN suffix(typeof(list), '][]')
      THEN '[1:' || len(CAST(list AS VARCHAR[][])[1]) || ']' ELSE '' END END`,
  ],
  pg_array_ndims: [
    "(list) AS CASE WHEN len(list) > 0 THEN CAST(len(regexp_extract(typeof(list), '(\\[\\])*$')) // 2 AS INTEGER) END",
  ],
  pg_array_position: [
    `(list, item, start) AS CASE WHEN list IS NULL THEN NULL
      WHEN start IS NULL THEN error('initial position must not be null')
      ELSE list_filter(tsr_pg_array_positions(list, item), lambda i: i >= start)[1] END`,
  ],
  pg_array_positions: [
    `(list, item) AS list_filter(list_transform(list, lambda x, i: CASE WHEN x IS NOT DISTINCT FROM item
      THEN CAST(i AS INTEGER) END), lambda i: i IS NOT NULL)`,
  ],
  pg_cardinality: [
    `(list) AS CAST(CASE WHEN suffix(typeof(list), '][]')
      THEN len(flatten(CAST(list AS VARCHAR[][]))) ELSE len(list) END AS INTEGER)`,
  ],
  pg_div: [
    `(x, y) AS CASE WHEN regexp_full_match(typeof(x) || typeof(y), '(?:(?:TINY|SMALL|BIG|HUGE)INT|INTEGER)*')
      THEN CAST(x AS HUGEINT) // tsr_divisor(CAST(y AS HUGEINT), x)
      ELSE CAST(round((CAST(x AS DECIMAL(38, 9)) - CAST(x AS DECIMAL(38, 9)) % tsr_divisor(CAST(y AS DECIMAL(38, 9)), x))
        / CAST(y AS DECIMAL(38, 9))) AS HUGEINT) END`,
  ],
  round: [
    `(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') AND abs(round(x) - x) = 0.5
      THEN cast_to_type(round(x * 0.5) * 2, round(x)) ELSE round(x) END`,
  ],
  pg_array_upper: [
    `(list, dimension) AS CAST(nullif(CASE WHEN dimension = 1 THEN len(list)
      WHEN dimension = 2 AND suffix(typeof(list), '][]') THEN len(CAST(list AS VARCHAR[][])[1])
      WHEN dimension = 3 AND suffix(typeof(list), '][][]') THEN len(CAST(list AS VARCHAR[][][])[1][1]) END, 0) AS INTEGER)`,
  ],
  pg_array_lower: ['(list, dimension) AS CASE WHEN tsr_pg_array_upper(list, dimension) > 0 THEN 1 END'],
  pg_array_replace: [
    '(list, old, new) AS list_transform(list, lambda x: CASE WHEN x IS NOT DISTINCT FROM old THEN new ELSE x END)',
  ],
  pg_trim_array: [
    `(list, n) AS CASE WHEN n < 0 OR n > len(list) THEN error('number of elements to trim must be between 0 and ' || len(list))
      WHEN n IS NOT NULL THEN list[1:len(list) - n] END`,
  ],
  pg_array_fill: [
    `(value, n) AS CASE WHEN n IS NULL THEN error('dimension values cannot be null') ELSE repeat([value], CAST(n AS BIGINT)) END`,
  ],
  // The length of the innermost array, if the arrays of all dimensions together can have so many elements.
  pg_fill_length: ['(value, n, elements) AS greatest(n, least(n, tsr_repetitions([value], elements)))'],
  pg_width_bucket: [
    `(x, low, high, n) AS CASE WHEN x IS NULL OR low IS NULL OR high IS NULL OR n IS NULL THEN NULL
      WHEN n <= 0 THEN error('count must be greater than zero')
      WHEN low = high THEN error('lower bound cannot equal upper bound')
      WHEN isnan(CAST(x AS DOUBLE)) OR isnan(CAST(low AS DOUBLE)) OR isnan(CAST(high AS DOUBLE))
      THEN error('operand, lower bound, and upper bound cannot be NaN')
      WHEN NOT isfinite(CAST(low AS DOUBLE)) OR NOT isfinite(CAST(high AS DOUBLE)) THEN error('lower and upper bounds must be finite')
      ELSE CAST(CASE WHEN CASE WHEN low < high THEN x < low ELSE x > low END THEN 0
        WHEN CASE WHEN low < high THEN x >= high ELSE x <= high END THEN CAST(n AS BIGINT) + 1
        ELSE floor(n * (CAST(x AS DOUBLE) - CAST(low AS DOUBLE)) / (CAST(high AS DOUBLE) - CAST(low AS DOUBLE))) + 1 END AS INTEGER) END`,
    `(x, thresholds) AS CASE WHEN x IS NOT NULL AND list_count(thresholds) < len(thresholds) THEN error('thresholds array must not contain NULLs')
      WHEN x IS NOT NULL THEN CAST(len(list_filter(thresholds, lambda t: t <= x)) AS INTEGER) END`,
  ],
  // PostgreSQL has no year zero; the year -44 is the year 44 before Christ, the kernel's -43.
  pg_year: [
    `(y, m, d) AS CASE WHEN y = 0 THEN error('Date out of range: 0-' || m || '-' || d) WHEN y < 0 THEN y + 1 ELSE y END`,
  ],
  pg_make_date: ['(y, m, d) AS make_date(tsr_pg_year(y, m, d), m, d)'],
  pg_seconds: [
    "(s) AS CASE WHEN s < 0 OR s > 60 THEN error('Seconds of a timestamp out of range') ELSE s END",
  ],
  pg_make_timestamp: [
    '(y, m, d, h, mi, s) AS make_timestamp(tsr_pg_year(y, m, d), m, d, h, mi, tsr_pg_seconds(s))',
  ],
  pg_step: ["(step) AS CASE WHEN step = step - step THEN error('interval cannot be 0') ELSE step END"],
  // The position of a match: each match is put between two characters.
  pg_regexp_marked: [
    String.raw`(s, p) AS CASE WHEN contains(s, chr(1)) THEN error('the character U+0001 is not supported in a text that is searched for each match of a pattern')
      ELSE string_split(regexp_replace(s, '(' || p || ')', chr(1) || '\1' || chr(1), 'g'), chr(1)) END`,
  ],
  pg_marked_position: [
    `(parts, start, nth, at_end) AS CASE WHEN start < 1 THEN error('invalid value for parameter "start": ' || start)
      WHEN nth < 1 THEN error('invalid value for parameter "n": ' || nth)
      WHEN at_end NOT IN (0, 1) THEN error('invalid value for parameter "endoption": ' || at_end)
      WHEN len(parts) >= 2 * nth + 1 THEN start + length(array_to_string(parts[1:2 * nth - 1 + at_end], ''))
      WHEN parts IS NOT NULL AND nth IS NOT NULL AND at_end IS NOT NULL THEN 0 END`,
  ],
  declared: ['(x, d) AS x'],
  // The elements of an array in PostgreSQL's text form, `{1,NULL,"a b"}`; the kernel's own form has square brackets.
  array_reading: [
    String.raw`(t) AS CASE WHEN regexp_full_match(t, '(?s)\s*\[.*') THEN CAST(t AS VARCHAR[])
      WHEN regexp_full_match(t, '\s*\{\s*\}\s*') THEN []::VARCHAR[]
      WHEN regexp_full_match(t, '(?s)\s*\{${ARRAY_ITEM}(?:,${ARRAY_ITEM})*\}\s*')
        THEN list_transform(regexp_extract_all(regexp_replace(t, '(?s)^\s*\{(.*)\}\s*$', '\1'), '(?s)\s*("(?:[^"\\]|\\.)*"|(?:[^"\\{},]|\\.)+)\s*(?:,|$)', 1),
          lambda item: CASE WHEN item[1] = '"' THEN regexp_replace(item[2:-2], '(?s)\\(.)', '\1', 'g')
            WHEN lower(rtrim(item)) <> 'null' THEN regexp_replace(rtrim(item), '(?s)\\(.)', '\1', 'g') END)
      WHEN t IS NOT NULL THEN error('malformed array literal: "' || t || '"') END`,
  ],
  nested_array_reading: [
    String.raw`(t) AS CASE WHEN regexp_matches(t, '["\\]') THEN error('malformed array literal: "' || t || '"') ELSE translate(t, '{}', '[]') END`,
  ],
  pg_array_remove: ['(list, item) AS list_filter(list, lambda x: x IS DISTINCT FROM item)'],
  pg_expandarray: [
    '(list) AS unnest(list_transform(list, lambda x, i: struct_pack(x := x, n := CAST(i AS INTEGER))))',
  ],
  pg_encoding_name: [
    "(encoding) AS CASE WHEN encoding = 6 THEN 'UTF8' WHEN encoding = 0 THEN 'SQL_ASCII' WHEN encoding IS NOT NULL THEN '' END",
  ],
};
