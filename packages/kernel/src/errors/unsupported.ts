import { TesseraError } from '@tessera/common';

interface Unsupported {
  readonly says: RegExp;
  readonly what: string;
  readonly hint: string;
}

/** The kernel lacks these forms of subqueries that refer to columns of the query around them. */
const UNSUPPORTED: readonly Unsupported[] = [
  {
    says: /^(?:Cannot perform non-inner join on subquery|Non-inner join on correlated columns|Unsupported join type for flattening correlated subquery)/,
    what: 'An outer join inside or beside a subquery that refers to columns of the query around it',
    hint: 'use an inner join there, or compute the subquery in FROM without these columns and join it',
  },
  {
    says: /^Subqueries are not supported in LATERAL join conditions/,
    what: 'A subquery in the condition of a LATERAL join',
    hint: 'write the condition in WHERE inside the LATERAL subquery',
  },
  {
    says: /^Join condition for non-inner LATERAL JOIN must be a comparison/,
    what: 'This condition of a LEFT JOIN LATERAL',
    hint: 'write it in WHERE inside the LATERAL subquery, and ON true',
  },
];

/** `… not (yet) supported`, as the end of a message. */
const ENDING = /[\s,]*\b(?:(?:is|are) )?not (?:\(yet\) |yet )?(?:supported|implemented)(?: yet)?[.!]*$/i;

/** The error for a message that says that the kernel lacks something; undefined if it says something else. */
export function unsupported(type: string, message: string): TesseraError | undefined {
  const known = UNSUPPORTED.find(({ says }) => says.test(message));
  if (known !== undefined) return TesseraError.of('NOT_SUPPORTED', { what: known.what, hint: known.hint });
  if (type !== 'Not implemented') return undefined;
  const [line = ''] = message.split('\n');
  const what = line.replace(ENDING, '').replace(/^(?:unsupported|unimplemented) /i, '');
  return TesseraError.of('NOT_SUPPORTED', { what: `${what.charAt(0).toUpperCase()}${what.slice(1)}` });
}
