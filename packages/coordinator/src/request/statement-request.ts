import { requireValidText } from '@tessera/common';
import type { CopyTextFormat } from '@tessera/readers';
import type { CopyRowFormat, QueryParameter, RowFormat, ValueFormat } from '@tessera/sql';
import type { PreparedStatementFacts } from '@tessera/system-catalog';
import type { SessionValues } from '../sequences/session-values.ts';
import type { TemporaryTables } from '../temporary/temporary-tables.ts';
import type { Settings } from './settings.ts';

/** How the rows of a result leave the coordinator. */
export type ResultEncoding =
  /** Text rows made by the kernel. */
  | { readonly kind: 'rows'; readonly format: RowFormat; readonly limit?: number }
  /** Text rows padded to columns, with a head and a row count. */
  | { readonly kind: 'table' }
  /** An Arrow IPC stream: schema, record batches, end-of-stream mark. */
  | { readonly kind: 'arrow' }
  /** As `arrow` without the mark: columns are PostgreSQL's texts (VARCHAR) or plain values, by the formats of a Bind message. */
  | { readonly kind: 'postgres'; readonly formats: readonly ValueFormat[] }
  /** Rows as PostgreSQL's COPY TO STDOUT has them; the names of the first line are a chunk of no rows. */
  | { readonly kind: 'copy'; readonly format: CopyRowFormat }
  /** One Parquet file. */
  | { readonly kind: 'parquet' };

/** A file that came with the request; it lives as long as the request. */
export interface UploadedFile {
  readonly path: string;
  /** Decoded size. */
  readonly bytes: number;
}

/** What `COPY … FROM STDIN` reads. */
export interface CopyInput {
  readonly path: string;
  readonly format: CopyTextFormat;
}

export interface StatementRequest {
  readonly sql: string;
  readonly database: string | undefined;
  readonly settings: Settings;
  readonly parameters: readonly QueryParameter[];
  /** By part name; what `upload://<name>` means in this statement. */
  readonly uploads: ReadonlyMap<string, UploadedFile>;
  /** A directory of this request alone, for downloads and spooled results; removed with it. */
  readonly directory: RequestDirectory;
  readonly encoding: ResultEncoding;
  /** Undefined: the client cannot send rows, so that `COPY … FROM STDIN` is refused. */
  readonly copyInput?: CopyInput | undefined;
  /** What `nextval` gave in the client's session; undefined: the client has none. */
  readonly drawn?: SessionValues | undefined;
  /** The temporary tables of the client's session; undefined: the client has none, as over HTTP. */
  readonly temporary?: TemporaryTables | undefined;
  readonly user: string;
  /** How the client speaks to the node; undefined: the HTTP API. */
  readonly protocol?: 'postgres' | undefined;
  /** ULID of the user who logged in: one of the same name that was made anew is another one. */
  readonly userId?: string | undefined;
  /** The prepared statements of the client's connection, for `pg_prepared_statements`; undefined: it has no connection. */
  readonly preparedStatements?: (() => readonly PreparedStatementFacts[]) | undefined;
  /** Of the transaction that the statement belongs to; undefined: it is one of its own. */
  readonly transactionId?: string | undefined;
  /** Whether the statement may change nothing but rows of temporary tables: the client's transaction only reads. */
  readonly readOnly?: boolean | undefined;
}

/** Made on first use: most statements need no files. */
export interface RequestDirectory {
  open(): Promise<string>;
}

/**
 * Refuses texts of a request that would be cut where they become C strings; the statement itself is looked at where it is
 * split, with the place of what is wrong.
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
