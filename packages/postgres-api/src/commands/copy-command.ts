import { type CopyTextFormat, fail } from '@tessera/common';
import { isWord, type SqlText, type TokenCursor } from '@tessera/sql';
import { type BinaryCopyOptions, copyOptions } from './copy-options.ts';

/** `COPY table [(column, …)] FROM STDIN` */
export interface CopyInCommand {
  readonly kind: 'copy_in';
  /** The table's name as written. */
  readonly table: string;
  /** The column names as written; undefined means all columns of the table. */
  readonly columns: readonly string[] | undefined;
  readonly options: CopyTextFormat | BinaryCopyOptions;
}

/**
 * `COPY table
 * (query) TO STDOUT`: the query that returns the rows.
 */
export interface CopyOutCommand {
  readonly kind: 'copy_out';
  readonly query: SqlText;
  readonly options: CopyTextFormat | BinaryCopyOptions;
}

/**
 * Parses COPY between the client and a table. Undefined for COPY from and to files, which the engine runs.
 */
export function copyCommand(cursor: TokenCursor): CopyInCommand | CopyOutCommand | undefined {
  cursor.expectWord('COPY');
  if (cursor.isAtSymbol('(')) {
    const query = bracketText(cursor);
    return cursor.accept('TO', 'STDOUT')
      ? { kind: 'copy_out', query, options: copyOptions(cursor, 'out') }
      : undefined;
  }
  cursor.accept('INTO');
  const start = cursor.offset;
  cursor.expectName('the name of a table');
  while (cursor.acceptSymbol('.')) cursor.expectName('a name');
  const table = cursor.textFrom(start).sql;
  if (cursor.isAtSymbol('(') && !isColumnList(cursor)) return undefined;
  const columns = cursor.isAtSymbol('(') ? columnList(cursor) : undefined;
  if (cursor.accept('FROM', 'STDIN'))
    return { kind: 'copy_in', table, columns, options: copyOptions(cursor, 'in') };
  if (!cursor.accept('TO', 'STDOUT')) return undefined;
  const query = { sql: `SELECT ${columns?.join(', ') ?? '*'} FROM ${table}`, offset: start };
  return { kind: 'copy_out', query, options: copyOptions(cursor, 'out') };
}

function bracketText(cursor: TokenCursor): SqlText {
  cursor.expectSymbol('(');
  const start = cursor.offset;
  for (let depth = 0; depth > 0 || !cursor.isAtSymbol(')'); ) {
    const token = cursor.next();
    if (token === undefined) return cursor.unexpected('")"');
    if (/^[([{]$/.test(token.image)) depth += 1;
    else if (/^[)\]}]$/.test(token.image)) depth -= 1;
  }
  if (cursor.offset === start) fail('SYNTAX_ERROR', { message: 'Expected a query' });
  const query = cursor.textFrom(start);
  cursor.expectSymbol(')');
  return query;
}

/** Whether the parentheses contain only names; COPY FROM files accepts more there. */
function isColumnList(cursor: TokenCursor): boolean {
  for (let ahead = 1; ; ahead += 2) {
    if (isWord(cursor.peek(ahead), 'DEFAULT')) return false;
    const behind = cursor.peek(ahead + 1)?.image;
    if (behind === ')') return true;
    if (behind !== ',') return false;
  }
}

function columnList(cursor: TokenCursor): readonly string[] {
  const columns: string[] = [];
  cursor.expectSymbol('(');
  do {
    const start = cursor.offset;
    cursor.expectName('a column');
    columns.push(cursor.textFrom(start).sql);
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return columns;
}
