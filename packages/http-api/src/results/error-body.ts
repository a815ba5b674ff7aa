import type { TesseraError } from '@tessera/common';
import type { RunningQuery } from '@tessera/coordinator';
import { warningsMember } from './notices.ts';
import { queryMember } from './query-member.ts';

/** One element of `errors`. Offsets are columns, counted from 1. */
export function errorEntry(error: TesseraError): object {
  const { location } = error;
  const place = location === undefined ? '' : `Line ${location.line}, Column ${location.startColumn}: `;
  return {
    code: error.sqlState,
    name: error.name,
    severity: 'ERROR',
    description: `${place}${error.message}`,
    ...(location && {
      location: {
        failing_line: location.line,
        start_offset: location.startColumn,
        end_offset: location.endColumn,
      },
    }),
    ...(error.resolution && { resolution: error.resolution }),
  };
}

/**
 * The body of an error answer. `query` is absent if the request failed before it became a query. In a format of messages,
 * the body is also the message that ends a result.
 */
export function errorBody(
  error: TesseraError,
  query: RunningQuery | undefined,
  format?: { readonly hasMessages?: boolean },
): string {
  const entry = errorEntry(error) as { description: string };
  const elapsed = query === undefined ? 0 : (Date.now() - query.submittedAt.getTime()) / 1000;
  const body = {
    ...(format?.hasMessages && { message_type: 'FINISH_WITH_ERRORS' }),
    errors: [entry],
    ...(query && { query: queryMember(query) }),
    statistics: { elapsed },
    ...(query && warningsMember(query)),
    message: entry.description,
  };
  return `${JSON.stringify(body)}\n`;
}
