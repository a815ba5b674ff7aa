import { quoteName } from '@tessera/kernel';
import type { InsertStatement, SetClause } from '../statements/catalog-statement.ts';
import { isWord, nameOf, QuotedName, tokenize, Word } from '../text/lexer.ts';
import type { ChangeQuery } from './change-query.ts';
import { assignedType, type ChangeTarget, type TargetColumn, targetAlias } from './change-target.ts';
import type { ConflictScope } from './conflict-query.ts';
import { insertQuery } from './insert-query.ts';
import type { LiteralValue } from './literal-value.ts';
import type { PlainValues } from './plain-values.ts';
import { deleteQuery, updateQuery } from './update-query.ts';

/** An INSERT … ON CONFLICT of one row of literals, in steps that cost less than `conflictQuery`. */
export interface ConflictRow {
  /** The values of all columns, in order, which are stored if no row of the table has the key. */
  readonly row: readonly LiteralValue[];
  /** With DO UPDATE, the UPDATE of the rows with the key, with the RETURNING clause of the statement. */
  readonly existing: ChangeQuery | undefined;
  /** If `existing` may leave out rows with the key or is undefined: the positions of the rows with the key. */
  readonly sameKey: ChangeQuery | undefined;
  /** With RETURNING: the row that is inserted, as `InsertQuery.returning` has it. */
  readonly returning: ChangeQuery | undefined;
}

/** The types whose literals can be compared with a column as they are. */
const KEY_TYPES: ReadonlySet<string> = new Set(['INTEGER', 'BIGINT', 'VARCHAR']);

/**
 * `INSERT INTO t (k, n) VALUES (5, 1) ON CONFLICT (k) DO UPDATE SET n = t.n + excluded.n` →
 * `UPDATE t SET n = t.n + CAST(1 AS INTEGER) WHERE t.k = 5`. Undefined for every other form of INSERT, and if an expression may mean
 * another thing in the UPDATE.
 */
export function conflictRow(
  insert: InsertStatement,
  target: ChangeTarget,
  { clause: { update }, keys }: ConflictScope,
  { row, literals }: PlainValues,
  statement: string,
): ConflictRow | undefined {
  const [key, ...otherKeys] = keys;
  if (row === undefined || literals === undefined || key === undefined || otherKeys.length > 0)
    return undefined;
  const alias = targetAlias(insert.table, insert.alias);
  const literalOf = (column: TargetColumn) => literals[target.columns.indexOf(column)]!;
  const isComparable = (column: TargetColumn) =>
    KEY_TYPES.has(column.type) && column.declared === undefined && literalOf(column) !== 'NULL';
  if (alias === EXCLUDED || !key.every(isComparable)) return undefined;
  const isSameKey = key
    .map((column) => `${quoteName(alias)}.${quoteName(column.name)} = ${literalOf(column)}`)
    .join(' AND ');
  const rows = insert.returning && insertQuery(insert, target, statement).returning(insert.returning);
  const keyed = {
    ...insert,
    kind: 'delete',
    using: undefined,
    where: { sql: isSameKey, offset: 0 },
  } as const;
  const sameKey = deleteQuery({ ...keyed, returning: undefined }, target, statement);
  if (update === undefined) return { row, existing: undefined, sameKey, returning: rows };
  const proposed = new Map(
    target.columns.map((column) => [column.name, `CAST(${literalOf(column)} AS ${assignedType(column)})`]),
  );
  const set: SetClause[] = [];
  for (const given of update.set) {
    const sql = given.value && given.item === undefined ? withProposed(given.value.sql, proposed) : undefined;
    if (sql === undefined) return undefined;
    set.push({ ...given, value: { sql, offset: 0 } });
  }
  const condition = update.where && withProposed(update.where.sql, proposed);
  if (update.where !== undefined && condition === undefined) return undefined;
  const where = { sql: condition === undefined ? isSameKey : `${isSameKey} AND (${condition})`, offset: 0 };
  const existing = updateQuery({ ...insert, kind: 'update', set, from: undefined, where }, target, statement);
  return { row, existing, sameKey: condition === undefined ? undefined : sameKey, returning: rows };
}

const EXCLUDED = 'excluded';

/**
 * Replaces `excluded.column` by the value of the column. Undefined for subqueries, and for names that could be a column of both the table
 * and the proposed row.
 */
function withProposed(sql: string, proposed: ReadonlyMap<string, string>): string | undefined {
  const tokens = tokenize(sql);
  let written = '';
  let end = 0;
  for (const [i, token] of tokens.entries()) {
    if (isWord(token, 'SELECT', 'DEFAULT')) return undefined;
    if (token.tokenType !== Word && token.tokenType !== QuotedName) continue;
    const name = nameOf(token);
    const isQualified = tokens[i - 1]?.image === '.';
    const isQualifier = tokens[i + 1]?.image === '.';
    if (!isQualified && !isQualifier && (name === EXCLUDED || proposed.has(name))) return undefined;
    if (name !== EXCLUDED || !isQualifier) continue;
    const column = tokens[i + 2];
    const isName = column?.tokenType === Word || column?.tokenType === QuotedName;
    const value = isName ? proposed.get(nameOf(column)) : undefined;
    if (isQualified || value === undefined || tokens[i + 3]?.image === '.') return undefined;
    written += sql.slice(end, token.startOffset) + value;
    end = column!.startOffset + column!.image.length;
  }
  return written + sql.slice(end);
}
