import { fail, type SqlLocation } from '@tessera/common';
import { literalInteger, negativeInteger } from '../functions/expressions.ts';
import type { WindowNode } from '../tree.ts';

/**
 * Refuses `ROWS -1 PRECEDING` and `nth_value(x, 0)`, as PostgreSQL does; the kernel returns NULL for them.
 * @throws TesseraError INVALID_FRAME_OFFSET, INVALID_NTH_VALUE
 */
export function checkWindow(
  node: WindowNode,
  locate: (at: WindowNode['query_location']) => SqlLocation | undefined,
): void {
  const { function_name, children, start_expr, end_expr, query_location } = node;
  const location = locate(query_location);
  for (const [end, offset] of [
    ['starting', start_expr],
    ['ending', end_expr],
  ] as const) {
    if (offset === null || negativeInteger(offset) === undefined) continue;
    fail('INVALID_FRAME_OFFSET', { message: `frame ${end} offset must not be negative` }, { location });
  }
  const position = children[1];
  if (function_name !== 'nth_value' || position === undefined) return;
  if (negativeInteger(position) !== undefined || literalInteger(position) === 0)
    fail('INVALID_NTH_VALUE', {}, { location });
}
