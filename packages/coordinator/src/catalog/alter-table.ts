import { requirePrincipal } from '@tessera/access-control';
import {
  type Action,
  type Column,
  NO_CHANGE,
  placeOf,
  RELATION_WORDS,
  type RelationObject,
  relationAt,
  requireRelation,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { fail, type SqlLocation } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import {
  type AlterStatement,
  constraintViolation,
  fittedSql,
  storedForm,
  type TableChange,
} from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { discardTablets } from '../changes/discard-tablets.ts';
import { dropPartition } from '../changes/remove-tablets.ts';
import { definitionExpression, partitionExpressions, withSession } from '../objects/definition-check.ts';
import { refuseDependents } from '../objects/dependents.ts';
import { ownedSequences } from '../objects/owned-sequences.ts';
import { columnOfExpression } from '../read/skip-indexes.ts';
import { alterColumn } from './alter-column.ts';
import {
  addConstraint,
  checksOn,
  dropConstraint,
  renameConstraint,
  withoutConstraintsOn,
} from './change-constraints.ts';
import { addedStoredName, checkColumnCount, checkNames, columnNamed, newColumn } from './columns.ts';
import { takesSequence, withSequences } from './sequences.ts';

type AlterTable = Extract<AlterStatement, { kind: 'alter_table' }>;

/**
 * Applies the changes of an ALTER TABLE. Each change sees the result of the previous ones; they are committed
 * atomically.
 * @throws TesseraError UNDEFINED_TABLE, WRONG_OBJECT_TYPE, DEPENDENT_OBJECTS and the errors of the changes
 */
export async function alterTable(
  context: ChangeContext,
  snapshot: Snapshot,
  { table: name, ifExists, changes }: AlterTable,
): Promise<Change> {
  const place = placeOf(snapshot, name, context.database);
  if (ifExists && relationAt(snapshot, place) === undefined) return NO_CHANGE;
  const { id } = requireRelation(snapshot, place);
  const actions: Action[] = [];
  let current = snapshot;
  let affectedRows: number | undefined;
  try {
    for (const change of changes) {
      const relation = current.object(id) as RelationObject;
      const done = await alterOnce(context, current, relation, change, name.location);
      actions.push(...done.actions);
      affectedRows = done.affectedRows ?? affectedRows;
      current = current.withActions(done.actions);
    }
  } catch (error) {
    await discardTablets(context.tables, actions);
    throw error;
  }
  return { actions, ...(affectedRows === undefined ? {} : { affectedRows }) };
}

async function alterOnce(
  context: ChangeContext,
  snapshot: Snapshot,
  relation: RelationObject,
  change: TableChange,
  location: SqlLocation,
): Promise<Change> {
  const alteredAt = new Date().toISOString();
  if (change.kind === 'owner') {
    const owner = requirePrincipal(snapshot, { name: change.to }, context).name;
    return altered({ ...relation, alteredAt, owner });
  }
  if (change.kind === 'rename') {
    refuseDependents(snapshot, relation, `"${relation.name}" cannot be renamed`);
    const taken = snapshot.relation(relation.schemaId, change.to);
    if (taken !== undefined) fail('DUPLICATE_OBJECT', { what: 'Relation', name: change.to });
    return altered({ ...relation, alteredAt, name: change.to });
  }
  if (relation.kind !== 'table') {
    const message = `"${relation.name}" is ${RELATION_WORDS[relation.kind]}, not a table`;
    return fail('WRONG_OBJECT_TYPE', { message }, { location });
  }
  if (change.kind === 'drop_partition') return dropPartition(context, snapshot, relation, change.values);
  return changeTable(context, snapshot, { ...relation, alteredAt }, change);
}

const altered = (object: TableObject | ReturnType<typeof requireRelation>): Change => ({
  actions: [{ kind: 'alter', object }],
});

function changeTable(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  change: Exclude<TableChange, { kind: 'owner' | 'rename' | 'drop_partition' }>,
): Change | Promise<Change> {
  switch (change.kind) {
    case 'add_column':
      return addColumn(context, snapshot, table, change);
    case 'drop_column':
      return dropColumn(context, snapshot, table, change);
    case 'rename_column':
      return renameColumn(context, snapshot, table, change);
    case 'alter_column':
      return alterColumn(context, snapshot, table, change);
    case 'add_constraint':
      return addConstraint(context, snapshot, table, change);
    case 'drop_constraint':
      return dropConstraint(context, snapshot, table, change);
    case 'rename_constraint':
      return renameConstraint(table, change);
  }
}

/** Adds a column without moving data: existing rows get the present value of the default. */
async function addColumn(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { column: definition, constraints, ifNotExists }: Extract<TableChange, { kind: 'add_column' }>,
): Promise<Change> {
  if (ifNotExists && table.columns.some((column) => column.name === definition.name)) {
    context.run.query.notices.notice(
      `column "${definition.name}" of table "${table.name}" already exists, skipping`,
      { sqlState: '42701' },
    );
    return NO_CHANGE;
  }
  checkColumnCount(table.columns.length + 1, definition.location);
  checkNames([...table.columns, definition].map(({ name }) => ({ name, location: definition.location })));
  const id = table.nextColumnId;
  const since = table.schemaVersion + 1;
  const column = await newColumn(context, definition, {
    id,
    storedName: addedStoredName(definition.name, id),
    since,
  });
  const isCounted = definition.identity !== undefined || takesSequence(column.defaultSql ?? '');
  const hasRows = snapshot.tablets(table.id).length > 0;
  if (isCounted && hasRows) {
    const what = 'ADD COLUMN of a serial or identity column to a table that has rows';
    fail('NOT_SUPPORTED', { what }, { location: definition.location });
  }
  const initialSql = await initialValue(context, table, column);
  if (!column.nullable && initialSql === undefined && hasRows) {
    const message = `Column "${column.name}" is NOT NULL and table "${table.name}" has rows: add a DEFAULT`;
    fail('INVALID_ARGUMENT', { message }, { location: definition.location });
  }
  const added: TableObject = {
    ...table,
    columns: [...table.columns, initialSql === undefined ? column : { ...column, initialSql }],
    schemaVersion: since,
    nextColumnId: id + 1,
  };
  const counted = withSequences(context, snapshot, added, [definition]);
  const actions: Action[] = [
    ...altered(counted.table).actions,
    ...counted.sequences.map((object): Action => ({ kind: 'create', object })),
  ];
  for (const constraint of constraints) {
    const current = snapshot.withActions(actions);
    const adding = { kind: 'add_constraint', constraint, isValidated: true } as const;
    actions.push(
      ...(await addConstraint(context, current, current.object(table.id) as TableObject, adding)).actions,
    );
  }
  return { actions };
}

/**
 * The present value of the default as rows store it, as a constant of the kernel; undefined means NULL.
 * @throws TesseraError VALUE_TOO_LONG, OUT_OF_RANGE for a value that the column cannot store
 */
async function initialValue(
  context: ChangeContext,
  table: TableObject,
  column: Column,
): Promise<string | undefined> {
  const { defaultSql } = column;
  if (defaultSql === undefined || takesSequence(defaultSql)) return undefined;
  return withSession(context, async (session) => {
    const expression = { sql: defaultSql, offset: 0 };
    const { sql } = await definitionExpression(context, session, expression, [], defaultSql);
    const fitted = fittedSql(table.name, column, 'value') ?? 'value';
    const value = await session
      .scalar(`SELECT CAST(${fitted} AS VARCHAR) FROM (SELECT ${storedForm(sql, column)} AS value)`)
      .catch((error: unknown) => Promise.reject(constraintViolation(error) ?? error));
    return value === null ? undefined : `CAST(${quoteText(String(value))} AS ${column.type})`;
  });
}

async function dropColumn(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { name, ifExists, location }: Extract<TableChange, { kind: 'drop_column' }>,
): Promise<Change> {
  if (ifExists && !table.columns.some((column) => column.name === name)) {
    context.run.query.notices.notice(`column "${name}" of table "${table.name}" does not exist, skipping`);
    return NO_CHANGE;
  }
  const column = columnNamed(table.columns, name, location);
  if (table.columns.length === 1) {
    fail('INVALID_ARGUMENT', { message: `Column "${name}" is the only column of its table` }, { location });
  }
  await refuseDefining(context, table, column, 'dropped');
  refuseDependents(snapshot, table, `Column "${name}" cannot be dropped`);
  const { actions } = altered({
    ...(await withoutConstraintsOn(context, snapshot, table, column)),
    columns: table.columns.filter((other) => other.id !== column.id),
    schemaVersion: table.schemaVersion + 1,
  });
  const sequences = ownedSequences(snapshot, [table], column.id);
  return {
    actions: [...actions, ...sequences.map((sequence): Action => ({ kind: 'drop', id: sequence.id }))],
  };
}

async function renameColumn(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { name, to, location }: Extract<TableChange, { kind: 'rename_column' }>,
): Promise<Change> {
  const column = columnNamed(table.columns, name, location);
  const columns = table.columns.map((other) => (other.id === column.id ? { ...other, name: to } : other));
  checkNames(columns.map((other) => ({ name: other.name, location })));
  await refuseDefining(context, { ...table, primaryIndex: [] }, column, 'renamed');
  const [check] = await checksOn(context, table, column);
  if (check !== undefined) {
    const message = `Column "${name}" cannot be renamed: the check constraint "${check.name}" of table "${table.name}" names it`;
    fail('DEPENDENT_OBJECTS', { message }, { location });
  }
  refuseDependents(snapshot, table, `Column "${name}" cannot be renamed`);
  return altered({ ...table, columns });
}

/**
 * @throws TesseraError DEPENDENT_OBJECTS for a column that the primary index, the partitioning or an index
 * uses
 */
async function refuseDefining(
  context: ChangeContext,
  table: TableObject,
  column: Column,
  done: string,
): Promise<void> {
  const refuse = (by: string) =>
    fail('DEPENDENT_OBJECTS', {
      message: `Column "${column.name}" cannot be ${done}: ${by} of table "${table.name}" names it`,
    });
  if (table.primaryIndex.includes(column.id)) refuse('the primary index');
  if (table.partitionBy.length === 0 && table.indexes.length === 0) return;
  await withSession(context, async (session) => {
    const partitions = await partitionExpressions(context, session, table);
    if (partitions.some(({ columns }) => columns.includes(column.name))) refuse('PARTITION BY');
  });
  const named = new RegExp(`(?<![\\w$])${RegExp.escape(column.name)}(?![\\w$])`, 'i');
  const names = (sql: string) => columnOfExpression(table, sql)?.id === column.id || named.test(sql);
  const index = table.indexes.find(({ expressions }) => expressions.some(names));
  if (index !== undefined) refuse(`the index "${index.name}"`);
}
