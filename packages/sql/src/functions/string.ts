import { kernelCall, operatorCall } from './expressions.ts';
import { regexFunction } from './regex.ts';
import { alias, type Implementation, inCategory, KERNEL, macro } from './types.ts';

/**
 * The kernel makes a value in one call, which no interrupt ends. These limits keep such a call, and those of other functions on
 * the value, to some seconds also on a busy machine: `lpad` takes some 20 ns for each character, and `levenshtein` as much for
 * each pair of them.
 */
const MAX_REPEATED_BYTES = 128 << 20;
const MAX_PADDED_CHARACTERS = 64 << 20;
const MAX_COMPARED_CHARACTERS = 10_000_000;

/** `like` and `ilike`: the kernel has an operator for two arguments, and a function for the form with an escape character. */
const matches = (operator: string, withEscape: string): Implementation => ({
  kind: 'rewrite',
  arity: [2, 3],
  rewrite: ({ children: [value, pattern, escapeCharacter] }) =>
    escapeCharacter === undefined
      ? operatorCall(operator, value, pattern)
      : kernelCall(withEscape, value, pattern, escapeCharacter),
});

export const STRING_FUNCTIONS = inCategory('string', [
  {
    name: 'btrim',
    signatures: ['btrim(text [, text]) → text'],
    description: 'The text without spaces, or without any of the given characters, at both ends.',
    example: "btrim('xxaxx', 'x')",
    result: 'a',
    implementation: alias('trim'),
  },
  {
    name: 'concat',
    signatures: ['concat(any, …) → text'],
    description: 'The arguments as text one after another; NULLs add nothing.',
    example: "concat('a', NULL, 1)",
    result: 'a1',
    implementation: KERNEL,
  },
  {
    name: 'gen_random_uuid_text',
    signatures: ['gen_random_uuid_text() → text'],
    description: 'A random UUID (version 4) as text, another for every row.',
    example: 'length(gen_random_uuid_text())',
    result: '36',
    implementation: macro([0, 0], '() AS uuid()::VARCHAR'),
  },
  {
    name: 'ilike',
    signatures: ['ilike(text, text) → boolean'],
    description: '`LIKE` without regard to case.',
    example: "ilike('Résumé', 'rÉS%')",
    result: 'true',
    implementation: matches('~~*', 'ilike_escape'),
  },
  {
    name: 'length',
    aliases: ['char_length', 'character_length'],
    signatures: ['length(text) → bigint', 'length(bytea) → bigint', 'length(array(T)) → bigint'],
    description: 'Characters of a text, bytes of a bytea, elements of an array.',
    example: "length('żółw')",
    result: '4',
    implementation: macro(
      [1, 1],
      // `s[:]` refuses numbers, as length should; `concat` accepts a list. Both branches bind even if `s` has
      // another type.
      `(s) AS CASE WHEN typeof(s) = 'VARCHAR' THEN length(s::VARCHAR) WHEN typeof(s) = 'BLOB' THEN octet_length(s::BLOB)
        WHEN s IS NOT NULL THEN length(concat(s[:])) END`,
    ),
  },
  {
    name: 'like',
    signatures: ['like(text, text) → boolean'],
    description:
      'Whether the text matches the pattern: `%` any characters, `_` one character, `\\` takes their meaning.',
    example: "like('abc', 'a_c')",
    result: 'true',
    implementation: matches('~~', 'like_escape'),
  },
  {
    name: 'lower',
    signatures: ['lower(text) → text'],
    description: 'The text in lower case.',
    example: "lower('ÀB')",
    result: 'àb',
    implementation: KERNEL,
  },
  {
    name: 'lpad',
    signatures: ['lpad(text, integer [, text]) → text'],
    description:
      'The text filled up on the left to a length in characters (with spaces), or cut to it on the right.',
    example: "lpad('7', 3, '0')",
    result: '007',
    implementation: padding('lpad'),
  },
  {
    name: 'ltrim',
    signatures: ['ltrim(text [, text]) → text'],
    description: 'The text without spaces, or without any of the given characters, at its start.',
    example: "ltrim('xyxa', 'xy')",
    result: 'a',
    implementation: KERNEL,
  },
  {
    name: 'octet_length',
    signatures: ['octet_length(text) → bigint', 'octet_length(bytea) → bigint'],
    description: 'The length in bytes (of the UTF-8 form of a text).',
    example: "octet_length('é')",
    result: '2',
    implementation: macro(
      [1, 1],
      `(s) AS CASE WHEN typeof(s) = 'VARCHAR' THEN strlen(s::VARCHAR) WHEN typeof(s) = 'BLOB' THEN octet_length(s::BLOB)
        ELSE length(hex(s[:])) // 2 END`,
    ),
  },
  {
    name: 'position',
    signatures: ['position(text IN text) → bigint'],
    description: 'Where the first text begins in the second, in characters from 1; 0 when it does not occur.',
    example: "position('l' IN 'hello')",
    result: '3',
    implementation: KERNEL,
  },
  {
    name: 'regexp_extract',
    signatures: ['regexp_extract(text, text [, text flags [, integer group]]) → text'],
    description: 'The first match of the pattern, or one of its groups; NULL when nothing matches.',
    example: "regexp_extract('#REGEX in #Tessera 2024', '#([a-z]+) (\\d+)', 'i', 1)",
    result: 'Tessera',
    implementation: regexFunction('regexp_extract'),
  },
  {
    name: 'regexp_extract_all',
    signatures: ['regexp_extract_all(text, text [, text flags [, integer group]]) → array(text)'],
    description: 'All matches of the pattern, or one group of each.',
    example: "regexp_extract_all('Hello Year 2023, yeah!', '[A-Za-z]+')",
    result: '[Hello, Year, yeah]',
    implementation: regexFunction('regexp_extract_all'),
  },
  {
    name: 'regexp_like',
    signatures: ['regexp_like(text, text [, text flags]) → boolean'],
    description:
      'Whether the pattern (RE2) matches a part of the text. Flags: `i` no case, `m` lines, `U` non-greedy, `-s` keeps `.` off line ends.',
    example: "regexp_like('ABC', '[a-z]', 'i')",
    result: 'true',
    implementation: regexFunction('regexp_like'),
  },
  {
    name: 'regexp_like_any',
    signatures: ['regexp_like_any(text, array(text)) → boolean'],
    description: 'Whether one of the patterns matches a part of the text; NULL patterns match nothing.',
    example: "regexp_like_any('123', ['[a-z]', '[1-9]+'])",
    result: 'true',
    implementation: macro(
      [2, 2],
      `(s, patterns) AS CASE WHEN s IS NULL OR patterns IS NULL THEN NULL
        ELSE len(list_filter(patterns, p -> regexp_matches(s, '(?s)' || p))) > 0 END`,
    ),
  },
  {
    name: 'regexp_match',
    signatures: ['regexp_match(text, text [, text flags]) → array(text)'],
    description:
      'The groups of the first match, or all that matched if the pattern has no groups; NULL when nothing matches. The pattern must be a literal.',
    example: "regexp_match('#REGEX in #Tessera 2024', '#([A-Za-z]+) (\\d+)')",
    result: '[Tessera, 2024]',
    implementation: regexFunction('regexp_match'),
  },
  {
    name: 'regexp_matches',
    signatures: ['regexp_matches(text, text [, text flags]) → array(text)'],
    description: '`regexp_match`, but an empty array when nothing matches.',
    example: "regexp_matches('ABC 2023', '^[a-z]+')",
    result: '[]',
    implementation: regexFunction('regexp_matches'),
  },
  {
    name: 'regexp_replace',
    signatures: [
      'regexp_replace(text, text, text [, text flags]) → text',
      'regexp_replace(text, text, text, integer start [, integer n [, text flags]]) → text',
    ],
    description:
      'The text with the first match replaced; `\\1` … stand for groups, `\\&` for the whole match. With `start`, the n-th match from there on is replaced, or all of them if `n` is 0.',
    example: "regexp_replace('me@example.org', '(\\w)\\w*@', '\\1***@')",
    result: 'm***@example.org',
    implementation: regexFunction('regexp_replace'),
  },
  {
    name: 'regexp_replace_all',
    signatures: ['regexp_replace_all(text, text, text [, text flags]) → text'],
    description: '`regexp_replace` for every match.',
    example: "regexp_replace_all('Hey', '.', '\\&\\&')",
    result: 'HHeeyy',
    implementation: regexFunction('regexp_replace_all'),
  },
  {
    name: 'repeat',
    signatures: [
      'repeat(text, bigint) → text',
      'repeat(bytea, bigint) → bytea',
      'repeat(array(T), bigint) → array(T)',
    ],
    description: 'The value as many times as the number says, up to 128 MiB.',
    example: "repeat('ab', 2)",
    result: 'abab',
    implementation: macro([2, 2], '(s, n) AS repeat(s, tsr_repetitions(s, CAST(n AS BIGINT)))'),
  },
  {
    name: 'replace',
    signatures: ['replace(text, text, text) → text'],
    description: 'The text with every occurrence of the second replaced by the third.',
    example: "replace('banana', 'an', 'o')",
    result: 'booa',
    implementation: KERNEL,
  },
  {
    name: 'rpad',
    signatures: ['rpad(text, integer [, text]) → text'],
    description: 'The text filled up on the right to a length in characters (with spaces), or cut to it.',
    example: "rpad('ab', 5, 'xy')",
    result: 'abxyx',
    implementation: padding('rpad'),
  },
  {
    name: 'rtrim',
    signatures: ['rtrim(text [, text]) → text'],
    description: 'The text without spaces, or without any of the given characters, at its end.',
    example: "rtrim('axyx', 'xy')",
    result: 'a',
    implementation: KERNEL,
  },
  {
    name: 'split_part',
    signatures: ['split_part(text, text, integer) → text'],
    description:
      'One field between separators, from 1, or from the end when negative; empty when there is none.',
    example: "split_part('this|is|my|test', '|', -2)",
    result: 'my',
    implementation: macro(
      [3, 3],
      `(s, d, i) AS CASE WHEN i = 0 AND s IS NOT NULL AND d IS NOT NULL THEN error('split_part: the field position must not be zero')
        WHEN d = '' THEN CASE WHEN i IN (1, -1) THEN s WHEN i IS NOT NULL THEN left(s, 0) END ELSE split_part(s, d, i) END`,
    ),
  },
  {
    name: 'string_to_array',
    signatures: ['string_to_array(text, text [, text]) → array(text)'],
    description:
      'The fields between separators; a NULL separator splits into characters, an empty one not at all. Fields equal to the third argument are NULL.',
    example: "string_to_array('a|b|', '|')",
    result: "[a, b, '']",
    implementation: macro(
      [2, 3],
      '(s, d) AS tsr_split(s, d)',
      '(s, d, n) AS list_transform(tsr_split(s, d), e -> CASE WHEN e IS DISTINCT FROM n THEN e END)',
    ),
  },
  {
    name: 'strpos',
    signatures: ['strpos(text, text) → bigint'],
    description: 'Where the second text begins in the first, in characters from 1; 0 when it does not occur.',
    example: "strpos('hello world', 'world')",
    result: '7',
    implementation: KERNEL,
  },
  {
    name: 'substring',
    aliases: ['substr'],
    signatures: [
      'substring(text | bytea, bigint [, bigint]) → text | bytea',
      'substring(text FROM bigint FOR bigint) → text',
    ],
    description: 'The characters from a position on, from 1; positions before the text count as empty ones.',
    example: "substring('hello world' FROM -2 FOR 8)",
    result: 'hello',
    implementation: macro(
      [2, 3],
      // A slice works for text and bytes, but is half as fast for text. The branches have a common type until
      // the last cast.
      `(s, i) AS cast_to_type(CASE WHEN typeof(s) = 'VARCHAR' THEN substring(s::VARCHAR, tsr_first_character(i))
        ELSE s[tsr_first_character(i):]::VARCHAR END, repeat(coalesce(s, ''), 0))`,
      `(s, i, n) AS cast_to_type(CASE
        WHEN typeof(s) = 'VARCHAR' THEN substring(s::VARCHAR, tsr_first_character(i), tsr_characters_left(i, n))
        ELSE s[tsr_first_character(i):tsr_first_character(i) + tsr_characters_left(i, n) - 1]::VARCHAR END, repeat(coalesce(s, ''), 0))`,
    ),
  },
  {
    name: 'trim',
    signatures: ['trim([BOTH | LEADING | TRAILING] [text FROM] text) → text'],
    description: 'The text without spaces, or without any of the given characters, at its ends.',
    example: "trim(LEADING 'x' FROM 'xxax')",
    result: 'ax',
    implementation: KERNEL,
  },
  {
    name: 'upper',
    signatures: ['upper(text) → text'],
    description: 'The text in upper case.',
    example: "upper('àb')",
    result: 'ÀB',
    implementation: KERNEL,
  },
  {
    name: 'url_decode',
    signatures: ['url_decode(text) → text'],
    description: 'The text with `%XX` sequences decoded.',
    example: "url_decode('a%20b%2Fc')",
    result: 'a b/c',
    implementation: KERNEL,
  },
  {
    name: 'url_encode',
    signatures: ['url_encode(text) → text'],
    description: 'The text with every byte but unreserved characters (RFC 3986) percent-encoded.',
    example: "url_encode('a b/é~')",
    result: 'a%20b%2F%C3%A9~',
    implementation: KERNEL,
  },
]);

function padding(name: 'lpad' | 'rpad') {
  return macro(
    [2, 3],
    `(s, n) AS ${name}(s, tsr_padded_length(n), ' ')`,
    // The kernel refuses to pad with an empty text.
    `(s, n, p) AS CASE WHEN p = '' THEN left(s, CASE WHEN n < 0 THEN 0 ELSE n END) ELSE ${name}(s, tsr_padded_length(n), p) END`,
  );
}

export const STRING_MACROS: Readonly<Record<string, readonly string[]>> = {
  // [[a, b], [c, d]] → [[a, c], [b, d]], for lists of one length.
  side_by_side: [
    '(lists) AS list_transform(range(1, len(lists[1]) + 1), i -> list_transform(lists, l -> l[i]))',
  ],
  absent_groups: ["(texts) AS list_transform(texts, t -> nullif(t, ''))"],
  split: [
    `(s, d) AS CASE WHEN s IS NULL THEN NULL WHEN s = '' THEN []::VARCHAR[]
      WHEN d IS NULL THEN string_split(s, '') WHEN d = '' THEN [s] ELSE string_split(s, d) END`,
  ],
  shift_left: ['(x, n) AS CASE WHEN x < 0 THEN -((-x) << n) ELSE x << n END'],
  // `greatest` and `least` ignore NULL, but a NULL position or length must make the result NULL.
  first_character: ['(i) AS CASE WHEN i < 1 THEN 1 ELSE i END'],
  // The number of characters that remain of n characters from position i on. Very large counts mean "all".
  characters_left: [
    `(i, n) AS CASE WHEN n < 0 THEN error('negative substring length not allowed')
      WHEN i IS NOT NULL AND n IS NOT NULL THEN greatest(i + least(n, 4294967295) - greatest(i, 1), 0) END`,
  ],
  // `concat(v[:])` binds for texts, too. Elements that are texts, rows or arrays are counted as text.
  value_bytes: [
    `(v) AS CASE WHEN typeof(v) = 'VARCHAR' THEN strlen(v::VARCHAR) WHEN typeof(v) = 'BLOB' THEN octet_length(v::BLOB)
      WHEN regexp_full_match(typeof(v), '[A-Z ]*\\[\\]') AND typeof(v) NOT IN ('VARCHAR[]', 'BLOB[]', 'JSON[]') THEN 8 * length(concat(v[:]))
      ELSE strlen(v::VARCHAR) END`,
  ],
  repetitions: [
    `(s, n) AS CASE WHEN n > 1 AND tsr_value_bytes(s)::DOUBLE * n > ${MAX_REPEATED_BYTES}
      THEN error('requested length too large: at most ${MAX_REPEATED_BYTES} bytes') ELSE n END`,
  ],
  padded_length: [
    `(n) AS CASE WHEN n > ${MAX_PADDED_CHARACTERS}
      THEN error('requested length too large: at most ${MAX_PADDED_CHARACTERS} characters') ELSE n::INTEGER END`,
  ],
  resized: [
    '(list, n) AS list_resize(list, tsr_repetitions([0], n))',
    '(list, n, v) AS list_resize(list, tsr_repetitions([v], n), v)',
  ],
  printf_pattern: [
    String.raw`(p) AS CASE WHEN regexp_matches(p, '%[-+ #0]*(?:\d*\.)?(?:\d{7,}|\*)')
      THEN error('requested length too large: a width in printf has at most 6 digits') ELSE p END`,
  ],
  compared: [
    `(s, t) AS CASE WHEN strlen(s)::DOUBLE * strlen(t) > ${MAX_COMPARED_CHARACTERS}
      THEN error('texts too long to compare: the product of their lengths may be at most ${MAX_COMPARED_CHARACTERS}') ELSE s END`,
  ],
  regexp_extract: [
    '(s, p, g) AS CASE WHEN regexp_matches(s, p) AND g IS NOT NULL THEN regexp_extract(s, p, g) END',
  ],
  regexp_subject: [
    String.raw`(s, p) AS CASE WHEN contains(p, '\B') AND strlen(s) <> length(s)
      THEN error('\B is not supported in replacements in texts with characters beyond ASCII') ELSE s END`,
  ],
  // The kernel accepts its flags only as literals.
  regexp_replace: [
    `(s, p, r, f) AS CASE WHEN contains(f, 'g') THEN regexp_replace(s, p, r, 'g')
      WHEN f IS NOT NULL THEN regexp_replace(s, p, r) END`,
  ],
  // See `replacementOf` and `withGroups`: the same for values that are no literals.
  regexp_replacement: [
    String.raw`(r, groups) AS CASE WHEN contains(r, '\') THEN array_to_string(list_transform(
      regexp_extract_all(r, '(?s)\\.|[^\\]+|\\$'), lambda t: CASE
        WHEN regexp_full_match(t, '\\[1-9]') THEN CASE WHEN CAST(t[2] AS INTEGER) <= groups THEN t ELSE '' END
        WHEN t = '\&' THEN '\0' WHEN t[1] <> '\' OR t = '\\' THEN t ELSE '\' || t END), '') ELSE r END`,
  ],
  regexp_groups: [
    String.raw`(p, r) AS CASE WHEN regexp_matches(r, '\\[1-9]') THEN p || '${'()'.repeat(9)}' ELSE p END`,
  ],
  is_slow_pattern: ["(p) AS strlen(rtrim(p, '%')) - strlen(replace(p, '%', '')) > 1"],
  like_regex: [
    String.raw`(p) AS '(?s)' || array_to_string(list_transform(regexp_extract_all(p, '(?s)\\.|.'), lambda c: CASE c WHEN '%' THEN '.*' WHEN '_' THEN '.'
      ELSE regexp_escape(CASE WHEN length(c) > 1 THEN c[2] ELSE c END) END), '')`,
  ],
  similar_pattern: [
    String.raw`(p) AS '(?s)' || replace(replace(replace(replace(replace(regexp_replace(replace(replace(p, '\%', chr(1)), '\_', chr(2)),
      '([.^$])', '\\\1', 'g'), '[\^', '[^'), '%', '.*'), '_', '.'), chr(1), '%'), chr(2), '_')`,
  ],
  // An empty match follows each match that is not empty and has no other one just after it.
  regexp_replace_each: [
    `(parts, p, r) AS CASE WHEN r IS NOT NULL THEN array_to_string(list_transform(parts, lambda part, i: CASE WHEN i % 2 = 1 THEN part
      ELSE regexp_replace(part, p, r) || CASE WHEN part <> '' AND (parts[i + 1] <> '' OR i + 1 = len(parts))
        THEN regexp_replace('', p, r) ELSE '' END END), '') END`,
  ],
  // In PostgreSQL, a match of nothing at the end of the text follows a match that ends there.
  regexp_ends_twice: [
    `(parts, p) AS len(parts) > 2 AND parts[-1] = '' AND parts[-2] <> '' AND regexp_matches('', p)`,
  ],
  regexp_marked_to_end: [
    `(parts, p) AS CASE WHEN tsr_regexp_ends_twice(parts, p) THEN parts || ['', ''] ELSE parts END`,
  ],
  regexp_replace_to_end: [
    `(s, parts, p, r) AS regexp_replace(s, p, r, 'g') || CASE WHEN tsr_regexp_ends_twice(parts, p) THEN regexp_replace('', p, r) ELSE '' END`,
  ],
  regexp_all: ['(parts) AS list_filter(parts, lambda part, i: i % 2 = 0)'],
  regexp_replace_nth: [
    `(s, parts, start, nth, p, r, replaced) AS CASE WHEN start < 1 THEN error('invalid value for parameter "start": ' || start)
      WHEN nth < 0 THEN error('invalid value for parameter "n": ' || nth)
      WHEN nth = 0 THEN left(s, start - 1) || replaced
      WHEN len(parts) >= 2 * nth + 1 THEN left(s, start - 1) || array_to_string(parts[1:2 * nth - 1], '')
        || regexp_replace(parts[2 * nth], p, r) || array_to_string(parts[2 * nth + 1:], '')
      WHEN parts IS NOT NULL AND nth IS NOT NULL AND r IS NOT NULL THEN s END`,
  ],
  similar_escape: [
    String.raw`(p, e) AS CASE WHEN length(e) > 1 THEN error('Invalid escape string') WHEN e = '\' THEN p
      WHEN e = '' THEN replace(p, '\', '\\')
      WHEN e IS NOT NULL THEN replace(replace(replace(replace(p, '\', '\\'), e || e, chr(1)), e, '\'), chr(1), '\' || e) END`,
  ],
  regexp_flags: ["(p, f) AS '(?s' || regexp_replace(f, '[cg]', '', 'g') || ')' || p"],
};
