import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { CopyTextFormat } from '@tessera/common';
import { type FewRows, type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  alignedHead,
  alignedTail,
  cellsQuery,
  copyHeader,
  copyRowsQuery,
  formattedQuery,
  paddedRowsQuery,
  postgresRowsQuery,
  type RowEncoding,
  type RunnableQuery,
  widthsQuery,
  writtenRows,
} from '@tessera/sql';
import type { ExecutableQuery, StreamedRows } from '../read/executable-query.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { ResultChunk } from '../request/statement-result.ts';

const ARROW_END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
const FILE_CHUNK_BYTES = 1 << 20;

export type EncodableQuery = Pick<
  ExecutableQuery,
  'session' | 'sql' | 'params' | 'columns' | 'isKept' | 'isFixed' | 'fewRows'
>;

/**
 * Runs a query and returns its rows in the encoding of the request, chunk by chunk: the first
 * `max_result_rows` of them, as if the query had this LIMIT. COPY returns all rows.
 */
export function encodeResult(
  {
    session,
    sql: unlimited,
    params,
    columns,
    isKept: keep = false,
    isFixed,
    fewRows = false,
  }: EncodableQuery,
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  const limit = rowLimit(request);
  const {
    encoding,
    settings: { timezone },
  } = request;
  const isLimited = limit > 0 || (encoding.kind === 'rows' && encoding.limit !== undefined);
  const prepared: RepeatedQuery = {
    ...{ parameters: params, columns, keep, isFixed },
    sql: limit > 0 ? limitedSql(unlimited, columns, limit) : unlimited,
    // A second LIMIT cannot be added.
    fewRows: isLimited && fewRows === 'perhaps' ? false : fewRows,
  };
  switch (encoding.kind) {
    case 'rows':
      return formattedRows(session, prepared, encoding);
    case 'table':
      return alignedTable(session, prepared, request);
    case 'arrow':
      return arrowStream(session, prepared);
    case 'postgres':
      return arrowBatches(session, prepared, postgresRowsQuery(prepared, encoding.formats, timezone));
    case 'copy':
      return copiedRows(session, prepared, encoding.format);
    case 'copy_binary':
      return arrowBatches(session, prepared, postgresRowsQuery(prepared, ['binary'], timezone));
    case 'parquet':
      return parquetFile(session, prepared, request);
  }
}

/** Whether the encoding of a result can begin before its last row is known. */
export const isStreamable = ({ encoding }: StatementRequest): boolean =>
  encoding.kind !== 'table' && encoding.kind !== 'parquet';

/** Like `encodeResult` for rows that come part by part. There is at least one part. */
export async function* encodeStreamedResult(
  query: EncodableQuery,
  parts: StreamedRows['parts'],
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  const { encoding, settings } = request;
  const limit = rowLimit(request);
  let rows = 0;
  let isFirst = true;
  for await (const { sql, release } of parts) {
    const left = { ...settings, max_result_rows: limit === 0 ? 0 : limit - rows };
    const chunks = encodeResult(
      { ...query, sql, isKept: false, isFixed: false, fewRows: false },
      { ...request, settings: left },
    );
    for await (const chunk of chunks) {
      rows += chunk.rows;
      // The end of an Arrow stream follows the last part, and its schema or a header precedes only the first one.
      if (chunk.bytes === ARROW_END_OF_STREAM || (chunk.isPreamble === true && !isFirst)) continue;
      yield chunk;
    }
    await release();
    isFirst = false;
    if (limit > 0 && rows >= limit) break;
  }
  if (encoding.kind === 'arrow') yield { bytes: ARROW_END_OF_STREAM, rows: 0 };
}

/** The maximum number of rows; 0 means all. */
const rowLimit = ({ encoding, settings }: StatementRequest): number =>
  encoding.kind === 'copy' || encoding.kind === 'copy_binary' ? 0 : settings.max_result_rows;

/** The query with a limit; several columns may have one name. */
function limitedSql(sql: string, columns: EncodableQuery['columns'], limit: number): string {
  const items = columns.map(({ name }, i) => `c${i} AS ${quoteName(name)}`);
  const names = columns.map((_, i) => `c${i}`);
  return `SELECT ${items.join(', ')} FROM (${sql}) AS r(${names.join(', ')}) LIMIT ${limit}`;
}

interface RepeatedQuery extends RunnableQuery {
  /** This and the next two as in `KernelSession.query`. */
  readonly keep: boolean;
  readonly isFixed: boolean | undefined;
  readonly fewRows: FewRows;
}

/** Expressions of the kernel make text of many rows on all of its threads, but take longer to plan than few rows to write. */
async function* formattedRows(
  session: KernelSession,
  prepared: RepeatedQuery,
  encoding: RowEncoding,
): AsyncGenerator<ResultChunk, void> {
  const written = prepared.fewRows === true ? writtenRows(prepared, encoding) : undefined;
  const rows =
    written && (await session.writtenRows(written.sql, prepared.parameters, written.rowText, prepared));
  if (rows === undefined) yield* textRows(session, prepared, formattedQuery(prepared, encoding));
  else yield* rows;
}

/** The kernel produces the text; a chunk consists of the values of its only column. */
async function* textRows(
  session: KernelSession,
  prepared: RepeatedQuery,
  sql: string,
): AsyncGenerator<ResultChunk, void> {
  yield* await session.texts(sql, prepared.parameters, prepared);
}

async function* copiedRows(
  session: KernelSession,
  prepared: RepeatedQuery,
  format: CopyTextFormat,
): AsyncGenerator<ResultChunk, void> {
  if (format.header !== false) {
    yield { bytes: Buffer.from(copyHeader(prepared.columns, format)), rows: 0, isPreamble: true };
  }
  yield* textRows(session, prepared, copyRowsQuery(prepared, format));
}

async function* arrowStream(
  session: KernelSession,
  prepared: RepeatedQuery,
): AsyncGenerator<ResultChunk, void> {
  yield* arrowBatches(session, prepared, prepared.sql);
  yield { bytes: ARROW_END_OF_STREAM, rows: 0 };
}

/** Yields the schema, then the batches: each chunk is one message. */
async function* arrowBatches(
  session: KernelSession,
  prepared: RepeatedQuery,
  sql: string,
): AsyncGenerator<ResultChunk, void> {
  const result = await session.query(sql, prepared.parameters, prepared);
  yield { bytes: result.schemaIpc, rows: 0, isPreamble: true };
  for await (const batch of result.batches)
    yield { bytes: batch.ipc, rows: batch.rows, release: () => batch.release() };
}

/** Writes a Parquet file to disk and streams it from there, because its index is at its end. */
async function* parquetFile(
  session: KernelSession,
  prepared: RunnableQuery,
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  const path = join(await request.directory.open(), 'result.parquet');
  let rows = await spool(session, prepared, prepared.sql, path);
  for await (const bytes of createReadStream(path, { highWaterMark: FILE_CHUNK_BYTES })) {
    yield { bytes, rows };
    rows = 0;
  }
}

/** Column widths are only known after the last row, so the rows are spooled on disk. */
async function* alignedTable(
  session: KernelSession,
  prepared: RunnableQuery,
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  const { columns } = prepared;
  const path = join(await request.directory.open(), 'cells.parquet');
  const rowCount = await spool(session, prepared, cellsQuery(prepared), path);
  const cells = `read_parquet(${quoteText(path)}, hive_partitioning = false)`;
  const measured = await session.scalar(widthsQuery(cells, columns));
  const widths = String(measured)
    .split(',')
    .map((width, i) => Math.max(Number(width), [...columns[i]!.name].length));
  yield { bytes: Buffer.from(alignedHead(columns, widths)), rows: rowCount };
  const texts = await session.texts(paddedRowsQuery(cells, columns, widths));
  for await (const { bytes } of texts) yield { bytes, rows: 0 };
  yield { bytes: Buffer.from(alignedTail(rowCount)), rows: 0 };
}

/** Writes a result to a Parquet file. Returns the number of rows. */
function spool(session: KernelSession, prepared: RunnableQuery, sql: string, path: string): Promise<number> {
  const copy = `COPY (${sql}) TO ${quoteText(path)} (FORMAT parquet, COMPRESSION zstd)`;
  return session.execute(copy, prepared.parameters);
}
