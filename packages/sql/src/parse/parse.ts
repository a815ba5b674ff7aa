import { setImmediate } from 'node:timers/promises';
import { fail, requireValidText, type SqlLocation, TesseraError } from '@tessera/common';
import { type KernelSession, kernelErrorToTessera } from '@tessera/kernel';
import { byteOffsets, locationAt } from '../text/location.ts';
import { kernelSource } from '../text/source.ts';
import { parseTree, printTree, type QueryLocation, type Statement } from '../tree.ts';
import { checkExpressionDepth } from './expression-depth.ts';
import { withPrintedParentheses } from './printed-parentheses.ts';

export interface ParsedQuery {
  readonly statement: Statement;
  /** The place of a node in the text of the whole statement. */
  locate(at: QueryLocation): SqlLocation | undefined;
  /** The text that the parser saw, from the start of a node. */
  sourceAt(at: QueryLocation): string;
  /** Lets other requests proceed between two passes over the tree of a long statement. */
  pause(): Promise<void>;
}

/** For statements shorter than this, a pass takes less time than a turn of the event loop. */
const LONG_STATEMENT = 10_000;

/**
 * Parses the query that begins at `offset` of `text` (and ends before a settings suffix) with the kernel's parser.
 * @throws TesseraError SYNTAX_ERROR with its place, NOT_SUPPORTED, STATEMENT_TOO_COMPLEX
 */
export async function parseQuery(
  session: KernelSession,
  text: string,
  query: { readonly sql: string; readonly offset: number },
): Promise<ParsedQuery> {
  // The kernel's parser takes a C string, so it would ignore everything after a NUL character.
  requireValidText(query.sql, 'the statement');
  const source = kernelSource(query.sql);
  const offsetOf = byteOffsets(source.text);
  const toUser = (byte: number) => query.offset + source.originalOffset(offsetOf(byte));
  const answer = await session.scalar('SELECT json_serialize_sql($1::VARCHAR)', [source.text]);
  const pause = async () => {
    if (source.text.length > LONG_STATEMENT) await setImmediate();
  };
  const parsed = parseTree(String(answer)) as SerializedQuery;
  if (parsed.error) throw parseError(parsed, (byte) => locationAt(text, toUser(byte)));
  const [statement, more] = parsed.statements;
  if (statement === undefined || more !== undefined) {
    return fail('SYNTAX_ERROR', { message: 'Expected one query' });
  }
  await pause();
  checkExpressionDepth(statement);
  return {
    statement,
    locate: (at) => (typeof at === 'number' ? locationAt(text, toUser(at)) : undefined),
    sourceAt: (at) => (typeof at === 'number' ? source.text.slice(offsetOf(at)) : ''),
    pause,
  };
}

/** Prints a parse tree as the kernel's SQL. */
export async function deparse(session: KernelSession, statement: Statement): Promise<string> {
  const tree = printTree({ error: false, statements: [withPrintedParentheses(statement)] });
  return String(await session.scalar('SELECT json_deserialize_sql($1::VARCHAR)', [tree]));
}

type SerializedQuery =
  | { readonly error: false; readonly statements: readonly Statement[] }
  | { readonly error: true; readonly error_message: string; readonly position?: string };

function parseError(
  { error_message, position }: Extract<SerializedQuery, { error: true }>,
  locate: (byte: number) => SqlLocation,
): TesseraError {
  if (/^Only SELECT statements/.test(error_message)) {
    return TesseraError.of('NOT_SUPPORTED', { what: 'A statement of this kind' });
  }
  if (/^SELECT locking clause/.test(error_message)) {
    const hint =
      'no row is ever locked: transactions have snapshot isolation, and a COMMIT that conflicts with another change fails (40001)';
    return TesseraError.of('NOT_SUPPORTED', { what: 'SELECT … FOR UPDATE or FOR SHARE', hint });
  }
  // The kernel's parser reports a failed allocation as an error of the statement.
  if (/bad_alloc/.test(error_message)) return kernelErrorToTessera(error_message);
  const message = /^Max expression depth|memory exhausted/.test(error_message)
    ? 'The statement is nested too deep: at most 1000 levels of expressions'
    : capitalised(error_message);
  const location = position === undefined ? undefined : locate(Number(position));
  return TesseraError.of('SYNTAX_ERROR', { message }, { location });
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
