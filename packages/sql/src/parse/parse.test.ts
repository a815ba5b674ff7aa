import type { KernelSession } from '@tessera/kernel';
import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';

const NO_BLOCK = 'Failed to allocate block of 16384 bytes (bad allocation)\n\nPossible solutions:\n* …';

/** The answers of a kernel whose parser ran out of memory, which cannot be brought about at will. */
test.each([
  { error_type: 'parser', error_message: 'std::bad_alloc' },
  { error_type: 'parser', error_message: 'Allocation failure' },
  { error_type: 'out of memory', error_message: NO_BLOCK },
  { error_type: 'parser', error_message: NO_BLOCK },
])('a parser that runs out of memory does not blame the statement: %j', async (failure) => {
  const session = {
    scalar: async () => JSON.stringify({ error: true, ...failure }),
  } as unknown as KernelSession;
  await expect(parseQuery(session, 'SELECT 1', { sql: 'SELECT 1', offset: 0 })).rejects.toMatchObject({
    name: 'OUT_OF_MEMORY',
    message: expect.not.stringContaining('Possible solutions'),
  });
});
