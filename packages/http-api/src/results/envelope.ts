import type { TesseraError } from '@tessera/common';
import type { QueryStatistics } from '@tessera/coordinator';
import type { OutputColumn } from '@tessera/sql';

/** The text around the rows of a result in one output format. */
export interface Envelope {
  head(columns: readonly OutputColumn[]): string;
  /** The body bytes of a chunk; `first` is true for the first chunk that has rows. */
  rows(bytes: Uint8Array, first: boolean): readonly Uint8Array[];
  tail(rowCount: number, statistics: QueryStatistics): string;
  /** Reports a failure after the first byte. If absent, the connection is cut instead. */
  failure?(error: TesseraError, statistics: QueryStatistics): string;
}
