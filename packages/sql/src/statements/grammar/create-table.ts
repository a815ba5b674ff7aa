import { fail } from '@tessera/common';
import { Close, Open } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement, TableShape, TemporaryShape } from '../catalog-statement.ts';
import type { PlacedName } from '../object-name.ts';
import { withoutSettings } from './change-suffix.ts';
import { tableElements } from './column-definition.ts';
import { expressionText, restAsQuery } from './expression-text.ts';
import {
  ifNotExists,
  nameList,
  objectName,
  parenthesisedNames,
  TEMPORARY_SCHEMA,
  temporaryName,
} from './names.ts';
import { parenthesisedOptions, wholeNumber } from './option-list.ts';
import { unsupported } from './unsupported.ts';

/** `CREATE [OR REPLACE] [FACT | DIMENSION | TEMP] TABLE …`, from the word TABLE on. */
export function createTable(
  cursor: TokenCursor,
  tableType: TableShape['tableType'],
  { orReplace, isTemporary = false }: { readonly orReplace: boolean; readonly isTemporary?: boolean },
): CreateStatement {
  cursor.expectWord('TABLE');
  if (orReplace && cursor.isAt('IF'))
    cursor.unexpected('the name of a table (OR REPLACE takes no IF NOT EXISTS)');
  const quiet = ifNotExists(cursor);
  const given = objectName(cursor, 'the name of a table');
  const isOfSession = isTemporary || given.parts.at(-2) === TEMPORARY_SCHEMA;
  const name = isOfSession ? temporaryName(given) : given;
  const head = { name, ifNotExists: quiet };
  if (isOfSession && cursor.isAt('CLONE')) unsupported(cursor, 'CREATE TEMP TABLE … CLONE');
  if (orReplace && cursor.isAt('CLONE')) unsupported(cursor, 'CREATE OR REPLACE TABLE … CLONE');
  if (cursor.accept('CLONE')) {
    const source = objectName(cursor, 'the name of the table to clone');
    cursor.expectEnd();
    return { kind: 'clone_table', ...head, source };
  }
  if (cursor.isAt('LIKE')) unsupported(cursor, 'CREATE TABLE … LIKE', 'use CREATE TABLE … CLONE');
  if (!cursor.isAtSymbol('(') || isNameList(cursor)) {
    const names = cursor.isAtSymbol('(') ? parenthesisedNames(cursor, 'the name of a column') : undefined;
    const shape = tableShape(cursor, tableType);
    const temporary = temporaryShape(cursor, isOfSession);
    if (!cursor.accept('AS')) cursor.unexpected(names === undefined ? '"(" or AS' : 'AS and a query');
    const { cursor: withQuery, settings } = withoutSettings(cursor);
    const columnNames = names?.map((n) => n.name);
    const query = restAsQuery(withQuery);
    return { kind: 'create_table_as', ...head, orReplace, columnNames, shape, query, settings, ...temporary };
  }
  const { columns, constraints } = tableElements(cursor);
  const shape = tableShape(cursor, tableType);
  const temporary = temporaryShape(cursor, isOfSession);
  if (cursor.isAt('AS'))
    cursor.unexpected('the end of the statement (with AS, columns have names but no types)');
  cursor.expectEnd();
  return { kind: 'create_table', ...head, orReplace, columns, constraints, shape, ...temporary };
}

/** Whether the parentheses hold names, as in `(a)` and `(a, …`, and not definitions, as in `(a int`. */
function isNameList(cursor: TokenCursor): boolean {
  const second = cursor.peek(2)?.image;
  return second === ')' || second === ',';
}

/** `[ON COMMIT {PRESERVE ROWS | DELETE ROWS | DROP}]` */
function temporaryShape(cursor: TokenCursor, isTemporary: boolean): { readonly temporary?: TemporaryShape } {
  if (!isTemporary && cursor.isAt('ON', 'COMMIT')) {
    const hint = 'ON COMMIT is for temporary tables: CREATE TEMP TABLE';
    unsupported(cursor, 'ON COMMIT of a permanent table', hint);
  }
  if (!isTemporary) return {};
  if (!cursor.accept('ON', 'COMMIT') || cursor.accept('PRESERVE', 'ROWS'))
    return { temporary: { onCommit: 'preserve' } };
  if (cursor.accept('DELETE', 'ROWS')) return { temporary: { onCommit: 'delete' } };
  if (cursor.accept('DROP')) return { temporary: { onCommit: 'drop' } };
  return cursor.unexpected('PRESERVE ROWS, DELETE ROWS or DROP');
}

const OWN_CLAUSES = [['PRIMARY', 'INDEX'], ['PARTITION', 'BY'], ['WITH'], ['LOCATION']];

/** Keywords that end an expression of PARTITION BY. */
const SHAPE_CLAUSES = [...OWN_CLAUSES, ['ON', 'COMMIT'], ['AS']];

function tableShape(cursor: TokenCursor, tableType: TableShape['tableType']): TableShape {
  let primaryIndex: readonly PlacedName[] = [];
  let partitionBy: readonly SqlText[] = [];
  let options: TableShape['options'] = {};
  let place: Pick<TableShape, 'location' | 'locationName'> = {};
  const seen = new Set<string>();
  for (;;) {
    const start = cursor.offset;
    const clause = OWN_CLAUSES.find((words) => cursor.accept(...words))?.join(' ');
    if (clause === undefined) break;
    if (seen.has(clause)) {
      fail(
        'SYNTAX_ERROR',
        { message: `${clause} is specified twice` },
        { location: cursor.locationFrom(start) },
      );
    }
    seen.add(clause);
    if (clause === 'PRIMARY INDEX') primaryIndex = primaryIndexColumns(cursor);
    else if (clause === 'PARTITION BY') partitionBy = partitionExpressions(cursor);
    else if (clause === 'WITH') options = tableOptions(cursor);
    else {
      cursor.acceptSymbol('=');
      const value = cursor.expectValue('a location');
      place = value.includes('://') ? { location: value } : { locationName: value };
    }
  }
  return {
    tableType,
    primaryIndex: primaryIndex.map(({ name }) => name),
    primaryIndexLocations: primaryIndex.map((indexed) => indexed.location),
    partitionBy,
    options,
    ...place,
  };
}

function primaryIndexColumns(cursor: TokenCursor): readonly PlacedName[] {
  const what = 'a column of the primary index';
  const names = cursor.isAtSymbol('(') ? parenthesisedNames(cursor, what) : nameList(cursor, what);
  const doubled = names.find((n, i) => names.findIndex((m) => m.name === n.name) < i);
  if (doubled !== undefined) {
    const message = `Column "${doubled.name}" is in the primary index twice`;
    fail('SYNTAX_ERROR', { message }, { location: doubled.location });
  }
  return names;
}

function partitionExpressions(cursor: TokenCursor): readonly SqlText[] {
  const isBracketed = cursor.isAtSymbol('(') && isWholeClause(cursor);
  if (isBracketed) cursor.expectSymbol('(');
  const expressions: SqlText[] = [];
  do expressions.push(expressionText(cursor, 'a partition expression', SHAPE_CLAUSES));
  while (cursor.acceptSymbol(','));
  if (isBracketed) cursor.expectSymbol(')');
  return expressions;
}

/**
 * Whether the parenthesis that opens here closes where the clause ends: true for `(a, b)`, false for `(a + 1)
 * * 2`.
 */
function isWholeClause(cursor: TokenCursor): boolean {
  let depth = 0;
  for (let ahead = 0; ; ahead += 1) {
    const token = cursor.peek(ahead);
    if (token === undefined) return false;
    if (token.tokenType === Open) depth += 1;
    if (token.tokenType !== Close || --depth > 0) continue;
    const next = cursor.peek(ahead + 1);
    return next === undefined || SHAPE_CLAUSES.some((words) => words[0] === next.image.toUpperCase());
  }
}

function tableOptions(cursor: TokenCursor): TableShape['options'] {
  const list = parenthesisedOptions(cursor, { of: 'CREATE TABLE', values: ['index_granularity'] });
  wholeNumber(list, 'index_granularity', 1);
  return list.values;
}
