import { fail, TesseraError } from '@tessera/common';
import { columnType, type QueryParameter, type SqlText, type SqlType, TokenCursor } from '@tessera/sql';
import type { SessionCommand } from '../commands/session-command.ts';
import { parseStatement } from '../statements/parsed-statement.ts';
import type { CommandRun, Outcome, StatementRun } from './outcome.ts';
import { preparedStatement } from './prepared-statement.ts';
import type { SessionState } from './session-state.ts';
import { startElsewhere } from './start-elsewhere.ts';

type Command<K extends SessionCommand['kind']> = Extract<SessionCommand, { kind: K }>;

/** PREPARE; answers the tag. */
export function prepareBySql(
  { statements }: SessionState,
  { name, types, query }: Command<'prepare'>,
  { text }: CommandRun,
): string {
  const parsed = parseStatement(text, { text: query.sql, offset: query.offset });
  if (parsed.work.by === 'session') {
    fail('NOT_SUPPORTED', {
      what: `PREPARE of ${parsed.work.command.kind.toUpperCase().replaceAll('_', ' ')}`,
    });
  }
  statements.add(name, preparedStatement(parsed, { types }));
  return 'PREPARE';
}

/** EXECUTE: what the prepared statement comes to with these values. */
export async function executePrepared(
  state: SessionState,
  { name, arguments: values }: Command<'execute'>,
  run: StatementRun,
): Promise<Outcome> {
  const { parsed, parameterCount, parameterTypes } = state.statements.get(name);
  const expected = Math.max(parameterCount, parameterTypes.length);
  if (values.length !== expected) {
    const message = `Prepared statement "${name}" takes ${expected} parameters, EXECUTE gives ${values.length}`;
    fail('SYNTAX_ERROR', { message });
  }
  if (parsed === undefined) throw TesseraError.of('UNDEFINED_PREPARED_STATEMENT', { name });
  const parameters = values.map((value, i) => literalParameter(value, i, parameterTypes[i], run.parameters));
  return startElsewhere(state, parsed, { ...run, parameters });
}

/** A literal, with or without a cast, or a parameter of the EXECUTE itself. */
function literalParameter(
  { sql }: SqlText,
  index: number,
  declared: SqlType | undefined,
  given: readonly QueryParameter[],
): QueryParameter {
  const name = `$${index + 1}`;
  const passed = given.find((parameter) => parameter.name === sql);
  if (passed !== undefined) return { ...passed, name };
  if (/^null$/i.test(sql)) return { name, value: null, type: declared };
  const cursor = new TokenCursor(sql);
  const refuse = (): never =>
    fail('NOT_SUPPORTED', {
      what: `EXECUTE with ${sql}`,
      hint: 'give literals: texts, numbers, booleans, NULL',
    });
  if (!/^(?:['+-]|[\d.]|[eE]'|\$|(?:true|false)$)/i.test(sql)) refuse();
  const value = cursor.expectValue('a value');
  if (cursor.peek() === undefined) return { name, value, type: declared };
  if (!cursor.acceptSymbol('::')) refuse();
  return { name, value, type: declared ?? columnType(sql.slice(cursor.offset)) };
}

/** DEALLOCATE; answers the tag. */
export function deallocate({ statements }: SessionState, name: string | undefined): string {
  if (name === undefined) {
    statements.clear();
    return 'DEALLOCATE ALL';
  }
  statements.get(name);
  statements.remove(name);
  return 'DEALLOCATE';
}
