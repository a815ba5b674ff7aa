import type { TesseraError } from '@tessera/common';
import type { QueryStatistics, RunningQuery } from '@tessera/coordinator';
import type { OutputColumn } from '@tessera/sql';
import { formatTypeName } from '@tessera/sql';
import type { Envelope } from './envelope.ts';
import { errorEntry } from './error-body.ts';
import { warningsMember } from './notices.ts';
import { queryMember } from './query-member.ts';

/** The `statistics` member of JSON answers; times in seconds, sizes in bytes. */
const statisticsMember = (s: QueryStatistics) => ({
  elapsed: s.elapsed,
  rows_read: s.rowsRead,
  bytes_read: s.bytesRead,
  time_before_execution: s.timeBeforeExecution,
  time_to_execute: s.timeToExecute,
  scanned_bytes_cache: s.bytesFromCache,
  scanned_bytes_storage: s.bytesFromStorage,
  from_result_cache: s.isReused,
  subresults_reused: s.reusedParts,
});

const meta = (columns: readonly OutputColumn[]) =>
  columns.map((column) => ({ name: column.name, type: formatTypeName(column) }));

/** `JSON` and `JSON_Compact`: one object around all rows. */
export function jsonEnvelope(query: RunningQuery): Envelope {
  return {
    head: (columns) =>
      `{"query":${JSON.stringify(queryMember(query))},"meta":${JSON.stringify(meta(columns))},"data":[`,
    rows: (bytes, first) => [withoutComma(bytes, first)],
    tail: (rowCount, statistics) =>
      `],"rows":${rowCount},${JSON.stringify({ statistics: statisticsMember(statistics), ...warningsMember(query) }).slice(1)}\n`,
  };
}

const DATA_START = Buffer.from('{"message_type":"DATA","data":[');
const DATA_END = Buffer.from(']}\n');

/** `JSONLines_Compact`: one message per line. It is the only format that can report a failure after rows were sent. */
export function jsonLinesEnvelope(query: RunningQuery): Envelope {
  const line = (message: object) => `${JSON.stringify(message)}\n`;
  return {
    head: (columns) => line({ message_type: 'START', ...queryMember(query), result_columns: meta(columns) }),
    rows: (bytes) => [DATA_START, withoutComma(bytes, true), DATA_END],
    tail: (_, statistics) =>
      line({
        message_type: 'FINISH_SUCCESSFULLY',
        statistics: statisticsMember(statistics),
        ...warningsMember(query),
      }),
    failure: (error: TesseraError, statistics) =>
      line({
        message_type: 'FINISH_WITH_ERRORS',
        errors: [errorEntry(error)],
        statistics: statisticsMember(statistics),
        ...warningsMember(query),
      }),
  };
}

/** Drops the leading comma: the kernel writes a comma before every JSON row. */
const withoutComma = (bytes: Uint8Array, first: boolean): Uint8Array => (first ? bytes.subarray(1) : bytes);
