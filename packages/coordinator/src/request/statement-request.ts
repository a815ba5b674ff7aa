import { type CopyTextFormat, requireValidText, type TransactionId } from '@tessera/common';
import type { QueryParameter, RowFormat, ValueFormat } from '@tessera/sql';
import type { PreparedStatementFacts } from '@tessera/system-catalog';
import type { SessionValues } from '../sequences/session-values.ts';
import type { TemporaryTables } from '../temporary/temporary-tables.ts';
import type { Settings } from './settings.ts';

/** The encoding of the rows of a result. */
export type ResultEncoding =
  /** Text rows that the kernel produces. */
  | { readonly kind: 'rows'; readonly format: RowFormat; readonly limit?: number }
  /** Text rows padded to columns, with a header and a row count. */
  | { readonly kind: 'table' }
  /** An Arrow IPC stream: schema, record batches, end-of-stream mark. */
  | { readonly kind: 'arrow' }
  /**
   * Like `arrow` without the end mark: columns are PostgreSQL's texts (VARCHAR) or plain values, by the
   * formats of a Bind message.
   */
  | { readonly kind: 'postgres'; readonly formats: readonly ValueFormat[] }
  /** Rows in the format of PostgreSQL's COPY TO STDOUT; the header line is a chunk without rows. */
  | { readonly kind: 'copy'; readonly format: CopyTextFormat }
  /** All rows for COPY TO STDOUT in binary format, encoded as `postgres` does with the format `binary`. */
  | { readonly kind: 'copy_binary' }
  /** One Parquet file. */
  | { readonly kind: 'parquet' };

/** A file that was sent with the request and exists as long as the request. */
export interface UploadedFile {
  readonly path: string;
  /** The decoded size in bytes. */
  readonly bytes: number;
}

/** The input of `COPY … FROM STDIN`. */
export interface CopyInput {
  readonly path: string;
  readonly format: CopyTextFormat;
}

export interface StatementRequest {
  readonly sql: string;
  readonly database: string | undefined;
  readonly settings: Settings;
  readonly parameters: readonly QueryParameter[];
  /** The uploads by part name: the targets of `upload://<name>` in this statement. */
  readonly uploads: ReadonlyMap<string, UploadedFile>;
  /** The directory of this request for downloads and spooled results; removed with the request. */
  readonly directory: RequestDirectory;
  readonly encoding: ResultEncoding;
  /** Undefined if the client cannot send rows, so that `COPY … FROM STDIN` is refused. */
  readonly copyInput?: CopyInput | undefined;
  /** The values that `nextval` returned in the client's session; undefined if it has none. */
  readonly drawn?: SessionValues | undefined;
  /** The temporary tables of the client's session; undefined if it has none, as over HTTP. */
  readonly temporary?: TemporaryTables | undefined;
  readonly user: string;
  /** The client's protocol; undefined for the HTTP API. */
  readonly protocol?: 'postgres' | undefined;
  /** The ULID of the authenticated user, which distinguishes a recreated user with the same name. */
  readonly userId?: string | undefined;
  /**
   * The prepared statements of the client's connection, for `pg_prepared_statements`; undefined if it has no
   * connection.
   */
  readonly preparedStatements?: (() => readonly PreparedStatementFacts[]) | undefined;
  /** The id of the statement's transaction; undefined if it is a transaction of its own. */
  readonly transactionId?: TransactionId | undefined;
  /**
   * Whether the statement may only change rows of temporary tables, because the client's transaction is
   * read-only.
   */
  readonly readOnly?: boolean | undefined;
}

/** Created on first use: most statements need no files. */
export interface RequestDirectory {
  open(): Promise<string>;
}

/**
 * Refuses texts of a request that would be cut where they become C strings. The statement itself is checked
 * where it is split, which reports the position.
 * @throws TesseraError INVALID_ENCODING
 */
export function requireValidTexts({ parameters, database, user, transactionId }: StatementRequest): void {
  for (const { name, value } of parameters) {
    requireValidText(name, 'the name of a parameter');
    if (typeof value === 'string') requireValidText(value, `parameter ${name}`);
  }
  requireValidText(database ?? '', 'the name of the database');
  requireValidText(user, 'the name of the user');
  requireValidText(transactionId ?? '', 'the transaction id');
}
