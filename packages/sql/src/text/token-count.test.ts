import { SeededRandom } from '@tessera/common';
import { describe, expect, test } from 'vitest';
import { isParameter, tokenize } from './lexer.ts';
import { hasMoreTokens, parameterBeyond } from './token-count.ts';

const PIECES = [
  ...[
    "'a''b'",
    "'it\\'",
    String.raw`e'a\'b'`,
    "E'\\\\'",
    "U&'x'",
    "u&'\\0041'",
    "x'ff'",
    "B'01'",
    "date'2020-01-01'",
  ],
  ...[
    '"a""b"',
    '"\'"',
    'U&"a"',
    'u&"a" UESCAPE \'!\'',
    "uescape '!'",
    "$$a'b$$",
    '$t$ $$ $t$',
    '$1',
    '$2',
    '$03',
    '$name',
    '$source_file_name',
    '$',
    '$$, ,$$',
    'x$y',
    "N'x'",
    "1'x'",
    "a.e'\\''",
  ],
  ...[
    '1e-5',
    '1E+5',
    '1.5',
    '.5',
    '1..2',
    '1_000',
    'x.y.z',
    'value-1',
    'u&v',
    'e-1',
    '1e',
    'e',
    'u',
    'é',
    '\u00a0',
    'a\u00a0',
  ],
  ...[
    "-- it's\n",
    "-- it's\r",
    "/* it's /* nested */ */",
    '--',
    '/',
    '*',
    '::',
    '=>',
    ':=',
    '->>',
    '@',
    '~',
    '<>',
  ],
  ...['(', ')', '[', ']', '{', '}', ',', ' ', '\n', '\t', 'NULL', 'abs', '12'],
];

const read = (text: string): ReturnType<typeof tokenize> | undefined => {
  try {
    return tokenize(text);
  } catch {
    return undefined;
  }
};

describe('counted tokens', () => {
  test('are never more than there are', () => {
    const random = new SeededRandom(20261123);
    let readable = 0;
    for (let i = 0; i < 4_000; i += 1) {
      const text = Array.from({ length: random.between(1, 12) }, () => random.pick(PIECES)).join('');
      const tokens = read(text);
      if (tokens === undefined) continue;
      readable += 1;
      expect([text, hasMoreTokens(text, 0, tokens.length)]).toEqual([text, false]);
      const parameters = new Set(tokens.filter(isParameter).map(({ image }) => image));
      expect([text, parameterBeyond(text, 0, parameters.size)]).toEqual([text, undefined]);
    }
    expect(readable).toBeGreaterThan(1_000);
  });

  test.each([
    "(1, 'x', NULL),",
    'f(1.5, "a"), ',
    "(e'\\'', u&'x'),",
    '(1 + 2, abs($1)),\n',
    "/* , */ (x'00'), -- ,\n",
  ])('are exact in rows such as %s', (row) => {
    const text = row.repeat(50);
    const tokens = read(text)!.length;
    expect(hasMoreTokens(text, 0, tokens)).toBe(false);
    expect(hasMoreTokens(text, 0, tokens - 1)).toBe(true);
  });

  test.each([
    ["($1, '$2', $3), ($1, $03)", 1, '$3'],
    ['f($2::int, $1) /* $9 */ + $$ $8 $$ + $7', 2, '$7'],
    ['$1; $2, $3', 1, undefined],
    ['$name, $1, $other', 1, undefined],
  ])('parameters beyond a limit in %s', (text, limit, image) => {
    const startOffset = text.lastIndexOf(image ?? '');
    expect(parameterBeyond(text, 0, limit)).toEqual(image === undefined ? undefined : { startOffset, image });
    if (image !== undefined) expect(parameterBeyond(text, 0, limit + 1)).toBe(undefined);
  });

  test('are those of one statement', () => {
    const text = 'INSERT INTO t VALUES (1); (1, 2, 3, 4, 5, 6, 7, 8, 9)';
    expect(hasMoreTokens(text, 0, 6)).toBe(true);
    expect(hasMoreTokens(text, 0, 7)).toBe(false);
  });
});
