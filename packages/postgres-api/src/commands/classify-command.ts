import { fail } from '@tessera/common';
import { isSettingName } from '@tessera/coordinator';
import { TokenCursor } from '@tessera/sql';
import { PARAMETER_KINDS } from '../parameters/parameter-kinds.ts';
import { finished, parameterName } from './command-words.ts';
import { copyCommand } from './copy-command.ts';
import { aroundExecute, deallocateCommand, executeCommand, prepareCommand } from './prepare-commands.ts';
import type { SessionCommand } from './session-command.ts';
import { setCommand } from './set-command.ts';
import { beginCommand, endCommand, releaseCommand, savepointCommand } from './transaction-commands.ts';

/** `DECLARE name [INSENSITIVE] [NO SCROLL] CURSOR [WITH | WITHOUT HOLD] FOR query` */
function declareCommand(cursor: TokenCursor): SessionCommand {
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
function fetchCommand(cursor: TokenCursor): SessionCommand {
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
function closeCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('CLOSE');
  const name = cursor.accept('ALL') ? undefined : cursor.expectName('the name of a cursor');
  return finished(cursor, { kind: 'close', name });
}

type Reader = (cursor: TokenCursor) => SessionCommand | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  BEGIN: beginCommand,
  START: beginCommand,
  COMMIT: endCommand,
  END: endCommand,
  ROLLBACK: endCommand,
  ABORT: endCommand,
  SAVEPOINT: savepointCommand,
  RELEASE: releaseCommand,
  SET: setCommand,
  RESET: resetCommand,
  SHOW: showCommand,
  SELECT: settingCall,
  DISCARD: discardCommand,
  PREPARE: prepareCommand,
  EXECUTE: executeCommand,
  EXPLAIN: aroundExecute,
  CREATE: aroundExecute,
  DEALLOCATE: deallocateCommand,
  DECLARE: declareCommand,
  FETCH: fetchCommand,
  MOVE: fetchCommand,
  CLOSE: closeCommand,
  LISTEN: refused('LISTEN'),
  NOTIFY: refused('NOTIFY'),
  UNLISTEN: unlistenCommand,
  LOCK: lockCommand,
  COPY: copyCommand,
};

const FIRST_WORD = /^(?:\s|--[^\n\r]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*([a-z]+)/i;
const EXECUTES = /\bEXECUTE\b/i;
const OF_SETTINGS = /\b(?:set_config|current_setting)\s*\(/i;

/**
 * Statements that belong to the session only if they contain certain words: the pattern to look for, by first
 * word.
 */
const MENTIONS: Readonly<Record<string, RegExp>> = {
  SELECT: OF_SETTINGS,
  CREATE: EXECUTES,
  EXPLAIN: EXECUTES,
};

/**
 * The session command that a statement is; undefined for statements that the engine runs.
 * @throws TesseraError SYNTAX_ERROR, NOT_SUPPORTED
 */
export function classifyCommand(text: string): SessionCommand | undefined {
  const word = FIRST_WORD.exec(text)?.[1]?.toUpperCase() ?? '';
  const read = Object.hasOwn(READERS, word) ? READERS[word] : undefined;
  // Most statements are queries, which need not be tokenized here.
  const mention = MENTIONS[word];
  if (read === undefined || (mention !== undefined && !mention.test(text))) return undefined;
  return read(new TokenCursor(text));
}

function resetCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('RESET');
  if (cursor.accept('ALL')) return finished(cursor, { kind: 'reset', name: undefined });
  if (cursor.accept('TIME', 'ZONE')) return finished(cursor, { kind: 'reset', name: 'timezone' });
  if (cursor.accept('SESSION', 'AUTHORIZATION') || cursor.accept('ROLE')) {
    return finished(cursor, { kind: 'reset', name: 'role' });
  }
  return finished(cursor, { kind: 'reset', name: parameterName(cursor) });
}

/** Parses SHOW. Lists of engine objects are left to the engine. */
function showCommand(cursor: TokenCursor): SessionCommand | undefined {
  cursor.expectWord('SHOW');
  const shows = (name: string | undefined): SessionCommand => finished(cursor, { kind: 'show', name });
  if (cursor.accept('ALL')) return shows(undefined);
  if (cursor.accept('TIME', 'ZONE')) return shows('timezone');
  if (cursor.accept('TRANSACTION', 'ISOLATION', 'LEVEL')) return shows('transaction_isolation');
  if (cursor.accept('SESSION', 'AUTHORIZATION')) return shows('session_authorization');
  if (cursor.peek() === undefined) return undefined;
  const name = parameterName(cursor);
  return cursor.peek() === undefined && isParameter(name) ? { kind: 'show', name } : undefined;
}

const isParameter = (name: string): boolean =>
  PARAMETER_KINDS.has(name.toLowerCase()) ||
  isSettingName(name.toLowerCase()) ||
  name.includes('.') ||
  /^(?:server_version|is_superuser|session_authorization|transaction_read_only)$/i.test(name);

/**
 * Recognises the call only if it is the whole query. Inside another query it is a function of the engine,
 * which knows nothing about the session.
 */
function settingCall(cursor: TokenCursor): SessionCommand | undefined {
  cursor.expectWord('SELECT');
  if (cursor.accept('PG_CATALOG')) cursor.expectSymbol('.');
  const sets = cursor.accept('SET_CONFIG');
  if (!sets && !cursor.accept('CURRENT_SETTING')) return undefined;
  if (!cursor.acceptSymbol('(') || cursor.peek()?.image.startsWith("'") !== true) return undefined;
  const command = sets ? setConfig(cursor) : currentSetting(cursor);
  return cursor.peek() === undefined ? command : undefined;
}

function setConfig(cursor: TokenCursor): SessionCommand | undefined {
  const name = cursor.expectValue('the name of a parameter');
  cursor.expectSymbol(',');
  if (cursor.peek()?.image.startsWith('$')) return undefined;
  const value = cursor.accept('NULL') ? undefined : cursor.expectValue('a value');
  cursor.expectSymbol(',');
  const local = isTrue(cursor.expectValue('true or false'));
  cursor.expectSymbol(')');
  return { kind: 'set_config', name, value, local };
}

function currentSetting(cursor: TokenCursor): SessionCommand | undefined {
  const name = cursor.expectValue('the name of a parameter');
  const missingOk = cursor.acceptSymbol(',') && isTrue(cursor.expectValue('true or false'));
  if (!isParameter(name) || !cursor.acceptSymbol(')')) return undefined;
  const column = cursor.accept('AS') ? cursor.expectName('the name of a column') : 'current_setting';
  return { kind: 'current_setting', name, column, missingOk };
}

const isTrue = (value: string): boolean => /^(?:true|t|on|1)$/i.test(value);

function discardCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('DISCARD');
  const what = (['ALL', 'PLANS', 'TEMP', 'SEQUENCES'] as const).find((word) => cursor.accept(word));
  if (what !== undefined) return finished(cursor, { kind: 'discard', what });
  if (cursor.accept('TEMPORARY')) return finished(cursor, { kind: 'discard', what: 'TEMP' });
  return cursor.unexpected('ALL, PLANS, SEQUENCES or TEMP');
}

function refused(what: string): Reader {
  return () => fail('NOT_SUPPORTED', { what });
}

/**
 * Parses `LOCK [TABLE] t, … IN ACCESS SHARE MODE`, which pg_dump sends. It needs no lock, because the
 * transaction reads a snapshot. Every other mode would have to block other sessions, which the engine cannot
 * do, and is refused.
 */
function lockCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('LOCK');
  while (cursor.peek() !== undefined && !cursor.isAt('IN')) cursor.next();
  if (cursor.accept('IN', 'ACCESS', 'SHARE', 'MODE')) {
    cursor.accept('NOWAIT');
    return finished(cursor, { kind: 'lock' });
  }
  const hint = 'transactions never wait for one another; one that conflicts fails at its COMMIT (40001)';
  return fail('NOT_SUPPORTED', { what: 'LOCK TABLE in a mode other than ACCESS SHARE', hint });
}

/**
 * Connection pools send UNLISTEN for every returned connection. There are no listeners, so it does nothing.
 */
function unlistenCommand(cursor: TokenCursor): SessionCommand {
  cursor.expectWord('UNLISTEN');
  if (!cursor.acceptSymbol('*')) cursor.expectName('a channel');
  return finished(cursor, { kind: 'unlisten' });
}
