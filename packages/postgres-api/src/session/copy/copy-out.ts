import { fail, TesseraError } from '@tessera/common';
import type { RowsResult } from '@tessera/coordinator';
import type { SqlText } from '@tessera/sql';
import type { CopyOutCommand } from '../../commands/copy-command.ts';
import { COPY_DONE, copyResponse } from '../../protocol/backend-message.ts';
import type { ClientStream } from '../../protocol/client-stream.ts';
import type { ResultHooks } from '../../statements/engine-statements.ts';
import { inWholeText } from '../../statements/parsed-statement.ts';
import type { CommandRun, Outcome } from '../outcome.ts';
import type { SessionState } from '../session-state.ts';
import { copyDataMessages, lineEnds } from './copy-lines.ts';

/**
 * `COPY … TO STDOUT`: sends the rows of a query as text, line by line. @throws TesseraError if the query
 * fails
 */
export async function copyOut(
  { engine, stream }: SessionState,
  { query, options }: CopyOutCommand,
  { text }: CommandRun,
): Promise<Outcome> {
  const encoding = { kind: 'copy', format: options } as const;
  const start = engine.start({ sql: query.sql, parameters: [], encoding });
  const outcome = await start.catch((error: unknown) => {
    throw placed(error, text, query);
  });
  if (outcome.kind !== 'rows') return fail('NOT_SUPPORTED', { what: 'COPY TO of a statement without rows' });
  const { result, hooks } = outcome;
  const toMessages = (bytes: Buffer) => copyDataMessages(bytes, lineEnds(options));
  return { kind: 'dialogue', run: () => sendRows(stream, result, hooks, toMessages) };
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
  toMessages: (bytes: Buffer) => Buffer,
): Promise<string> {
  let [rows, failure]: [number, unknown] = [0, undefined];
  hooks.resume();
  try {
    stream.write(copyResponse('out', result.columns.length));
    for await (const { bytes, rows: count, release } of result.chunks) {
      stream.write(toMessages(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
      release?.();
      rows += count;
      if (stream.isFull) await stream.flush();
    }
    stream.write(COPY_DONE);
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
