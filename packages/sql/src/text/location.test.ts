import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteOffsets, locationAt, nameLocation } from './location.ts';

test('the offset of each character is found from its bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })),
      fc.nat({ max: 1 }),
      (parts, times) => {
        const text = parts.join('x').repeat(1 + 20 * times);
        const offsetOf = byteOffsets(text);
        let offset = 0;
        for (const character of text) {
          expect(offsetOf(Buffer.byteLength(text.slice(0, offset)))).toBe(offset);
          offset += character.length;
        }
        expect(offsetOf(Buffer.byteLength(text))).toBe(text.length);
        expect(offsetOf(Buffer.byteLength(text) + 10)).toBe(text.length);
      },
    ),
    { numRuns: 30 },
  );
});

test('places are the same in whatever order they are asked for', () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', ' '), maxLength: 12 }));
  fc.assert(
    fc.property(lines, fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 6 }))), (parts, places) => {
      const text = parts.join('\n');
      for (const [near, length] of places) {
        const at = [...text].slice(0, near).join('').length;
        const before = text.slice(0, at).split('\n');
        const startColumn = [...before.at(-1)!].length + 1;
        const [marked = ''] = text.slice(at, at + length).split('\n');
        const endColumn = startColumn + Math.max(0, [...marked].length - 1);
        expect(locationAt(text, at, at + length)).toEqual({ line: before.length, startColumn, endColumn });
      }
    }),
  );
});

test.each([
  ['FROM trips t', 5, 9],
  ['FROM public.trips', 5, 16],
  ['FROM "my ""table"" 2" t', 5, 20],
  ['FROM a."b.c"', 5, 11],
  ['FROM größe,', 5, 9],
  ['SELECT $1', 7, 7],
])('the place of a name covers all of it: %s', (text, offset, last) => {
  expect(nameLocation(text, offset)).toEqual({ line: 1, startColumn: offset + 1, endColumn: last + 1 });
});
