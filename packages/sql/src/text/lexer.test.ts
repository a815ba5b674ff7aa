import { expect, it } from 'vitest';
import { stringOf, tokenize } from './lexer.ts';

const images = (text: string) => tokenize(text).map((token) => token.image);

it.each([
  [`'a''b' 'c'`, [`'a''b'`, `'c'`]],
  [`''''`, [`''''`]],
  [`'' ''`, [`''`, `''`]],
  [String.raw`e'a\'b''c\\' 'd'`, [String.raw`e'a\'b''c\\'`, `'d'`]],
  [`"a""b"."c"`, [`"a""b"`, '.', `"c"`]],
  [`E'x'`, [`E'x'`]],
  [`e 'x'`, ['e', `'x'`]],
])('%s', (text, expected) => {
  expect(images(text)).toEqual(expected);
});

it.each(["'a", "'a''", String.raw`e'a\'`, '"a""', "e'a''"])('%s never ends', (text) => {
  expect(() => tokenize(text)).toThrow(/Unterminated/);
});

it.each(['0x1F', '0b1', '1a', '1.5x', '.5e', '1_000é'])(
  'letters after the number %s are no alias',
  (text) => {
    expect(() => tokenize(`SELECT ${text}`)).toThrow(/letters follow the number/);
  },
);

it.each(['1e5', '1.5E-3', '1_000', '1..2', '1 a', '(1)a'])('%s is allowed', (text) => {
  expect(images(text).join('')).toBe(text.replace(' ', ''));
});

it.each(["''", 'x', String.raw`\n`])('takes strings of many megabytes: %s', (piece) => {
  const quoted = `${piece.startsWith('\\') ? 'e' : ''}'${piece.repeat(2_000_000)}'`;
  const [token, ...more] = tokenize(quoted);
  expect(more).toEqual([]);
  expect(stringOf(token!)?.length).toBe(2_000_000);
});
