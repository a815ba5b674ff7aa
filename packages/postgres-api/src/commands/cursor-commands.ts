import { fail } from '@tessera/common';
import type { TokenCursor } from '@tessera/sql';
import { finished } from './command-words.ts';
import type { SessionCommand } from './session-command.ts';

/** `DECLARE name [INSENSITIVE] [NO SCROLL] CURSOR [WITH | WITHOUT HOLD] FOR query` */
export function declareCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('DECLARE');
  const name = cursor.expectName('a name for the cursor');
  while (!cursor.accept('CURSOR')) {
    if (cursor.isAt('BINARY')) fail('NOT_SUPPORTED', { what: 'A binary cursor' });
    if (cursor.isAt('SCROLL')) fail('NOT_SUPPORTED', { what: 'A cursor that scrolls' });
    if (!cursor.accept('NO', 'SCROLL') && !cursor.accept('INSENSITIVE') && !cursor.accept('ASENSITIVE')) {
      cursor.unexpected('CURSOR');
    }
  }
  const holds = cursor.accept('WITH', 'HOLD');
  if (!holds) cursor.accept('WITHOUT', 'HOLD');
  cursor.expectWord('FOR');
  const start = cursor.offset;
  if (cursor.peek() === undefined) cursor.unexpected('a query');
  while (cursor.next() !== undefined);
  return { kind: 'declare', name, holds, query: cursor.textFrom(start) };
}

/** `FETCH | MOVE [NEXT | n | ALL | FORWARD [n | ALL]] [FROM | IN] name` */
export function fetchCommand(cursor: TokenCursor): SessionCommand {
  const moves = cursor.accept('MOVE');
  if (!moves) cursor.expectWord('FETCH');
  const rows = direction(cursor);
  if (!cursor.accept('FROM')) cursor.accept('IN');
  const name = cursor.expectName('the name of a cursor');
  return finished(cursor, { kind: 'fetch', name, rows, moves });
}

const BACKWARD = ['PRIOR', 'FIRST', 'LAST', 'ABSOLUTE', 'RELATIVE', 'BACKWARD'];

function direction(cursor: TokenCursor): number {
  const backward = BACKWARD.find((word) => cursor.isAt(word));
  if (backward !== undefined) fail('NOT_SUPPORTED', { what: `FETCH ${backward}` });
  if (cursor.accept('NEXT')) return 1;
  cursor.accept('FORWARD');
  if (cursor.accept('ALL')) return Number.POSITIVE_INFINITY;
  if (cursor.isAtSymbol('-')) fail('NOT_SUPPORTED', { what: 'FETCH BACKWARD' });
  const image = cursor.peek()?.image ?? '';
  if (!/^\d{1,15}$/.test(image)) return 1;
  cursor.next();
  return Number(image);
}

/** `CLOSE name | ALL` */
export function closeCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('CLOSE');
  const name = cursor.accept('ALL') ? undefined : cursor.expectName('the name of a cursor');
  return finished(cursor, { kind: 'close', name });
}
