import type { KernelSession } from '@tessera/kernel';
import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';

/** The answer of a kernel whose parser ran out of memory, which cannot be brought about at will. */
const session = {
  scalar: async () => '{"error":true,"error_type":"parser","error_message":"std::bad_alloc"}',
} as unknown as KernelSession;

test('a parser that runs out of memory does not blame the syntax of the statement', async () => {
  await expect(parseQuery(session, 'SELECT 1', { sql: 'SELECT 1', offset: 0 })).rejects.toMatchObject({
    name: 'OUT_OF_MEMORY',
  });
});
