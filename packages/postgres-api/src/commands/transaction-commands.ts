import { fail } from '@tessera/common';
import type { TokenCursor } from '@tessera/sql';
import { finished } from './command-words.ts';
import type { SessionCommand, TransactionModes } from './session-command.ts';

/** `BEGIN [WORK | TRANSACTION] modes`, `START TRANSACTION modes` */
export function beginCommand(cursor: TokenCursor): SessionCommand | undefined {
  if (cursor.accept('START', 'TRANSACTION')) {
    return { kind: 'begin', tag: 'START TRANSACTION', ...transactionModes(cursor) };
  }
  if (!cursor.accept('BEGIN')) return undefined;
  if (!cursor.accept('TRANSACTION')) cursor.accept('WORK');
  return { kind: 'begin', tag: 'BEGIN', ...transactionModes(cursor) };
}

/** Every transaction has snapshot isolation, which satisfies all levels below SERIALIZABLE. */
export function transactionModes(cursor: TokenCursor): TransactionModes {
  let readOnly: boolean | undefined;
  while (cursor.peek() !== undefined) {
    if (cursor.accept('ISOLATION', 'LEVEL')) isolationLevel(cursor);
    else if (cursor.accept('READ', 'ONLY')) readOnly = true;
    else if (cursor.accept('READ', 'WRITE')) readOnly = false;
    else if (!cursor.accept('NOT', 'DEFERRABLE') && !cursor.accept('DEFERRABLE')) {
      cursor.unexpected('a mode of transactions');
    }
    cursor.acceptSymbol(',');
  }
  return { readOnly };
}

const LEVELS = [['REPEATABLE', 'READ'], ['SNAPSHOT'], ['READ', 'COMMITTED'], ['READ', 'UNCOMMITTED']];

function isolationLevel(cursor: TokenCursor): void {
  if (cursor.isAt('SERIALIZABLE')) {
    const hint = 'transactions have snapshot isolation (REPEATABLE READ)';
    fail('NOT_SUPPORTED', { what: 'The isolation level SERIALIZABLE', hint });
  }
  if (!LEVELS.some((words) => cursor.accept(...words))) cursor.unexpected('an isolation level');
}

/** `COMMIT`, `END`, `ROLLBACK`, `ABORT`, `ROLLBACK TO savepoint` */
export function endCommand(cursor: TokenCursor): SessionCommand {
  const commits = cursor.accept('COMMIT') || cursor.accept('END');
  if (!commits && !cursor.accept('ROLLBACK')) cursor.expectWord('ABORT');
  if (cursor.isAt('PREPARED')) fail('NOT_SUPPORTED', { what: 'A prepared transaction' });
  if (!cursor.accept('TRANSACTION')) cursor.accept('WORK');
  if (!commits && cursor.accept('TO')) {
    cursor.accept('SAVEPOINT');
    return named(cursor, 'rollback_to_savepoint');
  }
  if (cursor.isAt('AND', 'CHAIN')) fail('NOT_SUPPORTED', { what: 'AND CHAIN' });
  cursor.accept('AND', 'NO', 'CHAIN');
  cursor.expectEnd();
  return { kind: commits ? 'commit' : 'rollback' };
}

/** `SAVEPOINT name` */
export function savepointCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('SAVEPOINT');
  return named(cursor, 'savepoint');
}

/** `RELEASE [SAVEPOINT] name` */
export function releaseCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('RELEASE');
  cursor.accept('SAVEPOINT');
  return named(cursor, 'release_savepoint');
}

const named = (
  cursor: TokenCursor,
  kind: 'savepoint' | 'release_savepoint' | 'rollback_to_savepoint',
): SessionCommand => finished(cursor, { kind, name: cursor.expectName('the name of a savepoint') });
