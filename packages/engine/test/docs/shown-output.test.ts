import { expect, it } from 'vitest';
import { compareOutput } from './shown-output.ts';

function compared(text: string, output: string, patterns: { varies?: RegExp[]; names?: RegExp[] } = {}) {
  const { shown, given, renamed } = compareOutput(
    { text, varies: [], names: [], isSoon: false, ...patterns },
    output,
  );
  return { isSame: shown === given, renamed };
}

it.each([
  ['a\nb\n', 'a\nb\n', true],
  ['a\nb\n', 'a\n', false],
  ['a  b\n', 'a b\n', false],
  ['a\n', 'a  \n\n', true],
  ['a\n…\nz\n', 'a\nz\n', true],
  ['a\n…\nz\n', 'a\nb\nc\nz\n', true],
  ['a\n…\nz\n', 'a\nb\n', false],
  ['took … ms\n', 'took 12.5 ms\n', true],
  ['took … ms\n', 'took\n12 ms\n', false],
  ['1+1\n', '11\n', false],
])('%j is %j: %s', (text, output, isSame) => {
  expect(compared(text, output).isSame).toBe(isSame);
});

it('a varying part must be present, and may change the width of its column', () => {
  const varies = [/\d+ ms/g];
  expect(
    compared('t   | n\n----+--\n5 ms | a\n', 't      | n\n-------+--\n1234 ms | a\n', { varies }).isSame,
  ).toBe(true);
  expect(compared('5 ms\n', 'long\n', { varies }).isSame).toBe(false);
});

it('names are distinguished by their order', () => {
  const names = [/(?<=process )\d+/g];
  expect(compared('process 11\nprocess 12\n', 'process 907\nprocess 8\n', { names })).toEqual({
    isSame: true,
    renamed: [
      ['11', '907'],
      ['12', '8'],
    ],
  });
});
