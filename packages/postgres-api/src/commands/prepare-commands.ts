import { columnType, isWord, type SqlText, type SqlType, type TokenCursor } from '@tessera/sql';
import { finished } from './command-words.ts';
import type { SessionCommand } from './session-command.ts';

/** `PREPARE name [(type, …)] AS statement` */
export function prepareCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('PREPARE');
  if (cursor.isAt('TRANSACTION')) return { kind: 'prepare_transaction' };
  const name = cursor.expectName('a name for the statement');
  const types = cursor.isAtSymbol('(') ? bracketed(cursor).map(parameterTypeOf) : [];
  cursor.expectWord('AS');
  const start = cursor.offset;
  if (cursor.peek() === undefined) cursor.unexpected('a statement');
  while (cursor.next() !== undefined);
  return { kind: 'prepare', name, types, query: cursor.textFrom(start) };
}

const parameterTypeOf = ({ sql }: SqlText): SqlType | undefined =>
  /^unknown$/i.test(sql) ? undefined : columnType(sql);

/** `EXECUTE name [(value, …)]` */
export function executeCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('EXECUTE');
  const name = cursor.expectName('the name of a statement');
  const values = cursor.isAtSymbol('(') ? bracketed(cursor) : [];
  return finished(cursor, { kind: 'execute', name, arguments: values });
}

/**
 * Parses `EXPLAIN … EXECUTE name [(value, …)]` and `CREATE TABLE … AS EXECUTE name [(value, …)]`; undefined
 * for other statements.
 */
export function aroundExecute(cursor: TokenCursor): SessionCommand | undefined {
  const isAs = cursor.isAt('CREATE');
  while (cursor.peek() !== undefined) {
    if (cursor.isAt('SELECT') || cursor.isAt('WITH') || cursor.isAt('VALUES')) return undefined;
    if (cursor.isAt('EXECUTE') && (!isAs || isWord(cursor.previous, 'AS'))) {
      const prefix = cursor.text.slice(0, cursor.offset).trimEnd();
      const command = executeCommand(cursor);
      return command.kind === 'execute' ? { ...command, prefix } : command;
    }
    cursor.next();
  }
  return undefined;
}

/** `DEALLOCATE [PREPARE] name | ALL` */
export function deallocateCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('DEALLOCATE');
  cursor.accept('PREPARE');
  const name = cursor.accept('ALL') ? undefined : cursor.expectName('the name of a statement');
  return finished(cursor, { kind: 'deallocate', name });
}

/** The texts between the commas inside parentheses. */
function bracketed(cursor: TokenCursor): SqlText[] {
  cursor.expectSymbol('(');
  const items: SqlText[] = [];
  if (cursor.acceptSymbol(')')) return items;
  do {
    const start = cursor.offset;
    for (let depth = 0; depth > 0 || !(cursor.isAtSymbol(',') || cursor.isAtSymbol(')')); ) {
      const token = cursor.next();
      if (token === undefined) return cursor.unexpected('")"');
      if (/^[([{]$/.test(token.image)) depth += 1;
      else if (/^[)\]}]$/.test(token.image)) depth -= 1;
    }
    if (cursor.offset === start) cursor.unexpected('a value');
    items.push(cursor.textFrom(start));
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return items;
}
