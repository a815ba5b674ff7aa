import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteOffsets } from './location.ts';

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
