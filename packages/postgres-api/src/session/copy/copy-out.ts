import { type CopyTextFormat, fail, TesseraError } from '@tessera/common';
import type { ResultEncoding, RowsResult } from '@tessera/coordinator';
import type { OutputColumn, SqlText, ValueFormat } from '@tessera/sql';
import type { CopyOutCommand } from '../../commands/copy-command.ts';
import { COPY_DONE, copyResponse } from '../../protocol/backend-message.ts';
import type { ClientStream } from '../../protocol/client-stream.ts';
import { MessageWriter } from '../../protocol/message-writer.ts';
import type { ResultHooks } from '../../statements/engine-statements.ts';
import { inWholeText } from '../../statements/parsed-statement.ts';
import { DataRowReader } from '../../values/data-rows.ts';
import type { CommandRun, Outcome } from '../outcome.ts';
import type { SessionState } from '../session-state.ts';
import { BINARY_COPY_END, BINARY_COPY_HEADER } from './binary-copy.ts';

const LF = 0x0a;

/** Finds the end of a row in the text of COPY TO, because the protocol sends one row per message. */
type LineEnd = (bytes: Buffer, start: number) => number;

/**
 * Creates the function that returns the end of the row at `start`, after its newline. Every text ends with a
 * complete row.
 */
export function lineEnds({ format, quote, escape: escapeText }: CopyTextFormat): LineEnd {
  if (format === 'text') return (bytes, start) => bytes.indexOf(LF, start) + 1;
  const quoteByte = quote.charCodeAt(0);
  const escapeByte = escapeText.charCodeAt(0);
  return (bytes, start) => {
    const newline = bytes.indexOf(LF, start);
    const firstQuote = bytes.indexOf(quoteByte, start);
    if (firstQuote < 0 || newline < firstQuote) return newline + 1;
    let inQuotes = false;
    for (let i = firstQuote; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (inQuotes && byte === escapeByte && escapeByte !== quoteByte) i += 1;
      else if (byte === quoteByte) inQuotes = !inQuotes;
      else if (byte === LF && !inQuotes) return i + 1;
    }
    return bytes.length;
  };
}

const HEAD_BYTES = 5;
const COPY_DATA = 'd'.charCodeAt(0);

/** The rows of a text as CopyData messages, in newly allocated memory. */
export function copyDataMessages(bytes: Buffer, lineEnd: LineEnd): Buffer {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    start = lineEnd(bytes, start);
    ends.push(start);
  }
  const out = Buffer.allocUnsafe(bytes.length + HEAD_BYTES * ends.length);
  let [start, at] = [0, 0];
  for (const end of ends) {
    out[at] = COPY_DATA;
    out.writeInt32BE(end - start + HEAD_BYTES - 1, at + 1);
    bytes.copy(out, at + HEAD_BYTES, start, end);
    at += HEAD_BYTES + end - start;
    start = end;
  }
  return out;
}

/** Converts the chunks of a result to CopyData messages. */
interface CopyMessages {
  readonly format: ValueFormat;
  of(bytes: Buffer): Iterable<Buffer>;
  /** The messages after the last row. */
  end(): Buffer;
}

const textMessages = (options: CopyTextFormat): CopyMessages => ({
  format: 'text',
  of: (bytes) => [copyDataMessages(bytes, lineEnds(options))],
  end: () => Buffer.alloc(0),
});

/** The number of rows that are encoded as messages at once. */
const ROWS_AT_ONCE = 2_048;

/**
 * The header shares a message with the first row, or with the end if there is no row, as PostgreSQL sends it: psycopg 3 reads no
 * other division.
 */
function binaryMessages(columns: readonly OutputColumn[]): CopyMessages {
  const reader = new DataRowReader(columns, ['binary'], COPY_DATA);
  let isStarted = false;
  const started = (messages: Buffer): Buffer => {
    if (isStarted) return messages;
    isStarted = true;
    return Buffer.concat([
      copyData(BINARY_COPY_HEADER, rowOf(messages)),
      messages.subarray(lengthOf(messages)),
    ]);
  };
  return {
    format: 'binary',
    *of(bytes) {
      const batch = reader.read(bytes);
      if (batch === undefined) return;
      for (let from = 0; from < batch.rows; from += ROWS_AT_ONCE)
        yield started(batch.write(from, Math.min(from + ROWS_AT_ONCE, batch.rows)));
    },
    end: () => started(copyData(BINARY_COPY_END)),
  };
}

/** The length of the first message, with its head. */
const lengthOf = (messages: Buffer): number => 1 + messages.readInt32BE(1);

/** The row in the first message. */
const rowOf = (messages: Buffer): Buffer => messages.subarray(HEAD_BYTES, lengthOf(messages));

const copyData = (...parts: readonly Buffer[]): Buffer =>
  new MessageWriter('d').bytes(Buffer.concat(parts)).done();

/**
 * `COPY … TO STDOUT`: sends the rows of a query, a message for each row.
 * @throws TesseraError if the query fails
 */
export async function copyOut(
  { engine, stream }: SessionState,
  { query, options }: CopyOutCommand,
  { text }: CommandRun,
): Promise<Outcome> {
  const encoding: ResultEncoding =
    options.format === 'binary' ? { kind: 'copy_binary' } : { kind: 'copy', format: options };
  const start = engine.start({ sql: query.sql, parameters: [], encoding });
  const outcome = await start.catch((error: unknown) => {
    throw placed(error, text, query);
  });
  if (outcome.kind !== 'rows') return fail('NOT_SUPPORTED', { what: 'COPY TO of a statement without rows' });
  const { result, hooks } = outcome;
  const messages = options.format === 'binary' ? binaryMessages(result.columns) : textMessages(options);
  return { kind: 'dialogue', run: () => sendRows(stream, result, hooks, messages) };
}

/**
 * Translates the place of an error in the query to a place in the statement, unless the query was generated
 * from a table's name.
 */
function placed(error: unknown, text: string, { sql, offset }: SqlText): unknown {
  if (text.startsWith(sql, offset)) return inWholeText(error, text, { text: sql, offset });
  return error instanceof TesseraError ? error.with({ location: undefined }) : error;
}

/** Sends the rows and returns the command tag. */
async function sendRows(
  stream: ClientStream,
  result: RowsResult,
  hooks: ResultHooks,
  messages: CopyMessages,
): Promise<string> {
  let [rows, failure]: [number, unknown] = [0, undefined];
  hooks.resume();
  try {
    stream.write(copyResponse('out', result.columns.length, messages.format));
    for await (const { bytes, rows: count, release } of result.chunks) {
      for (const part of messages.of(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
        stream.write(part);
        if (stream.isFull) await stream.flush();
      }
      release?.();
      rows += count;
    }
    stream.write(Buffer.concat([messages.end(), COPY_DONE]));
    return `COPY ${rows}`;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    hooks.suspend();
    await result.close();
    await hooks.end(failure);
  }
}
