import { fail } from '@tessera/common';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { MergeAction, MergeClause, MergeStatement } from '../catalog-statement.ts';
import { withoutSettings } from './change-suffix.ts';
import { clauseText, expressionText } from './expression-text.ts';
import { objectName, parenthesisedNames } from './names.ts';
import { setClauses, valueOrDefault } from './set-clauses.ts';
import { unsupported } from './unsupported.ts';
import { optionalAlias } from './update-delete.ts';

const CLAUSE_ENDS = [['WHEN'], ['RETURNING']];

/** `MERGE INTO t [[AS] a] USING source ON e WHEN …` */
export function mergeStatement(whole: TokenCursor, leading: SqlText | undefined): MergeStatement {
  const { cursor, settings } = withoutSettings(whole);
  cursor.expectWord('MERGE');
  cursor.expectWord('INTO');
  cursor.accept('ONLY');
  const table = objectName(cursor, 'the name of a table');
  const alias = optionalAlias(cursor, 'USING');
  cursor.expectWord('USING');
  const using = clauseText(cursor, 'a table or a query in brackets', [['ON']]);
  cursor.expectWord('ON');
  const on = expressionText(cursor, 'a condition', CLAUSE_ENDS);
  const clauses: MergeClause[] = [];
  do {
    const start = cursor.offset;
    const clause = mergeClause(cursor);
    if (clauses.some((c) => c.matched === clause.matched && c.condition === undefined)) {
      const message =
        'This WHEN clause is never reached: an earlier clause of the same kind has no condition';
      fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
    }
    clauses.push(clause);
  } while (cursor.isAt('WHEN'));
  if (cursor.isAt('RETURNING')) unsupported(cursor, 'RETURNING');
  cursor.expectEnd();
  return { kind: 'merge', table, alias, with: leading, using, on, clauses, settings };
}

function mergeClause(cursor: TokenCursor): MergeClause {
  cursor.expectWord('WHEN');
  const matched = cursor.accept('NOT', 'MATCHED') ? unmatchedSide(cursor) : matchedWord(cursor);
  const condition = cursor.accept('AND') ? expressionText(cursor, 'a condition', [['THEN']]) : undefined;
  cursor.expectWord('THEN');
  return { matched, condition, action: mergeAction(cursor, matched) };
}

function matchedWord(cursor: TokenCursor): 'matched' {
  if (!cursor.accept('MATCHED')) cursor.unexpected('MATCHED or NOT MATCHED');
  return 'matched';
}

function unmatchedSide(cursor: TokenCursor): MergeClause['matched'] {
  if (cursor.accept('BY', 'SOURCE')) return 'not_matched_by_source';
  cursor.accept('BY', 'TARGET');
  return 'not_matched';
}

function mergeAction(cursor: TokenCursor, matched: MergeClause['matched']): MergeAction {
  if (cursor.accept('DO', 'NOTHING')) return { kind: 'nothing' };
  if (matched === 'not_matched') {
    if (!cursor.accept('INSERT')) cursor.unexpected('INSERT or DO NOTHING');
    return insertAction(cursor);
  }
  if (cursor.accept('DELETE')) return { kind: 'delete' };
  if (!cursor.accept('UPDATE')) cursor.unexpected('UPDATE, DELETE or DO NOTHING');
  cursor.expectWord('SET');
  return { kind: 'update', set: setClauses(cursor, CLAUSE_ENDS) };
}

function insertAction(cursor: TokenCursor): MergeAction {
  const names = cursor.isAtSymbol('(') ? parenthesisedNames(cursor, 'a column') : undefined;
  const columns = names?.map((n) => n.name);
  const columnLocations = names?.map((n) => n.location) ?? [];
  if (cursor.accept('DEFAULT', 'VALUES'))
    return { kind: 'insert', columns, columnLocations, values: undefined };
  if (!cursor.accept('VALUES')) cursor.unexpected('VALUES or DEFAULT VALUES');
  const start = cursor.offset;
  cursor.expectSymbol('(');
  const values: (SqlText | undefined)[] = [];
  do values.push(valueOrDefault(cursor));
  while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  if (columns !== undefined && columns.length !== values.length) {
    const message = `INSERT names ${columns.length} columns but has ${values.length} values`;
    fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
  }
  return { kind: 'insert', columns, columnLocations, values };
}
