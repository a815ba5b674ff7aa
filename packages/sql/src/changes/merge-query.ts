import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { MergeAction, MergeClause, MergeStatement, SetClause } from '../statements/catalog-statement.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { type ChangeQuery, changeQuery, failInStatement } from './change-query.ts';
import { type ChangeTarget, type TargetColumn, targetAlias, targetColumn } from './change-target.ts';
import { ComposedText } from './composed-text.ts';
import { expressionName, MergeScope } from './merge-scope.ts';
import { addCheckedValue, addNewValue, assignments } from './new-values.ts';
import { addTable, positions } from './update-query.ts';

/** What a row of a merge query does to the table. */
export type MergeRowAction = 'update' | 'delete' | 'insert';

/** The column that marks rows with a matching source row. Users cannot have a column of this name. */
const SOURCE_MARK = '"$source"';
const ACTION = '"$action"';

/**
 * What a MERGE does, one row per change: `"$tablet"` and `"$row"` (both NULL if the row is only inserted),
 * `"$action"` (`update`, `delete` or `insert`, as text), then the new values of all columns of the table in
 * order, under their stored names (NULL for `delete`). The table stands first in FROM and must have the
 * columns `"$tablet"` and `"$row"`. If a position occurs twice, two source rows would change the same row,
 * and the caller must answer CARDINALITY_VIOLATION (`mergedTwice`).
 * @throws TesseraError UNDEFINED_NAME, BINDING_ERROR for an INSERT with the wrong number of values
 */
export function mergeQuery(merge: MergeStatement, target: ChangeTarget, statement: string): ChangeQuery {
  const alias = targetAlias(merge.table, merge.alias);
  const scope = new MergeScope(merge, target, alias);
  const actions = merge.clauses.map(({ action }) => columnActions(action, target, merge));
  const text = new ComposedText();
  if (merge.with !== undefined) text.piece(merge.with);
  text.add(`SELECT ${positions(alias)}, `);
  addCase(text, merge.clauses, alias, scope, (index) => {
    const { kind } = merge.clauses[index]!.action;
    text.add(kind === 'nothing' ? 'NULL' : `'${kind}'`);
  });
  text.add(` AS ${ACTION}`);
  for (const column of target.columns) {
    text.add(', ');
    addCase(text, merge.clauses, alias, scope, (index) =>
      addValue(text, actions[index]!.get(column), column, target, alias, (value) =>
        scope.add(text, merge.clauses[index]!.matched, value),
      ),
    );
    text.add(` AS ${quoteName(column.storedName)}`);
  }
  addJoin(text, merge, scope);
  text.add(' WHERE ');
  addCase(text, merge.clauses, alias, scope, (index) =>
    text.add(merge.clauses[index]!.action.kind === 'nothing' ? 'NULL' : 'true'),
  );
  return changeQuery(text, statement);
}

/** Throws the error for a position that occurs twice in the result of a merge query. */
export function mergedTwice(merge: MergeStatement): never {
  const message = 'MERGE would change a row of the table twice: more than one source row matches it';
  return failInStatement('CARDINALITY_VIOLATION', message, merge.table.location);
}

/**
 * Appends a CASE with one WHEN per clause: its match state and its condition. The first clause that applies
 * wins.
 */
function addCase(
  text: ComposedText,
  clauses: readonly MergeClause[],
  alias: string,
  scope: MergeScope,
  write: (index: number) => void,
): void {
  text.add('CASE');
  for (const [index, clause] of clauses.entries()) {
    text.add(` WHEN ${stateOf(clause.matched, alias)}`);
    if (clause.condition !== undefined) {
      text.add(' AND (');
      scope.add(text, clause.matched, clause.condition);
      text.add(')');
    }
    text.add(' THEN ');
    write(index);
  }
  text.add(' END');
}

function stateOf(matched: MergeClause['matched'], alias: string): string {
  const hasTarget = `${quoteName(alias)}."$row" IS NOT NULL`;
  const hasSource = `${SOURCE_MARK} IS NOT NULL`;
  switch (matched) {
    case 'matched':
      return `${hasTarget} AND ${hasSource}`;
    case 'not_matched':
      return `${quoteName(alias)}."$row" IS NULL`;
    case 'not_matched_by_source':
      return `${SOURCE_MARK} IS NULL`;
  }
}

/**
 * The value of a column under an action: a SET clause, 'keep' for the other columns of an update, or
 * 'default' for those of an insert.
 */
type ColumnAction = SetClause | 'keep' | 'default';

function columnActions(
  action: MergeAction,
  target: ChangeTarget,
  merge: MergeStatement,
): ReadonlyMap<TargetColumn, ColumnAction> {
  switch (action.kind) {
    case 'delete':
    case 'nothing':
      return new Map();
    case 'update': {
      const set = assignments(action.set, target);
      return new Map(target.columns.map((column) => [column, set.get(column) ?? 'keep']));
    }
    case 'insert': {
      const given = insertedValues(action, target, merge);
      return new Map(target.columns.map((column) => [column, given.get(column) ?? 'default']));
    }
  }
}

function insertedValues(
  action: Extract<MergeAction, { kind: 'insert' }>,
  target: ChangeTarget,
  { table: { location } }: MergeStatement,
): ReadonlyMap<TargetColumn, SetClause> {
  const { values = [] } = action;
  const columns =
    action.columns?.map((name, i) => targetColumn(target, name, action.columnLocations[i])) ??
    target.columns.slice(0, values.length);
  if (values.length > columns.length) {
    const message = `INSERT has ${values.length} values, but table "${target.name}" has ${columns.length} columns`;
    fail('SYNTAX_ERROR', { message }, { location });
  }
  return new Map(
    values.map((value, i) => [columns[i]!, { column: columns[i]!.name, value, location }] as const),
  );
}

function addValue(
  text: ComposedText,
  action: ColumnAction | undefined,
  column: TargetColumn,
  target: ChangeTarget,
  alias: string,
  writeValue: (value: SqlText) => void,
): void {
  if (action === undefined) text.add('NULL');
  else if (action === 'keep') addNewValue(text, column, undefined, alias);
  else {
    const clause =
      action === 'default'
        ? { column: column.name, value: undefined, location: { line: 1, startColumn: 1, endColumn: 1 } }
        : action;
    addCheckedValue(text, column, target, () => addNewValue(text, column, clause, alias, writeValue));
  }
}

/** Joins only the rows that some clause can apply to. */
function addJoin(
  text: ComposedText,
  { table, alias, using, on, clauses }: MergeStatement,
  { ofSource, sourceAlias }: MergeScope,
): void {
  const has = (matched: MergeClause['matched']) => clauses.some((clause) => clause.matched === matched);
  const [source, byTarget] = [has('not_matched'), has('not_matched_by_source')];
  const join = source ? (byTarget ? 'FULL' : 'RIGHT') : byTarget ? 'LEFT' : 'INNER';
  addTable(text.add(' FROM '), table, alias);
  text.add(` ${join} JOIN (`);
  if (ofSource.length === 0) {
    text.piece(using).add(`CROSS JOIN (SELECT true AS ${SOURCE_MARK}) AS tsr_matched)`);
  } else {
    text.add('SELECT *, ').list(ofSource, ', ', (expression, index) => {
      text.piece(expression).add(` AS ${expressionName(index)}`);
    });
    text
      .add(`, true AS ${SOURCE_MARK} FROM `)
      .piece(using)
      .add(`) AS ${quoteName(sourceAlias)}`);
  }
  text.add(' ON (').piece(on).add(')');
}
