import { fail } from '@tessera/common';
import { isWord, type TokenCursor } from '@tessera/sql';
import { posixOfInterval } from '../parameters/offset-zone.ts';
import { finished, parameterName } from './command-words.ts';
import type { SessionCommand } from './session-command.ts';
import { transactionModes } from './transaction-commands.ts';

/** `SET [SESSION | LOCAL] name = value`, and the forms that have words instead of a name. */
export function setCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('SET');
  if (cursor.accept('SESSION', 'CHARACTERISTICS', 'AS', 'TRANSACTION')) {
    const { readOnly } = transactionModes(cursor);
    const value = readOnly === undefined ? undefined : readOnly ? 'on' : 'off';
    return { kind: 'set', name: 'default_transaction_read_only', value, local: false };
  }
  if (cursor.accept('TRANSACTION')) return { kind: 'set_transaction', ...transactionModes(cursor) };
  if (cursor.accept('CONSTRAINTS')) return setConstraints(cursor);
  if (cursor.accept('SESSION', 'AUTHORIZATION')) return ownIdentity(cursor, 'SET SESSION AUTHORIZATION');
  const local = !cursor.accept('SESSION') && cursor.accept('LOCAL');
  if (cursor.accept('ROLE')) return ownIdentity(cursor, 'SET ROLE');
  if (cursor.accept('TIME', 'ZONE')) {
    const value = cursor.accept('LOCAL') ? undefined : timeZone(cursor);
    return finished(cursor, { kind: 'set', name: 'timezone', value, local });
  }
  if (cursor.accept('NAMES')) {
    return finished(cursor, {
      kind: 'set',
      name: 'client_encoding',
      value: value1(cursor, 'an encoding'),
      local,
    });
  }
  const name = parameterName(cursor);
  if (!cursor.acceptSymbol('=') && !cursor.accept('TO')) cursor.unexpected('"="');
  if (name === 'transaction_read_only') {
    return finished(cursor, { kind: 'set_transaction', readOnly: isTrue(value1(cursor, 'on or off')) });
  }
  const values = [value1(cursor, `a value for ${name}`)];
  while (cursor.acceptSymbol(',')) values.push(cursor.expectValue(`a value for ${name}`));
  const value = values[0] === undefined ? undefined : values.join(', ');
  return finished(cursor, { kind: 'set', name, value, local });
}

/** Keys are not enforced, and CHECK is enforced at once, as in PostgreSQL: there is nothing to defer. */
function setConstraints(cursor: TokenCursor): SessionCommand {
  if (!cursor.accept('ALL')) {
    do {
      do cursor.expectName('the name of a constraint');
      while (cursor.acceptSymbol('.'));
    } while (cursor.acceptSymbol(','));
  }
  if (!cursor.accept('DEFERRED') && !cursor.accept('IMMEDIATE')) cursor.unexpected('DEFERRED or IMMEDIATE');
  return finished(cursor, { kind: 'set_constraints' });
}

/** A value of the parameter, or `INTERVAL '+02:00' HOUR TO MINUTE`; undefined for DEFAULT. */
function timeZone(cursor: TokenCursor): string | undefined {
  if (!cursor.accept('INTERVAL')) return value1(cursor, 'a time zone');
  const offset = cursor.expectValue('an offset from UTC');
  if (!cursor.accept('HOUR', 'TO', 'MINUTE')) cursor.accept('HOUR');
  return posixOfInterval(offset);
}

const isTrue = (value: string | undefined): boolean => /^(?:true|t|on|yes|1)$/i.test(value ?? '');

/** The value; undefined for DEFAULT. */
function value1(cursor: TokenCursor, what: string): string | undefined {
  if (isWord(cursor.peek(), 'DEFAULT')) {
    cursor.next();
    return undefined;
  }
  return cursor.expectValue(what);
}

/** A connection keeps its user, so a return to that user is a no-op and any other identity is refused. */
function ownIdentity(cursor: TokenCursor, what: string): SessionCommand {
  if (!isWord(cursor.peek(), 'DEFAULT', 'NONE')) fail('NOT_SUPPORTED', { what });
  cursor.next();
  return finished(cursor, { kind: 'set', name: 'role', value: undefined, local: false });
}
