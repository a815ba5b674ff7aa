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
