import { expect, test } from 'vitest';
import { kernelErrorToTessera } from './kernel-error.ts';

const UNREADABLE = 'Invalid Input Error: Failed to read file "/data/t.parquet": ZSTD Decompression failure';

test.each([
  ['Out of Memory Error: Allocation failure', false, 'OUT_OF_MEMORY'],
  [
    'Invalid Input Error: Failed to read file "t": Allocation error : not enough memory',
    false,
    'OUT_OF_MEMORY',
  ],
  // A damaged file and a failed allocation have the same message.
  [UNREADABLE, true, 'OUT_OF_MEMORY'],
  [UNREADABLE, false, 'STATEMENT_FAILED'],
])('%s, memory is short: %j', (text, memoryIsShort, name) => {
  expect(kernelErrorToTessera(text, undefined, memoryIsShort)).toMatchObject({ name });
});

test('a message with a long value keeps its beginning and its end', () => {
  // Translating the whole message would take hours.
  for (const value of ['x'.repeat(5_000_000), '🦆\n'.repeat(1_000_000)]) {
    const exception_message = `Could not convert string '${value}' to INT32`;
    const error = kernelErrorToTessera(JSON.stringify({ exception_type: 'Conversion', exception_message }));
    expect(error).toMatchObject({
      name: 'CAST_ERROR',
      message: expect.stringMatching(/^invalid input syntax for type integer: "(x|🦆)[\s\S]* … [\s\S]*"$/u),
    });
    expect(error.message.length).toBeLessThan(2_100);
  }
});
