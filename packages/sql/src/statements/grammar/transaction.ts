import type { TokenCursor } from '../../text/token-cursor.ts';
import type { SavepointStatement, TransactionStatement } from '../catalog-statement.ts';
import { unsupported } from './unsupported.ts';

/**
 * Parses `BEGIN`, `START TRANSACTION`, `COMMIT`, `END`, `ROLLBACK`, `ABORT`, `SAVEPOINT` and `RELEASE`, with
 * PostgreSQL's optional words after them.
 */
export function transactionStatement(cursor: TokenCursor): TransactionStatement | undefined {
  if (cursor.accept('BEGIN')) {
    if (!cursor.accept('TRANSACTION')) cursor.accept('WORK');
    return begin(cursor);
  }
  if (cursor.accept('START', 'TRANSACTION')) return begin(cursor);
  if (cursor.accept('COMMIT') || cursor.accept('END')) return ended(cursor, 'commit');
  if (cursor.accept('ROLLBACK') || cursor.accept('ABORT')) return ended(cursor, 'rollback');
  if (cursor.accept('SAVEPOINT')) return savepoint(cursor, 'savepoint');
  if (cursor.accept('RELEASE')) {
    cursor.accept('SAVEPOINT');
    return savepoint(cursor, 'release_savepoint');
  }
  return undefined;
}

function savepoint(cursor: TokenCursor, kind: SavepointStatement['kind']): SavepointStatement {
  const name = cursor.expectName('the name of a savepoint');
  cursor.expectEnd();
  return { kind, name };
}

/** Every transaction has snapshot isolation, which satisfies all levels below SERIALIZABLE. */
function begin(cursor: TokenCursor): TransactionStatement {
  let readOnly = false;
  do {
    if (cursor.accept('ISOLATION', 'LEVEL')) isolationLevel(cursor);
    else if (cursor.accept('READ', 'ONLY')) readOnly = true;
    else if (cursor.accept('READ', 'WRITE')) readOnly = false;
    else if (!cursor.accept('NOT', 'DEFERRABLE')) break;
    cursor.acceptSymbol(',');
  } while (cursor.peek() !== undefined);
  cursor.expectEnd();
  return { kind: 'begin', readOnly };
}

function isolationLevel(cursor: TokenCursor): void {
  if (cursor.isAt('SERIALIZABLE')) {
    unsupported(
      cursor,
      'The isolation level SERIALIZABLE',
      'transactions have snapshot isolation (REPEATABLE READ)',
    );
  }
  const levels = ['REPEATABLE READ', 'SNAPSHOT', 'READ COMMITTED', 'READ UNCOMMITTED'];
  if (!levels.some((level) => cursor.accept(...level.split(' ')))) cursor.unexpected('an isolation level');
}

function ended(cursor: TokenCursor, kind: 'commit' | 'rollback'): TransactionStatement {
  if (!cursor.accept('TRANSACTION')) cursor.accept('WORK');
  if (kind === 'rollback' && cursor.accept('TO')) {
    cursor.accept('SAVEPOINT');
    return savepoint(cursor, 'rollback_to_savepoint');
  }
  if (cursor.isAt('AND', 'CHAIN')) unsupported(cursor, 'AND CHAIN');
  cursor.accept('AND', 'NO', 'CHAIN');
  cursor.expectEnd();
  return { kind };
}
