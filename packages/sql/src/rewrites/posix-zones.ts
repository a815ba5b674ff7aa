import { fail } from '@tessera/common';
import { constant, type FunctionNode, stringLiteral } from '../tree.ts';

const OFFSET = /^\s*(?:utc|gmt)?([+-])(\d{1,2})(?::(\d\d))?\s*$/i;

/**
 * `x AT TIME ZONE '+02:00'` → `x AT TIME ZONE 'UTC-2'`, and the same for `'UTC+2'`. PostgreSQL follows POSIX,
 * which counts such offsets to the west of Greenwich. The kernel counts `UTC+2` to the east, does not know
 * `+02:00`, and drops the minutes of `UTC+5:30`.
 * @throws TesseraError NOT_SUPPORTED for an offset that is not a full number of hours
 */
export function posixZone(node: FunctionNode): FunctionNode {
  const [zone, ...rest] = node.children;
  if (node.function_name !== 'timezone' || zone === undefined || rest.length === 0) return node;
  const [offset, sign, hours = '', minutes = '00'] = OFFSET.exec(stringLiteral(zone) ?? '') ?? [];
  if (offset === undefined) return node;
  if (minutes !== '00') {
    const hint = 'Use the name of a time zone, such as Asia/Kolkata.';
    return fail('NOT_SUPPORTED', {
      what: `The time zone "${offset}", whose offset is not in whole hours,`,
      hint,
    });
  }
  const name = `UTC${sign === '+' ? '-' : '+'}${Number(hours)}`;
  return { ...node, children: [{ ...constant(name), query_location: zone.query_location }, ...rest] };
}
