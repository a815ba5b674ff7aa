import type { Readable } from 'node:stream';
import type { ReportedError } from '../query/error-report.ts';

/** A column of a result: its name, and its type as the HTTP API names it, such as `long null`. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/** A value of a result in the form of the JSON formats. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [field: string]: Cell };
export type Row = readonly Cell[];

export interface Warning {
  readonly severity: string;
  readonly description: string;
  readonly resolution?: string;
}

/** The member names are those of `PROGRESS` messages of the HTTP API. */
export interface Progress {
  /** 0 to 100; null while it is unknown. */
  readonly percent: number | null;
  readonly status: string;
  readonly elapsed: number;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly nodes: number;
}

/** A line of a `JSONLines_Compact` response. */
export type ResultMessage =
  | { readonly message_type: 'START'; readonly result_columns: readonly ResultColumn[] }
  | { readonly message_type: 'DATA'; readonly data: readonly Row[] }
  | ({ readonly message_type: 'PROGRESS' } & Progress)
  | {
      readonly message_type: 'FINISH_SUCCESSFULLY';
      readonly affected_rows?: number;
      readonly statistics?: { readonly from_result_cache?: boolean };
      readonly warnings?: readonly Warning[];
    }
  | {
      readonly message_type: 'FINISH_WITH_ERRORS';
      readonly errors: readonly ReportedError[];
      readonly warnings?: readonly Warning[];
    };

/** The messages of a response as they arrive. Messages of other types are skipped. */
export async function* resultMessages(body: Readable): AsyncGenerator<ResultMessage> {
  let pieces: string[] = [];
  for await (const chunk of body.setEncoding('utf8')) {
    const lines = String(chunk).split('\n');
    for (const [index, line] of lines.entries()) {
      pieces.push(line);
      if (index === lines.length - 1) break;
      const text = pieces.join('');
      pieces = [];
      if (text.trim() !== '') yield JSON.parse(text) as ResultMessage;
    }
  }
}
