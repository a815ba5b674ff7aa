import { describe, expect, it } from 'vitest';
import { invalidByteAt, invalidCharacterAt, requireValidText, textOfUtf8 } from './valid-text.ts';

describe('text', () => {
  it('has neither NUL characters nor halves of surrogate pairs', () => {
    expect(invalidCharacterAt('a\n\u0001é😀\uffff')).toBe(undefined);
    expect(invalidCharacterAt('é\0b')).toBe(1);
    expect(invalidCharacterAt('😀\ud83d')).toBe(2);
    expect(invalidCharacterAt('\ude00😀')).toBe(0);
    expect(() => requireValidText('a\0b', 'parameter $1')).toThrow(
      'invalid byte sequence for encoding "UTF8": 0x00 (in parameter $1)',
    );
    expect(() => requireValidText('\ud800', 'it')).toThrow('"UTF8": 0xed 0xa0 0x80');
  });

  it.each([
    [[0x61, 0x00, 0x62], 1, '0x00'],
    [[0xc3, 0xa9, 0xff], 2, '0xff'],
    [[0x61, 0xe3, 0x83, 0x61], 1, '0xe3 0x83 0x61'],
    [[0x61, 0xc0, 0x80], 1, '0xc0 0x80'],
    [[0xed, 0xa0, 0x80], 0, '0xed 0xa0 0x80'],
    [[0xef, 0xbf, 0x41], 0, '0xef 0xbf 0x41'],
    [[0xef, 0xbf, 0xbd, 0x80], 3, '0x80'],
    [[0x80], 0, '0x80'],
    [[0xff, 0x00], 0, '0xff'],
    [[0xf0, 0x9f, 0x98], 0, '0xf0 0x9f 0x98'],
  ])('of the bytes %j is refused at %i', (bytes, at, shown) => {
    expect(invalidByteAt(Buffer.from(bytes))).toBe(at);
    expect(() => textOfUtf8(Buffer.from(bytes), 'it')).toThrow(`"UTF8": ${shown} (in it)`);
  });

  it('in UTF-8 is unchanged, including a byte order mark', () => {
    expect(textOfUtf8(Buffer.from('\ufeffé😀\ufffd'), 'it')).toBe('\ufeffé😀\ufffd');
  });
});
