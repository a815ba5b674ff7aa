import { type Implementation, inCategory, macro } from './types.ts';

/**
 * The form with two arguments is the dialect's; the one with one argument is the kernel's own function of
 * this name.
 */
const withFormat = (name: 'encode' | 'decode', overload: string): Implementation =>
  macro([1, 2], `(x) AS ${name}(x)`, overload);

const UNKNOWN_FORMAT = `error('unrecognized encoding "' || f || '" (known: hex, base64, escape)')`;

export const BYTEA_FUNCTIONS = inCategory('bytea', [
  {
    name: 'convert_from',
    signatures: ['convert_from(bytea, text encoding) → text'],
    description: 'The bytes read as text in UTF8 or LATIN1.',
    example: "convert_from('\\xC3\\xA9'::bytea, 'utf8')",
    result: 'é',
    implementation: macro(
      [2, 2],
      `(b, e) AS CASE regexp_replace(lower(e), '[-_ ]', '', 'g')
        WHEN 'utf8' THEN decode(b)
        WHEN 'latin1' THEN tsr_from_code_units(hex(b), '..')
        WHEN 'iso88591' THEN tsr_from_code_units(hex(b), '..')
        ELSE error('convert_from: unknown encoding "' || e || '" (known: UTF8, LATIN1)') END`,
    ),
  },
  {
    name: 'decode',
    signatures: ['decode(text, text format) → bytea'],
    description:
      'The bytes that a text stands for in the format hex, base64 or escape; white space counts for nothing in the first two.',
    example: "decode('aGk=', 'base64')",
    result: 'hi',
    implementation: withFormat(
      'decode',
      `(t, f) AS CASE lower(f)
        WHEN 'hex' THEN tsr_hex_bytes(regexp_replace(t, '\\s', '', 'g'))
        WHEN 'base64' THEN from_base64(regexp_replace(t, '\\s', '', 'g'))
        WHEN 'escape' THEN tsr_unescape(t) ELSE ${UNKNOWN_FORMAT} END`,
    ),
  },
  {
    name: 'encode',
    signatures: ['encode(bytea, text format) → text'],
    description: 'The bytes as text in the format hex, base64 (lines of 76 characters) or escape.',
    example: "encode('hi'::bytea, 'hex')",
    result: '6869',
    implementation: withFormat(
      'encode',
      `(b, f) AS CASE lower(f)
        WHEN 'hex' THEN lower(hex(b))
        WHEN 'base64' THEN rtrim(regexp_replace(to_base64(b::BLOB), '(.{76})', '\\1' || chr(10), 'g'), chr(10))
        WHEN 'escape' THEN tsr_escape(hex(b)) ELSE ${UNKNOWN_FORMAT} END`,
    ),
  },
]);

export const BYTEA_MACROS: Readonly<Record<string, readonly string[]>> = {
  // The kernel reads a single digit as one byte.
  hex_bytes: [
    "(t) AS CASE WHEN length(t) % 2 = 1 THEN error('invalid hexadecimal data: odd number of digits') ELSE unhex(t) END",
  ],
  bytea_bit_length: ['(b) AS CAST(octet_length(b) * 8 AS INTEGER)'],
  // Two hexadecimal digits are a byte.
  bytea_position: [
    `(b, part) AS CASE WHEN regexp_matches(hex(b), '^(?:..)*?' || hex(part))
      THEN CAST(length(regexp_extract(hex(b), '^((?:..)*?)' || hex(part), 1)) // 2 + 1 AS INTEGER) WHEN b IS NOT NULL AND part IS NOT NULL THEN 0 END`,
  ],
  bytea_alternatives: ["(bytes) AS array_to_string(regexp_extract_all(hex(bytes), '..'), '|')"],
  bytea_ltrim: [
    "(b, bytes) AS unhex(regexp_replace(hex(b), '^(?:' || tsr_bytea_alternatives(bytes) || ')*', ''))",
  ],
  bytea_rtrim: [
    `(b, bytes) AS unhex(regexp_replace(hex(b), '^((?:..)*?)(?:' || tsr_bytea_alternatives(bytes) || ')*$', '\\1'))`,
  ],
  bytea_trim: ['(b, bytes) AS tsr_bytea_rtrim(tsr_bytea_ltrim(b, bytes), bytes)'],
  from_code_units: [
    `(h, width) AS array_to_string(list_transform(regexp_extract_all(h, width), u -> chr(('0x' || u)::INTEGER)), '')`,
  ],
  escape: [
    `(h) AS array_to_string(list_transform(regexp_extract_all(h, '..'), u -> CASE
      WHEN u = '5C' THEN '\\\\' WHEN u = '00' OR u >= '80' THEN printf('\\%03o', ('0x' || u)::INTEGER)
      ELSE chr(('0x' || u)::INTEGER) END), '')`,
  ],
  unescape: [
    `(t) AS unhex(array_to_string(list_transform(
      regexp_extract_all(t, '\\\\\\\\|\\\\[0-3][0-7][0-7]|[^\\\\]+|\\\\'), u -> CASE
      WHEN u[1] <> '\\' THEN hex(u) WHEN u = '\\\\' THEN '5C'
      WHEN length(u) = 4 THEN printf('%02x', u[2]::INTEGER * 64 + u[3]::INTEGER * 8 + u[4]::INTEGER)
      ELSE error('Invalid byte encountered in string -> blob conversion of string "' || t || '":') END), ''))`,
  ],
};
