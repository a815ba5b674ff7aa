import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';

/**
 * Refuses a construct that the grammar knows but the engine does not support; the error points at the next
 * token.
 * @throws TesseraError NOT_SUPPORTED
 */
export function unsupported(cursor: TokenCursor, what: string, hint?: string): never {
  const start = cursor.offset;
  cursor.next();
  return fail('NOT_SUPPORTED', { what, hint }, { location: cursor.locationFrom(start) });
}
