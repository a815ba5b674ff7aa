import { TesseraError } from '@tessera/common';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyStatement } from './classify.ts';
import { locationInText, splitStatements } from './split.ts';

const texts = (text: string) => splitStatements(text).map((statement) => statement.text);

const SPLITS: readonly (readonly [text: string, statements: readonly string[]])[] = [
  ['select 1', ['select 1']],
  ['select 1; select 2;', ['select 1', 'select 2']],
  [' ;; -- nothing\n /* at all */ ;', []],
  ["select ';' -- ; \n, 2; x", ["select ';' -- ; \n, 2", 'x']],
  ['select "a;""b"', ['select "a;""b"']],
  ["select e'\\';'; x", ["select e'\\';'", 'x']],
  ["select '\\'; x", ["select '\\'", 'x']],
  ['select $$;$$, $tag$ ; $$ $tag$; x', ['select $$;$$, $tag$ ; $$ $tag$', 'x']],
  ['select $1; select $2', ['select $1', 'select $2']],
  ['/* a /* ; */ ; */ select 1', ['select 1']],
  ['select 1..2, a.b, .5, 1e5, x::int, a->>b, é', ['select 1..2, a.b, .5, 1e5, x::int, a->>b, é']],
];

test.for(SPLITS)('%s', ([text, statements]) => {
  expect(texts(text)).toEqual(statements);
});

const UNTERMINATED: readonly (readonly [text: string, message: string, column: number])[] = [
  ["select 'abc", 'Unterminated string', 8],
  ["select e'abc\\'", 'Unterminated string', 8],
  ['select "abc', 'Unterminated quoted name', 8],
  ['select $x$ abc $$', 'Unterminated string', 8],
  ['select 1 /* a /* b */', 'Unterminated comment', 10],
];

test.for(UNTERMINATED)('%s', ([text, message, startColumn]) => {
  expect(() => splitStatements(text)).toThrow(
    expect.objectContaining({
      name: 'SYNTAX_ERROR',
      message,
      location: expect.objectContaining({ line: 1, startColumn }),
    }),
  );
});

test('a place in a statement is found in the whole text', () => {
  const whole = 'select 1;\n select\n  x';
  const [, second] = splitStatements(whole);
  expect(locationInText(whole, second!, { line: 1, startColumn: 1, endColumn: 6 })).toEqual({
    line: 2,
    startColumn: 2,
    endColumn: 7,
  });
  expect(locationInText(whole, second!, { line: 2, startColumn: 3, endColumn: 3 })).toMatchObject({
    line: 3,
  });
});

test('any text is split, classified or refused with a TesseraError', () => {
  const piece = fc.constantFrom(
    'select',
    'with',
    '(',
    ')',
    "'",
    '"',
    '$',
    '$$',
    '$a$',
    '--',
    '/*',
    '*/',
    ';',
    '\n',
    '\\',
    "e'",
    'set',
    '=',
    'explain',
    'analyze',
    'cancel query',
    'where',
    'call',
    'show',
    ' ',
    ',',
    '1',
    'é',
    '🎉',
    '\u0000',
    'upload://',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (sql) => {
      try {
        for (const statement of splitStatements(sql)) classifyStatement(statement.text);
      } catch (error) {
        if (!(error instanceof TesseraError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

test('a megabyte of parentheses or strings is read in linear time', () => {
  const started = performance.now();
  expect(() => texts(`select ${'('.repeat(500_000)}`)).toThrow('The statement has more than');
  expect(texts(`select ${"'a', ".repeat(4_000)}${`'${"''".repeat(500_000)}'`}`)).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(10_000);
});
