import { expect, test } from 'vitest';
import { type TextShape, textShape } from './text-shape.ts';

const SHAPES: readonly (readonly [shape: TextShape, texts: readonly string[]])[] = [
  ['four digits', ['0', '-12', ' +9999 ']],
  ['nine digits', ['12345', '-999999999']],
  ['eighteen digits', ['1234567890', '999999999999999999']],
  ['number', ['1.5', '-.5', '1e30', '9999999999999999999']],
  ['boolean', ['t', 'FALSE', ' f ']],
  ['date', ['2024-02-29', '1999-12-31']],
  ['timestamp', ['2024-02-29 23:59:59', '2024-02-28 00:00:00.123456']],
  [
    'other',
    [
      '',
      'abc',
      '1e400',
      '1_000',
      '2023-02-29',
      '0000-01-01',
      '2024-13-01',
      '2024-02-29 24:00:00',
      'today',
      'off',
    ],
  ],
];

test.each(SHAPES)('%s', (shape, texts) => {
  expect(texts.map(textShape)).toEqual(texts.map(() => shape));
});
