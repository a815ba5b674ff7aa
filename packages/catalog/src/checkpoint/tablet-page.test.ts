import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textColumn, textsOf } from './tablet-page.ts';

const text = fc.oneof(
  fc.constantFrom('', '~', '~~', '\u007f', 'a\u007fb', '\n', '"', 'null', '\u0000', '\ud83d\ude00'),
  fc.string(),
  fc.string({ unit: 'binary' }),
);

test('texts survive a round trip, absent ones too', () => {
  fc.assert(
    fc.property(fc.array(fc.option(text, { nil: undefined }), { minLength: 1 }), (texts) => {
      expect(textsOf(JSON.parse(JSON.stringify(textColumn(texts))))).toEqual(texts);
    }),
    { numRuns: 500 },
  );
});

test('ordinary texts are one text', () => {
  expect(textColumn(['a', undefined, ''])).toBe('a\u007f~\u007f');
});
