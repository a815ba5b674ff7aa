import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { ConflictClause, InsertStatement } from '../statements/catalog-statement.ts';
import type { ObjectName } from '../statements/object-name.ts';
import { type ChangeQuery, changeQuery, checkRefused, conflictRefused } from './change-query.ts';
import { type ChangeTarget, targetAlias } from './change-target.ts';
import { ComposedText, leadingWith } from './composed-text.ts';
import type { ConflictKey } from './conflict-keys.ts';
import { addCheckedValue, addNewValue, assignments } from './new-values.ts';
import { fittedRows, returningText } from './returning.ts';
import { addTable, positions } from './update-query.ts';

/** The table and the constraints that the rows of an INSERT … ON CONFLICT are compared with, and the conditions that they must meet. */
export interface ConflictScope {
  readonly clause: ConflictClause;
  readonly keys: readonly ConflictKey[];
  /** The name of the table, with its schema. */
  readonly existing: ObjectName;
  readonly checks: readonly { readonly name: string; readonly sql: string }[];
}

/** The number of a proposed row, in the order of the statement. */
const NUMBER = '"$n"';
const PROPOSED = '"$proposed"';
const EXISTING = '$existing';

/**
 * The rows that an INSERT … ON CONFLICT stores. With DO NOTHING: the columns of the table in order, then the items of
 * RETURNING. With DO UPDATE: `"$tablet"` and `"$row"` (both NULL for an inserted row), `"$action"` (`insert` or `update`),
 * then the same. The leftmost relation of FROM is then the table, as in `updateQuery`.
 * @param proposed `InsertQuery.proposed`
 * @throws TesseraError UNDEFINED_NAME
 */
export function conflictQuery(
  insert: InsertStatement,
  target: ChangeTarget,
  { clause, keys, checks, existing }: ConflictScope,
  proposed: ComposedText,
  statement: string,
): ChangeQuery {
  const { table, returning } = insert;
  const alias = targetAlias(table, insert.alias);
  const numbered = new ComposedText()
    .add(`SELECT *, row_number() OVER () AS ${NUMBER} FROM (`)
    .append(checkedRows(proposed, target, checks))
    .add(`) AS ${PROPOSED}`);
  const { update } = clause;
  const rows =
    update === undefined
      ? withoutConflicts(existing, target, keys, numbered)
      : withUpdates({ existing, alias }, target, keys[0]!, numbered, update);
  const action = update === undefined ? [] : [positions(alias), '"$action"'];
  const stored = target.columns.map(
    ({ name, storedName }, i) =>
      `${quoteName(alias)}.${quoteName(name)} AS ${returning === undefined ? quoteName(storedName) : `"$c${i}"`}`,
  );
  const head = [...action, ...stored];
  const returned = returningText(returning ?? [], { head, rows }, { target, table, alias, others: [] });
  // Clients assign the returned rows to those that they inserted by their order.
  if (returning !== undefined) returned.add(` ORDER BY ${quoteName(alias)}.${NUMBER}`);
  return changeQuery(leadingWith(insert).append(returned), statement);
}

/** PostgreSQL checks every proposed row, also those that conflict and are not stored. */
function checkedRows(
  proposed: ComposedText,
  target: ChangeTarget,
  checks: ConflictScope['checks'],
): ComposedText {
  const rows = fittedRows(proposed, target);
  if (checks.length === 0) return rows;
  const [first, ...others] = target.columns.map(({ name }) => quoteName(name));
  const cases = checks.map(({ name, sql }) => `WHEN NOT (${sql}\n) THEN ${checkRefused(target.name, name)}`);
  return new ComposedText()
    .add(`SELECT ${[`CASE ${cases.join(' ')} ELSE ${first} END AS ${first}`, ...others].join(', ')} FROM (`)
    .append(rows)
    .add(`) AS ${quoteName(target.name)}`);
}

const byKey = (key: ConflictKey): string =>
  `PARTITION BY ${key.map(({ name }) => quoteName(name)).join(', ')}`;

const isNull = (key: ConflictKey): string => key.map(({ name }) => `${quoteName(name)} IS NULL`).join(' OR ');

const isSame = (key: ConflictKey, left: string, right: string): string =>
  key.map(({ name }) => `${left}.${quoteName(name)} = ${right}.${quoteName(name)}`).join(' AND ');

/**
 * The proposed rows that conflict neither with a row of the table nor with an earlier proposed row:
 *     SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY "$n") = 1 OR k IS NULL AS "$first0"
 *         FROM proposed WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = proposed.k)) WHERE "$first0"
 */
function withoutConflicts(
  existing: ObjectName,
  target: ChangeTarget,
  keys: readonly ConflictKey[],
  numbered: ComposedText,
): ComposedText {
  const firsts = keys.map(
    (key, i) => `row_number() OVER (${byKey(key)} ORDER BY ${NUMBER}) = 1 OR ${isNull(key)} AS ${first(i)}`,
  );
  const rows = new ComposedText().add(`SELECT *, ${firsts.join(', ')} FROM (`).append(numbered);
  rows.add(`) AS ${PROPOSED} WHERE `).list(keys, ' AND ', (key) => {
    addTable(rows.add('NOT EXISTS (SELECT 1 FROM '), existing, EXISTING);
    rows.add(` WHERE ${isSame(key, quoteName(EXISTING), PROPOSED)})`);
  });
  return filtered(keys.length === 1 ? rows : amongThemselves(rows, target, keys), first(0));
}

const first = (index: number): string => `"$first${index}"`;

/**
 * Keeps the rows that are the first of every key. Another row conflicts with one of them, or else only with rows that are not
 * inserted themselves: then whether it is inserted depends on a chain of conflicts, which is refused.
 */
function amongThemselves(
  rows: ComposedText,
  target: ChangeTarget,
  keys: readonly ConflictKey[],
): ComposedText {
  const isFirst = keys.map((_, i) => first(i)).join(' AND ');
  const conflicts = keys.map(
    (key) => `max(CASE WHEN ${isFirst} THEN 1 ELSE 0 END) OVER (${byKey(key)}) = 1 AND NOT (${isNull(key)})`,
  );
  const isKept = `CASE WHEN ${isFirst} THEN true WHEN ${conflicts.join(' OR ')} THEN false ELSE ${conflictRefused(target.name, 'chain')} END`;
  const names = target.columns.map(({ name }) => quoteName(name)).join(', ');
  return new ComposedText()
    .add(`SELECT ${names}, ${NUMBER}, ${isKept} AS ${first(0)} FROM (`)
    .append(rows)
    .add(`) AS ${PROPOSED}`);
}

const filtered = (rows: ComposedText, condition: string): ComposedText =>
  new ComposedText().add('SELECT * FROM (').append(rows).add(`) AS ${PROPOSED} WHERE ${condition}`);

/**
 * The proposed rows that are inserted, and the new values of the existing rows that they conflict with:
 *     SELECT t."$tablet", t."$row", CASE WHEN t."$row" IS NULL THEN 'insert' WHEN (where) THEN 'update' END AS "$action",
 *         CASE WHEN t."$row" IS NULL THEN excluded.a WHEN (where) THEN (value) END AS a, …
 *     FROM t RIGHT JOIN (proposed) AS excluded ON t.k = excluded.k
 * A row that is changed fails if a later proposed row has the same key.
 */
function withUpdates(
  { existing, alias }: { readonly existing: ObjectName; readonly alias: string },
  target: ChangeTarget,
  key: ConflictKey,
  numbered: ComposedText,
  { set, where }: NonNullable<ConflictClause['update']>,
): ComposedText {
  if (alias.toLowerCase() === 'excluded')
    fail('AMBIGUOUS_ALIAS', {
      message: `table reference "${alias}" is ambiguous: it is also the row that was proposed for insertion, so give the table another alias`,
    });
  const clauses = assignments(set, target);
  const rows = new ComposedText().add(`SELECT ${positions(alias)}, excluded.${NUMBER}, `);
  const addCase = (inserted: string, addUpdated: () => void) => {
    rows.add(`CASE WHEN ${quoteName(alias)}."$row" IS NULL THEN ${inserted}`);
    if (where === undefined) rows.add(' ELSE ');
    else rows.add(' WHEN (').piece(where).add(') THEN ');
    addUpdated();
    rows.add(' END AS ');
  };
  addCase(`'insert'`, () => rows.add(`'update'`));
  rows.add(ACTION);
  for (const [i, { name }] of key.entries()) rows.add(`, excluded.${quoteName(name)} AS ${keyName(i)}`);
  for (const column of target.columns) {
    rows.add(', ');
    const clause = clauses.get(column);
    const write = () => addNewValue(rows, column, clause, alias);
    addCase(`excluded.${quoteName(column.name)}`, () =>
      clause === undefined ? write() : addCheckedValue(rows, column, target, write),
    );
    rows.add(quoteName(column.name));
  }
  addTable(rows.add(' FROM '), existing, alias === existing.parts.at(-1) ? undefined : alias);
  rows
    .add(' RIGHT JOIN (')
    .append(numbered)
    .add(`) AS excluded ON ${isSame(key, quoteName(alias), 'excluded')}`);
  return filtered(refusingTwice(rows, target, key), KEPT);
}

const ACTION = '"$action"';
const KEPT = '"$kept"';
const keyName = (index: number): string => `"$k${index}"`;

function refusingTwice(rows: ComposedText, target: ChangeTarget, key: ConflictKey): ComposedText {
  const names = key.map((_, i) => keyName(i));
  const isComparable = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const last = `max(${NUMBER}) OVER (PARTITION BY ${['"$tablet"', '"$row"', ...names].join(', ')})`;
  const isKept = `CASE WHEN ${ACTION} IS NULL THEN false WHEN ${isComparable} AND ${NUMBER} < ${last} THEN ${conflictRefused(target.name, 'twice')} ELSE true END`;
  return new ComposedText().add(`SELECT *, ${isKept} AS ${KEPT} FROM (`).append(rows).add(`) AS ${PROPOSED}`);
}
