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

it.each(["''", 'x', String.raw`\n`])('takes strings of many megabytes: %s', (piece) => {
  const quoted = `${piece.startsWith('\\') ? 'e' : ''}'${piece.repeat(2_000_000)}'`;
  const [token, ...more] = tokenize(quoted);
  expect(more).toEqual([]);
  expect(stringOf(token!)?.length).toBe(2_000_000);
});
