import { fail, TesseraError } from '@tessera/common';
import { type QueryParameter, type SqlText, type SqlType, TokenCursor } from '@tessera/sql';
import type { SessionCommand } from '../commands/session-command.ts';
import { PayloadReader } from '../protocol/payload-reader.ts';
import { type ParsedStatement, parseStatement } from '../statements/parsed-statement.ts';
import type { MessageSink } from '../statements/row-source.ts';
import { describePrepared } from './describe-prepared.ts';
import type { CommandRun, Outcome, StatementRun } from './outcome.ts';
import { type PreparedStatement, preparedStatement } from './prepared-statement.ts';
import type { SessionState } from './session-state.ts';
import { startElsewhere } from './start-elsewhere.ts';

type Command<K extends SessionCommand['kind']> = Extract<SessionCommand, { kind: K }>;

/** PREPARE: validates the statement and returns the command tag. */
export async function prepareBySql(
  state: SessionState,
  { name, types, query }: Command<'prepare'>,
  { text }: CommandRun,
): Promise<string> {
  const { statements } = state;
  const parsed = parseStatement(text, { text: query.sql, offset: query.offset });
  if (parsed.work.by === 'session') {
    fail('NOT_SUPPORTED', {
      what: `PREPARE of ${parsed.work.command.kind.toUpperCase().replaceAll('_', ' ')}`,
    });
  }
  statements.checkFree(name);
  const statement = preparedStatement(parsed, { types, sqlText: text });
  await describePrepared(state, statement);
  statements.add(name, statement);
  return 'PREPARE';
}

/** EXECUTE: runs the prepared statement, preceded by `prefix`, with these values. */
export async function executePrepared(
  state: SessionState,
  { name, arguments: values, prefix }: Command<'execute'>,
  run: StatementRun,
): Promise<Outcome> {
  const statement = state.statements.get(name);
  const { parsed, parameterTypes } = statement;
  const { parameters: described } = await describePrepared(state, statement);
  const expected = Math.max(statement.parameterCount, parameterTypes.length, described.length);
  if (values.length !== expected) {
    const message = `Prepared statement "${name}" takes ${expected} parameters, EXECUTE gives ${values.length}`;
    fail('SYNTAX_ERROR', { message });
  }
  if (parsed === undefined) throw TesseraError.of('UNDEFINED_PREPARED_STATEMENT', { name });
  const parameters = await parameterValues(state, values, statement, run);
  const whole = prefix === undefined ? parsed : prefixed(prefix, parsed);
  return startElsewhere(state, whole, { ...run, parameters });
}

/** `EXPLAIN EXECUTE p` explains the statement of p, `CREATE TABLE t AS EXECUTE p` stores its rows. */
function prefixed(prefix: string, { text }: ParsedStatement): ParsedStatement {
  const whole = `${prefix} ${text}`;
  return parseStatement(whole, { text: whole, offset: 0 });
}

/** Literals are used directly; the engine first computes all other expressions. */
async function parameterValues(
  state: SessionState,
  values: readonly SqlText[],
  { parameterTypes }: PreparedStatement,
  run: StatementRun,
): Promise<readonly QueryParameter[]> {
  const literals = values.map((value, i) => literalParameter(value, i, parameterTypes[i], run.parameters));
  const open = values.filter((_, i) => literals[i] === undefined);
  if (open.length === 0) return literals.flatMap((literal) => literal ?? []);
  const computed = await computedTexts(state, open, run.parameters);
  return literals.map(
    (literal, i): QueryParameter =>
      literal ?? {
        name: `$${i + 1}`,
        value: computed.get(values[i]!) ?? null,
        type: parameterTypes[i],
      },
  );
}

/** The values of expressions, in PostgreSQL's text form. */
async function computedTexts(
  state: SessionState,
  expressions: readonly SqlText[],
  parameters: readonly QueryParameter[],
): Promise<ReadonlyMap<SqlText, string | null>> {
  const sql = `SELECT ${expressions.map((expression) => `(${expression.sql})`).join(', ')}`;
  const parsed = parseStatement(sql, { text: sql, offset: 0 });
  const outcome = await startElsewhere(state, parsed, { parameters, formats: [], moreMayFollow: true });
  if (outcome.kind !== 'rows') throw new Error('A SELECT answers with rows');
  const messages: Uint8Array[] = [];
  const sink: MessageSink = {
    write: (...pieces) => void messages.push(...pieces),
    isFull: false,
    flush: async () => undefined,
  };
  try {
    await outcome.rows.send(sink, 1);
  } finally {
    await outcome.rows.close();
  }
  const texts = dataRowTexts(Buffer.concat(messages));
  return new Map(expressions.map((expression, i) => [expression, texts[i] ?? null]));
}

/** The cells of a DataRow message in text format. */
function dataRowTexts(message: Buffer): (string | null)[] {
  const reader = new PayloadReader(message.subarray(HEAD_BYTES));
  return Array.from({ length: reader.int16() }, () => {
    const length = reader.int32();
    return length < 0 ? null : reader.bytes(length).toString('utf8');
  });
}

/** The type byte and the length of a message. */
const HEAD_BYTES = 5;

/**
 * A literal, with or without a cast, or a parameter of the EXECUTE itself; undefined for other expressions.
 */
function literalParameter(
  { sql }: SqlText,
  index: number,
  declared: SqlType | undefined,
  given: readonly QueryParameter[],
): QueryParameter | undefined {
  const name = `$${index + 1}`;
  const passed = given.find((parameter) => parameter.name === sql);
  if (passed !== undefined) return { ...passed, name };
  if (/^null$/i.test(sql)) return { name, value: null, type: declared };
  if (!/^(?:'|[+-]?[\d.]|[eE]'|(?:true|false)$)/i.test(sql)) return undefined;
  const cursor = new TokenCursor(sql);
  const value = cursor.expectValue('a value');
  return cursor.peek() === undefined ? { name, value, type: declared } : undefined;
}

/** DEALLOCATE: returns the command tag. */
export function deallocate({ statements }: SessionState, name: string | undefined): string {
  if (name === undefined) {
    statements.clear();
    return 'DEALLOCATE ALL';
  }
  statements.get(name);
  statements.remove(name);
  return 'DEALLOCATE';
}
