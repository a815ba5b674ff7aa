import { withValue } from './with-value.ts';

/** An item of a list of members: a key, and the JSON text of its value. */
const MEMBER = { key: 'e[1]', value: 'e[2]' };

const TYPE_ERROR = (type: string, what: string) => `CASE WHEN ${type} IS NOT NULL THEN error(${what}) END`;

/** The names of a document's type in errors. */
const KIND =
  "CASE json_type(j) WHEN 'ARRAY' THEN 'an array' WHEN 'OBJECT' THEN 'an object' ELSE 'a scalar' END";

/** Matches a document with a number that the kernel may write with other digits: `1.10`, `1e2`, or one of more than 16 digits. */
const REWRITTEN_NUMBER = "'[.][0-9]*0(?:[^0-9]|$)|[0-9][eE]|[0-9.]{17}'";

/**
 * The kernel reads numbers as doubles when it takes a document apart: `1.10` becomes `1.1`. The macros below therefore work on
 * held documents, in which each number with a point or an exponent is a string that begins with NUL, which no other string of a
 * `jsonb` contains. `tsr_json_free` makes numbers of these strings.
 */
const HELD_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  // The end of the document, after the last number, is held as an empty string and cut off.
  json_hold: [
    `(j) AS ${withValue(
      'tsr_whole',
      'CAST(j AS VARCHAR)',
      String.raw`CASE WHEN regexp_matches(tsr_whole, '[0-9][.eE]|[0-9]{19}')
      THEN left(regexp_replace(tsr_whole || ' ', '((?:[^"0-9-]|"(?:[^"\\]|\\.)*")*)(-?[0-9][0-9.eE+-]*|$)', '\1"\\u0000\2"', 'g'), -9)
      ELSE tsr_whole END`,
    )}`,
  ],
  json_free_text: [
    `(t) AS ${withValue(
      'tsr_held',
      't',
      String.raw`CASE WHEN contains(tsr_held, '\u0000')
      THEN regexp_replace(tsr_held, '"\\u0000([-+0-9.eE]+)"', '\1', 'g') ELSE tsr_held END`,
    )}`,
  ],
  json_free: ['(t) AS CAST(tsr_json_free_text(CAST(t AS VARCHAR)) AS JSON)'],
  // A document without blanks.
  json_minified: [
    `(j) AS ${withValue(
      'tsr_written',
      'j',
      `CASE WHEN regexp_matches(CAST(tsr_written AS VARCHAR), ${REWRITTEN_NUMBER})
        THEN tsr_json_free(json(tsr_json_hold(tsr_written))) ELSE json(tsr_written) END`,
    )}`,
  ],
  // A part of a document. It is taken from the held document only if it has a number that the kernel may write differently.
  json_at: [
    `(j, path) AS ${withValue(
      'tsr_found',
      'struct_pack(part := json_extract(j, path), whole := j, path := path)',
      `CASE WHEN regexp_matches(CAST(tsr_found.part AS VARCHAR), '[0-9][.eE]') AND
        (regexp_matches(CAST(tsr_found.part AS VARCHAR), '[0-9]e') OR regexp_matches(CAST(tsr_found.whole AS VARCHAR), ${REWRITTEN_NUMBER}))
      THEN tsr_json_free(json_extract(tsr_json_hold(tsr_found.whole), tsr_found.path)) ELSE tsr_found.part END`,
    )}`,
  ],
};

/** The types whose values the kernel's `to_json` writes in another form than PostgreSQL. */
const SCALAR_TYPES = '(?:DATE|DOUBLE|FLOAT|DECIMAL\\([0-9,]*\\)|TIMESTAMP|TIMESTAMP WITH TIME ZONE)';

/** A part of a document whose key is an integer or a text: its type decides what it names. */
const partOf = (item: string): string =>
  `(j, k) AS CASE WHEN typeof(k) IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT') THEN tsr_${item}(j, k) ELSE tsr_json_member(j, k) END`;

/** Values of other types as documents. */
const TO_JSONB: Readonly<Record<string, readonly string[]>> = {
  jsonb: ['(j) AS j'],
  // `1.5e+20` without the exponent, and `2.0` as `2`.
  json_shifted: [
    `(digits, e) AS CASE WHEN e < 0 THEN '0.' || repeat('0', -e - 1) || digits
      WHEN len(digits) > e + 1 THEN left(digits, e + 1) || '.' || digits[e + 2:]
      ELSE rpad(digits, e + 1, '0') END`,
  ],
  json_digits: [
    `(t) AS CASE WHEN contains(t, 'e') THEN CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END
      || tsr_json_shifted(replace(ltrim(split_part(t, 'e', 1), '-'), '.', ''), CAST(split_part(t, 'e', 2) AS INTEGER))
      WHEN suffix(t, '.0') THEN left(t, -2) ELSE t END`,
  ],
  json_float: [
    "(type, t) AS tsr_pg_number(TRY_CAST(t AS DOUBLE), t, CASE type WHEN 'FLOAT' THEN 1e6 ELSE 1e15 END)",
  ],
  // `0044-03-15 (BC) 10:00:00` as `0044-03-15 10:00:00 BC`.
  json_era: [
    String.raw`(t) AS CASE WHEN contains(t, '(BC)') THEN regexp_replace(t, '^(\S+) \(BC\)(.*)$', '\1\2 BC') ELSE t END`,
  ],
  // The JSON text of a value, by the name of its type and its text.
  json_scalar: [
    `(type, t) AS CASE
      WHEN type IN ('DOUBLE', 'FLOAT') THEN CASE WHEN isfinite(TRY_CAST(t AS DOUBLE)) THEN tsr_json_float(type, t)
        ELSE '"' || tsr_json_float(type, t) || '"' END
      WHEN type = 'DATE' THEN '"' || tsr_json_era(t) || '"'
      WHEN type = 'TIMESTAMP' THEN '"' || regexp_replace(tsr_json_era(t), ' ', 'T') || '"'
      WHEN type = 'TIMESTAMP WITH TIME ZONE'
      THEN '"' || regexp_replace(regexp_replace(tsr_json_era(t), ' ', 'T'), '([+-][0-9]{2})( BC)?$', '\\1:00\\2') || '"' ELSE t END`,
  ],
  json_of: [
    `(x) AS CASE
      WHEN typeof(x) = 'JSON' THEN CAST(x AS JSON)
      WHEN typeof(x) = 'BLOB' THEN to_json('\\x' || lower(hex(x::VARCHAR::BLOB)))
      WHEN typeof(x) = 'INTERVAL' THEN to_json(tsr_interval_text(x))
      WHEN regexp_full_match(typeof(x), '${SCALAR_TYPES}')
      THEN CAST(tsr_json_scalar(typeof(x), CAST(x AS VARCHAR)) AS JSON)
      WHEN regexp_full_match(typeof(x), '${SCALAR_TYPES}\\[\\]') THEN CAST('[' || array_to_string(
        list_transform(TRY_CAST(CAST(x AS VARCHAR) AS VARCHAR[]), lambda t: coalesce(tsr_json_scalar(typeof(x)[:-3], t), 'null')),
        ',') || ']' AS JSON)
      ELSE to_json(x) END`,
  ],
  json_array: [
    "(items, separator) AS CAST('[' || array_to_string(list_transform(items, lambda i: coalesce(i, 'null')), separator) || ']' AS JSON)",
  ],
  json_item_text: ["(j) AS coalesce(CAST(j AS VARCHAR), 'null')"],
  json_list: ["(t) AS CAST('[' || t || ']' AS JSON)"],
  jsonb_list: ["(t) AS CAST('[' || t || ']' AS JSON)"],
};

/** Objects as lists of members. */
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  json_members: [
    `(h) AS ${withValue('tsr_object', 'h', "list_zip(json_keys(tsr_object), CAST(json_extract(tsr_object, '$.*') AS VARCHAR[]))")}`,
  ],
  json_object_text: [
    `(members) AS '{' || array_to_string(list_transform(members, lambda e:
      CAST(to_json(${MEMBER.key}) AS VARCHAR) || ':' || ${MEMBER.value}), ',') || '}'`,
  ],
  // The last value of each key, the shorter keys first and keys of one length in the order of their bytes.
  jsonb_object_text: [
    `(members) AS ${withValue(
      'tsr_s',
      `list_sort(list_transform(members, lambda e, i:
      struct_pack(l := strlen(${MEMBER.key}), k := ${MEMBER.key}, i := i, v := ${MEMBER.value})))`,
      `'{' || array_to_string(list_transform(list_filter(tsr_s, lambda tsr_e, i: i = len(tsr_s) OR tsr_s[i + 1].k <> tsr_e.k), lambda tsr_e:
        CAST(to_json(tsr_e.k) AS VARCHAR) || ':' || tsr_e.v), ',') || '}'`,
    )}`,
  ],
  json_object: [
    `(members, edge) AS CAST('{' || edge || array_to_string(list_transform(members, lambda e:
      CAST(to_json(${MEMBER.key}) AS VARCHAR) || ' : ' || ${MEMBER.value}), ', ') || edge || '}' AS JSON)`,
  ],
  json_zipped: [
    `(keys, texts) AS CASE WHEN len(keys) <> len(texts) THEN error('mismatched array dimensions')
      WHEN len(list_filter(keys, lambda k: k IS NULL)) > 0 THEN error('null value not allowed for object key')
      WHEN keys IS NOT NULL AND texts IS NOT NULL THEN list_zip(keys, list_transform(texts, lambda t: coalesce(CAST(to_json(t) AS VARCHAR), 'null'))) END`,
  ],
  json_pairs: [
    `(texts) AS CASE WHEN len(texts) % 2 = 1 THEN error('array must have even number of elements')
      WHEN texts IS NOT NULL THEN tsr_json_zipped(list_slice(texts, 1, len(texts), 2), list_slice(texts, 2, len(texts), 2)) END`,
  ],
  jsonb_object: ['(members) AS CAST(tsr_jsonb_object_text(members) AS JSON)'],
  jsonb_sorted: ['(j) AS tsr_json_free(tsr_jsonb_object_text(tsr_json_members(tsr_json_hold(j))))'],
  // Ordering the keys of an object without others in it takes a tenth of the time.
  jsonb_canonical: [
    `(j) AS ${withValue(
      'tsr_unordered',
      'j',
      `CASE WHEN contains(CAST(tsr_unordered AS VARCHAR), '{') AND contains(CAST(tsr_unordered AS VARCHAR), ',') THEN CASE
      WHEN starts_with(CAST(tsr_unordered AS VARCHAR), '{') AND NOT contains(CAST(tsr_unordered AS VARCHAR)[2:], '{')
      THEN tsr_jsonb_sorted(tsr_unordered) ELSE CAST(tsr_json_ordered(CAST(tsr_unordered AS VARCHAR)) AS JSON) END ELSE tsr_unordered END`,
    )}`,
  ],
  // A document of which only parts are read: its keys keep their order.
  json_checked: ['(x) AS tsr_json_minified(CAST(x AS JSON))'],
  to_jsonb: ['(x) AS tsr_jsonb_canonical(tsr_json_minified(CAST(x AS JSON)))'],
  jsonb_array: ['(a) AS list_transform(a, lambda value: tsr_to_jsonb(value))'],
  to_jsonb_value: [
    `(x) AS CASE WHEN starts_with(typeof(x), 'STRUCT') THEN tsr_jsonb_sorted(to_json(x))
      WHEN typeof(x) = 'JSON' THEN tsr_json_minified(CAST(x AS JSON))
      WHEN typeof(x) IN ('DOUBLE', 'FLOAT') AND isfinite(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE))
      THEN TRY_CAST(tsr_json_digits(CAST(x AS VARCHAR)) AS JSON) ELSE tsr_json_of(x) END`,
  ],
  json_member_of: [
    `(nth, k, v) AS row(coalesce(CAST(k AS VARCHAR), error(CASE WHEN nth = 0 THEN 'field name must not be null'
      ELSE 'argument ' || nth || ': key must not be null' END)), coalesce(CAST(v AS VARCHAR), 'null'))`,
  ],
};

/** Characters with a meaning in a document outside of strings, and those that stand for them while its objects are ordered. */
const MARKS = "'{}[],:'";
const HIDDEN = [1, 2, 3, 4, 5, 6].map((code) => `chr(${code})`).join(' || ');

const STRING = String.raw`'"(?:[^"\\]|\\.)*"'`;
/** Matches a document in whose strings none of the marks occurs. */
const PLAIN_STRINGS = String.raw`'^(?:[^"]|"(?:[^"\\{}\[\],:]|\\.)*")*$'`;
const INNERMOST = String.raw`'[{\[][^{}\[\]]*[}\]]'`;

/** `t` with each part that matches a pattern replaced by an expression over it, `p[2]`; it may be NULL. */
const replacedParts = (t: string, pattern: string, expression: string): string =>
  `array_to_string(list_transform(list_zip(string_split_regex(${t}, ${pattern}), regexp_extract_all(${t}, ${pattern})),
      lambda p: p[1] || coalesce(${expression}, '')), '')`;

/**
 * The text of a document with the keys of all objects in the order of `jsonb`, and the last value of each key. The kernel has no
 * recursion: every round orders the innermost objects and hides their marks, so that those around them are the innermost ones.
 * No text of JSON contains the characters that hide the marks.
 */
const ORDERED_KEYS: Readonly<Record<string, readonly string[]>> = {
  json_hidden: [`(t) AS translate(t, ${MARKS}, ${HIDDEN})`],
  json_shown_marks: [`(t) AS translate(t, ${HIDDEN}, ${MARKS})`],
  // The key of a member whose marks within strings are hidden.
  json_key: [
    `(m) AS CASE WHEN contains(split_part(m, ':', 1), '\\')
      THEN json_extract_string(tsr_json_shown_marks(split_part(m, ':', 1)), '$') ELSE tsr_json_shown_marks(split_part(m, ':', 1)[2:-2]) END`,
  ],
  json_ordered_object: [
    `(t) AS list_transform([list_sort(list_transform(string_split(t[2:-2], ','), lambda m, i: struct_pack(
      l := strlen(tsr_json_key(m)), k := tsr_json_key(m), i := i, v := m)))], lambda s:
      '{' || array_to_string(list_transform(list_filter(s, lambda tsr_e, i: i = len(s) OR s[i + 1].k <> tsr_e.k), lambda tsr_e: tsr_e.v), ',')
        || '}')[1]`,
  ],
  json_round: [
    `(t) AS ${replacedParts('t', INNERMOST, "tsr_json_hidden(CASE WHEN starts_with(p[2], '{') AND contains(p[2], ',') THEN tsr_json_ordered_object(p[2]) ELSE p[2] END)")}`,
  ],
  json_ordered: [
    `(t) AS tsr_json_shown_marks(list_reduce(
      list_prepend(CASE WHEN regexp_matches(t, ${PLAIN_STRINGS}) THEN t ELSE ${replacedParts('t', STRING, 'tsr_json_hidden(p[2])')} END,
        list_transform(range(least(len(t) - len(replace(replace(t, '{', ''), '[', '')), 500)), lambda i: '')),
      lambda a, b: CASE WHEN contains(a, '{') OR contains(a, '[') THEN tsr_json_round(a) ELSE a END))`,
  ],
};

/** `||`, `-` and the changes at a step of a path. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  json_inside: [
    "(j) AS CASE WHEN json_type(j) = 'ARRAY' THEN CAST(j AS VARCHAR)[2:-2] ELSE CAST(j AS VARCHAR) END",
  ],
  jsonb_concat: [
    `(first, second) AS list_transform([struct_pack(a := first, b := second)], lambda tsr_d:
      CASE WHEN json_type(tsr_d.a) = 'OBJECT' AND json_type(tsr_d.b) = 'OBJECT'
      THEN tsr_json_free(tsr_jsonb_object_text(tsr_json_members(tsr_json_hold(tsr_d.a)) || tsr_json_members(tsr_json_hold(tsr_d.b))))
      ELSE CAST('[' || tsr_json_inside(tsr_d.a) || CASE WHEN '' IN (tsr_json_inside(tsr_d.a), tsr_json_inside(tsr_d.b)) THEN '' ELSE ',' END
        || tsr_json_inside(tsr_d.b) || ']' AS JSON) END)[1]`,
  ],
  jsonb_without_keys: [
    `(document, keys) AS list_transform([document], lambda j: CASE json_type(j)
      WHEN 'OBJECT' THEN tsr_json_free(tsr_json_object_text(
        list_filter(tsr_json_members(tsr_json_hold(j)), lambda e: NOT list_contains(keys, ${MEMBER.key}))))
      WHEN 'ARRAY' THEN tsr_json_free('[' || array_to_string(list_filter(tsr_json_items(tsr_json_hold(j)), lambda i:
        NOT (i[1] = '"' AND list_contains(keys, json_extract_string(i, '$')))), ',') || ']')
      ELSE ${TYPE_ERROR('json_type(j)', "'cannot delete from scalar'")} END)[1]`,
  ],
  jsonb_without_item: [
    `(document, i) AS list_transform([document], lambda j: CASE json_type(j)
      WHEN 'ARRAY' THEN tsr_json_free(tsr_json_splice(tsr_json_hold(j), i, [], 0, true, false))
      WHEN 'OBJECT' THEN error('cannot delete from object using integer index')
      ELSE ${TYPE_ERROR('json_type(j)', "'cannot delete from scalar'")} END)[1]`,
  ],
  jsonb_minus: [
    `(j, k) AS CASE WHEN k IS NOT NULL THEN CASE
      WHEN typeof(k) IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT')
      THEN tsr_jsonb_without_item(j, TRY_CAST(CAST(k AS VARCHAR) AS BIGINT))
      WHEN suffix(typeof(k), '[]') THEN tsr_jsonb_without_keys(j, json_extract_string(to_json(k), '$[*]'))
      ELSE tsr_jsonb_without_keys(j, [CAST(k AS VARCHAR)]) END END`,
  ],
  json_items: ["(h) AS CAST(json_extract(h, '$[*]') AS VARCHAR[])"],
  /**
   * `h` with the items `new` at position `i`, or `shift` positions after it. An existing item at `i` is removed if `removes`;
   * where there is none, `new` is added at the nearer end if `creates`.
   */
  json_splice: [
    `(h, i, new, shift, removes, creates) AS list_transform([tsr_json_items(h)], lambda a: list_transform(
      [CASE WHEN i < 0 THEN i + len(a) ELSE i END], lambda x: CASE
        WHEN x >= 0 AND x < len(a)
        THEN '[' || array_to_string(a[1:x + shift] || CAST(new AS VARCHAR[])
          || a[x + shift + CASE WHEN removes THEN 2 ELSE 1 END:], ',') || ']'
        WHEN creates THEN '[' || array_to_string(CASE WHEN x < 0 THEN CAST(new AS VARCHAR[]) || a
          ELSE a || CAST(new AS VARCHAR[]) END, ',') || ']'
        ELSE h END)[1])[1]`,
  ],
  json_position: [
    `(k, nth) AS coalesce(TRY_CAST(k AS INTEGER), error('path element at position ' || nth
      || ' is not an integer: "' || k || '"'))`,
  ],
  // Changes of a held document; `v` is the held text of a value.
  json_put_key: [
    `(h, k, v, nth, creates) AS CASE json_type(h)
      WHEN 'OBJECT' THEN CASE WHEN creates OR list_contains(json_keys(h), k)
        THEN tsr_jsonb_object_text(list_append(tsr_json_members(h), row(k, v))) ELSE h END
      WHEN 'ARRAY' THEN CAST(tsr_json_position(k, nth) AS VARCHAR) ELSE h END`,
  ],
  json_put: [
    `(h, k, v, nth, creates) AS CASE json_type(h)
      WHEN 'OBJECT' THEN CASE WHEN creates OR list_contains(json_keys(h), k)
        THEN tsr_jsonb_object_text(list_append(tsr_json_members(h), row(k, v))) ELSE h END
      WHEN 'ARRAY' THEN tsr_json_splice(h, tsr_json_position(k, nth), [v], 0, true, creates) ELSE h END`,
  ],
  json_insert: [
    `(h, k, v, nth, shift) AS CASE json_type(h)
      WHEN 'OBJECT' THEN CASE WHEN list_contains(json_keys(h), k) THEN error('cannot replace existing key')
        ELSE tsr_jsonb_object_text(list_append(tsr_json_members(h), row(k, v))) END
      WHEN 'ARRAY' THEN tsr_json_splice(h, tsr_json_position(k, nth), [v], shift, false, true) ELSE h END`,
  ],
  json_remove: [
    `(h, k, nth) AS CASE json_type(h)
      WHEN 'OBJECT' THEN tsr_json_object_text(list_filter(tsr_json_members(h), lambda e: ${MEMBER.key} <> k))
      WHEN 'ARRAY' THEN tsr_json_splice(h, tsr_json_position(k, nth), [], 0, true, false) ELSE h END`,
  ],
  json_container: [
    `(document, verb) AS list_transform([document], lambda j: CASE WHEN json_type(j) IN ('OBJECT', 'ARRAY') THEN tsr_json_hold(j)
      ELSE ${TYPE_ERROR('json_type(j)', "'cannot ' || verb || ' path in scalar'")} END)[1]`,
  ],
  json_strip_nulls: [
    String.raw`(j) AS CAST(regexp_replace(regexp_replace(CAST(j AS VARCHAR),
      '"(?:[^"\\]|\\.)*"\s*:\s*null(?:\s*,)?|("(?:[^"\\]|\\.)*")', '\1', 'g'), '("(?:[^"\\]|\\.)*")|,\s*([}])', '\1\2', 'g') AS JSON)`,
  ],
  // PostgreSQL closes an empty object or array on a line of its own.
  jsonb_pretty: [
    String.raw`(j) AS tsr_json_free_text(regexp_replace(json_pretty(CAST(tsr_json_hold(j) AS JSON)),
      '(?m)^( *)((?:"(?:[^"\\]|\\.)*": )?)([{[])([}\]])(,?)$', '\1\2\3' || chr(10) || '\1\4\5', 'g'))`,
  ],
};

/** Documents and their parts as text. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  jsonb_text: [
    String.raw`(j) AS regexp_replace(CAST(j AS VARCHAR) || ',', '((?:[^",:]|"(?:[^"\\]|\\.)*")*[,:])', '\1 ', 'g')[:-3]`,
  ],
  jsonb_typeof: [
    `(j) AS CASE json_type(j) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string'
      WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN j IS NOT NULL THEN 'number' END END`,
  ],
  is_json: ["(x) AS typeof(x) = 'JSON'"],
  jsonb_scalar: [
    `(j, type) AS CASE WHEN tsr_jsonb_typeof(j) <> type
      THEN error('cannot cast jsonb ' || tsr_jsonb_typeof(j) || ' to a ' || type) ELSE j END`,
  ],
  json_as_text: [
    `(v) AS ${withValue(
      'tsr_part',
      'v',
      `CASE WHEN starts_with(CAST(tsr_part AS VARCHAR), '"') THEN json_extract_string(tsr_part, '$')
      WHEN CAST(tsr_part AS VARCHAR) <> 'null' THEN CAST(tsr_part AS VARCHAR) END`,
    )}`,
  ],
  json_shown: [
    `(v) AS ${withValue(
      'tsr_part',
      'v',
      `CASE WHEN starts_with(CAST(tsr_part AS VARCHAR), '"') THEN json_extract_string(tsr_part, '$')
      WHEN CAST(tsr_part AS VARCHAR) <> 'null' THEN tsr_jsonb_text(tsr_part) END`,
    )}`,
  ],
};

/** Functions that return several rows: lists that `unnest` takes apart. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  json_elements: [
    `(document) AS list_transform([document], lambda j: CASE WHEN json_type(j) = 'ARRAY' THEN list_transform(tsr_json_items(tsr_json_hold(j)), lambda i: tsr_json_free(i))
      ELSE ${TYPE_ERROR('json_type(j)', `'cannot extract elements from ' || ${KIND}`)} END)[1]`,
  ],
  json_entries: [
    `(document, name) AS list_transform([document], lambda j: CASE WHEN json_type(j) = 'OBJECT' THEN list_transform(tsr_json_members(tsr_json_hold(j)), lambda e:
        struct_pack(key := ${MEMBER.key}, value := tsr_json_free(${MEMBER.value})))
      ELSE ${TYPE_ERROR('json_type(j)', "'cannot call ' || name || ' on a non-object'")} END)[1]`,
  ],
  jsonb_elements: ['(j) AS tsr_json_elements(j)'],
  jsonb_texts: ['(list) AS list_transform(list, lambda v: tsr_json_shown(v))'],
  json_texts: ['(list) AS list_transform(list, lambda v: tsr_json_as_text(v))'],
  jsonb_entries: ['(j, name) AS tsr_json_entries(j, name)'],
  jsonb_text_entries: [
    '(list) AS list_transform(list, lambda tsr_e: struct_pack(key := tsr_e.key, value := tsr_json_shown(tsr_e.value)))',
  ],
  json_text_entries: [
    '(list) AS list_transform(list, lambda tsr_e: struct_pack(key := tsr_e.key, value := tsr_json_as_text(tsr_e.value)))',
  ],
  json_keys_of: [
    `(document, name) AS list_transform([document], lambda j: CASE WHEN json_type(j) = 'OBJECT' THEN json_keys(j)
      ELSE ${TYPE_ERROR('json_type(j)', `'cannot call ' || name || ' on ' || ${KIND}`)} END)[1]`,
  ],
  json_length: [
    `(j) AS CAST(CASE json_type(j) WHEN 'ARRAY' THEN json_array_length(j) WHEN 'OBJECT'
      THEN error('cannot get array length of a non-array')
      ELSE ${TYPE_ERROR('json_type(j)', "'cannot get array length of a scalar'")} END AS INTEGER)`,
  ],
};

/**
 * The operators of `jsonb`. Documents of this type are stored without blanks, which `jsonb_text` adds where PostgreSQL writes
 * them: after each comma and colon outside of strings.
 */
export const JSONB_MACROS: Readonly<Record<string, readonly string[]>> = {
  ...HELD_NUMBERS,
  ...ORDERED_KEYS,
  ...TO_JSONB,
  ...OBJECTS,
  ...CHANGES,
  ...TEXTS,
  ...ROWS,
  json_member: [
    `(j, k) AS CASE WHEN json_type(j) = 'OBJECT'
      THEN tsr_json_at(j, '/' || replace(replace(CAST(k AS VARCHAR), '~', '~0'), '/', '~1')) END`,
  ],
  json_item: ["(j, i) AS CASE WHEN json_type(j) = 'ARRAY' THEN tsr_json_at(j, TRY_CAST(i AS BIGINT)) END"],
  jsonb_item: [
    `(j, i) AS CASE WHEN json_type(j) NOT IN ('ARRAY', 'OBJECT') THEN CASE WHEN i IN (0, -1) THEN CAST(j AS JSON) END
      ELSE tsr_json_item(j, i) END`,
  ],
  json_part: [partOf('json_item')],
  jsonb_part: [partOf('jsonb_item')],
  json_held_step: [
    `(held, k) AS list_transform([held], lambda h: CASE json_type(h)
      WHEN 'OBJECT' THEN json_extract(h, '/' || replace(replace(CAST(k AS VARCHAR), '~', '~0'), '/', '~1'))
      WHEN 'ARRAY' THEN json_extract(h, TRY_CAST(k AS BIGINT)) END)[1]`,
  ],
  json_step: [
    '(document, k) AS list_transform([document], lambda j: coalesce(tsr_json_member(j, k), tsr_json_item(j, k)))[1]',
  ],
  // The parts of a document that an SQL/JSON path finds (`prepare/json-path.ts`).
  json_path_start: ['(j) AS CASE WHEN j IS NOT NULL THEN [CAST(tsr_json_hold(j) AS VARCHAR)] END'],
  json_path_items: [
    "(list) AS flatten(list_transform(list, lambda h: CASE WHEN json_type(h) = 'ARRAY' THEN tsr_json_items(h) ELSE [h] END))",
  ],
  json_path_key: [
    `(list, k) AS list_filter(list_transform(flatten(list_transform(list, lambda h:
      CASE WHEN json_type(h) = 'ARRAY' THEN tsr_json_items(h) ELSE [h] END)), lambda h: CASE WHEN json_type(h) = 'OBJECT'
      THEN CAST(json_extract(h, '/' || replace(replace(k, '~', '~0'), '/', '~1')) AS VARCHAR) END), lambda h: h IS NOT NULL)`,
  ],
  json_path_position: [
    `(list, i) AS list_filter(list_transform(list, lambda h: CASE WHEN json_type(h) = 'ARRAY' THEN tsr_json_items(h)[i + 1]
      WHEN i = 0 THEN h END), lambda h: h IS NOT NULL)`,
  ],
  jsonb_held_list: ['(list) AS list_transform(list, lambda h: tsr_json_free(h))'],
  json_held_array: ["(list) AS tsr_json_free('[' || array_to_string(list, ',') || ']')"],
  json_names: [
    `(j) AS CASE json_type(j) WHEN 'OBJECT' THEN json_keys(j)
      WHEN 'ARRAY' THEN list_transform(list_filter(json_extract(j, '$[*]'), lambda e: json_type(e) = 'VARCHAR'),
        lambda e: json_extract_string(e, '$'))
      WHEN 'VARCHAR' THEN [json_extract_string(j, '$')] ELSE CASE WHEN j IS NOT NULL THEN CAST([] AS VARCHAR[]) END END`,
  ],
  jsonb_order: [
    `(j) AS CASE WHEN j IS NOT NULL THEN struct_pack(
      r := CASE json_type(j) WHEN 'NULL' THEN 0 WHEN 'VARCHAR' THEN 1 WHEN 'BOOLEAN' THEN 3 WHEN 'ARRAY' THEN 4
        WHEN 'OBJECT' THEN 5 ELSE 2 END,
      n := CASE json_type(j) WHEN 'ARRAY' THEN json_array_length(j)::DOUBLE WHEN 'OBJECT' THEN len(json_keys(j))::DOUBLE
        WHEN 'VARCHAR' THEN 0 ELSE coalesce(TRY_CAST(j::VARCHAR AS DOUBLE), 0) END,
      t := coalesce(json_extract_string(j, '$'), '')) END`,
  ],
};
