import {
  type Action,
  type Column,
  nameOfTable,
  type Snapshot,
  type TableConstraint,
  type TableIndex,
  type TableObject,
} from '@tessera/catalog';
import { fail, type SqlLocation, TesseraError } from '@tessera/common';
import { alterTypeQuery, isWider, type OutputColumn, quoteIdentifier, type TableChange } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { withExecutable } from '../changes/derived-query.ts';
import { type QueryToStore, storageOf, storeQuery } from '../changes/store-query.ts';
import { checkCondition, checkDefault, checkExpressions } from '../objects/definition-check.ts';
import { referencingTables, refuseDependents } from '../objects/dependents.ts';
import { addedStoredName, columnNamed } from './columns.ts';
import { rebuiltIndex } from './indexes.ts';

type AlterColumn = Extract<TableChange, { kind: 'alter_column' }>;

/**
 * `ALTER TABLE … ALTER COLUMN`. Only a type with another stored form moves data: every row is rewritten.
 * @throws TesseraError UNDEFINED_NAME, NOT_NULL_VIOLATION, the error of an invalid default or of a value that
 * does not fit the new type
 */
export async function alterColumn(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { column: name, change }: AlterColumn,
): Promise<Change> {
  const column = columnNamed(table.columns, name.name, name.location);
  const altered = (changed: Column): Change => ({
    actions: [{ kind: 'alter', object: { ...table, columns: withColumn(table.columns, column, changed) } }],
  });
  if (column.identity !== undefined) refuseIdentity(table, column, change, name.location);
  switch (change.kind) {
    case 'set_default': {
      const changed = { ...column, defaultSql: change.default.sql };
      await checkDefault(context, changed, change.default);
      return altered(changed);
    }
    case 'drop_default': {
      const { defaultSql: _dropped, ...rest } = column;
      return altered(rest);
    }
    case 'drop_not_null':
      if (isInPrimaryKey(table, column)) {
        const message = `Column "${column.name}" is in the primary key of table "${table.name}" and must stay NOT NULL`;
        fail('INVALID_ARGUMENT', { message }, { location: name.location });
      }
      return altered({ ...column, nullable: true });
    case 'set_not_null':
      await refuseNullRows(context, snapshot, table, [column]);
      return altered({ ...column, nullable: false });
    case 'type':
      if (
        change.kernelType === column.type &&
        change.using === undefined &&
        isWider(column.declared, change.declared)
      )
        return altered(withDeclared(column, change.declared));
      return changeType(context, snapshot, table, column, change);
  }
}

/** @throws TesseraError SYNTAX_ERROR as in PostgreSQL: an identity column keeps its values, its NOT NULL and a type of integers */
function refuseIdentity(
  table: TableObject,
  { name }: Column,
  change: AlterColumn['change'],
  location: SqlLocation | undefined,
): void {
  const isInteger = change.kind === 'type' && ['INTEGER', 'BIGINT'].includes(change.kernelType);
  if (isInteger || change.kind === 'set_not_null') return;
  const message = `Column "${name}" of table "${table.name}" is an identity column: it has no default, and is a NOT NULL integer`;
  fail('SYNTAX_ERROR', { message }, { location });
}

const withDeclared = ({ declared: _before, ...column }: Column, declared: string | undefined): Column =>
  declared === undefined ? column : { ...column, declared };

const withColumn = (columns: readonly Column[], old: Column, changed: Column): readonly Column[] =>
  columns.map((column) => (column.id === old.id ? changed : column));

const isInPrimaryKey = ({ constraints = [] }: TableObject, { id }: Column): boolean =>
  constraints.some((constraint) => constraint.kind === 'primary_key' && constraint.columns.includes(id));

/** @throws TesseraError NOT_NULL_VIOLATION if a row of the table has NULL in one of the columns */
export async function refuseNullRows(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  columns: readonly Column[],
): Promise<void> {
  for (const column of columns) {
    if (!column.nullable) continue;
    if (await hasRow(context, snapshot, table, `${quoteIdentifier(column.name)} IS NULL`))
      fail('NOT_NULL_VIOLATION', { table: table.name, column: column.name });
  }
}

/** Whether any row of the table satisfies a condition of the dialect. */
export async function hasRow(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  condition: string,
): Promise<boolean> {
  if (snapshot.tablets(table.id).length === 0) return false;
  const from = nameOfTable(snapshot, table).map(quoteIdentifier).join('.');
  const query = {
    sql: `SELECT 1 FROM ${from} WHERE ${condition}\nLIMIT 1`,
    explain: (error: unknown) => error,
  };
  return withExecutable(
    context,
    snapshot,
    query,
    async ({ session, sql }) => (await session.scalar(`SELECT count(*) > 0 FROM (${sql})`)) === true,
  );
}

/**
 * Changes the type and rewrites every row. The column gets a new id, so that no tablet with the old type can
 * be mistaken for one with the new type. If another transaction wrote rows meanwhile, the commit fails and
 * the statement is retried.
 */
async function changeType(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  column: Column,
  { kernelType: type, declared, using }: Extract<AlterColumn['change'], { kind: 'type' }>,
): Promise<Change> {
  refuseDependents(snapshot, table, `The type of column "${column.name}" cannot be changed`);
  const { initialSql: _stored, ...kept } = withDeclared(column, declared);
  const id = table.nextColumnId;
  const since = table.schemaVersion + 1;
  const changed: Column = { ...kept, id, storedName: addedStoredName(column.name, id), type, since };
  const object = withColumnId(
    {
      ...table,
      columns: withColumn(table.columns, column, changed),
      schemaVersion: since,
      nextColumnId: id + 1,
    },
    column.id,
    id,
  );
  const indexes = await checkDefinitions(context, object, changed);
  const rewritten = await rewriteRows(context, snapshot, object, changed, using);
  const removed = snapshot.tablets(table.id).map(
    (tablet): Action => ({
      kind: 'remove_tablet',
      tableId: table.id,
      tabletId: tablet.id,
      reason: 'alter_type',
    }),
  );
  const references = referencingTables(snapshot, [table]).map(
    (other): Action => ({ kind: 'alter', object: withReferenceId(other, table, column.id, id) }),
  );
  return {
    actions: [...removed, { kind: 'alter', object: { ...object, indexes } }, ...references, ...rewritten],
  };
}

async function rewriteRows(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  column: Column,
  using: Extract<AlterColumn['change'], { kind: 'type' }>['using'],
): Promise<readonly Action[]> {
  if (snapshot.tablets(table.id).length === 0) return [];
  const { text, query: running } = context.run;
  const from = nameOfTable(snapshot, table);
  const query = alterTypeQuery({ table: from, target: table, column, using }, text);
  const toStore = (columns: readonly OutputColumn[]): QueryToStore => ({
    table,
    rows: (sql) => query.rows({ sql, columns }, { areNullsCounted: true }),
    countsNulls: true,
  });
  const { actions } = await withExecutable(
    context,
    snapshot,
    query,
    (executable) => storeQuery(context, executable, toStore(executable.columns), running.signal),
    { storing: ({ columns, session }) => storageOf(context, toStore(columns), session) },
  );
  return actions;
}

/**
 * Checks that the default, the partition expressions, the CHECK constraints and the indexes are still valid with the new type.
 * @returns the indexes for the new type
 */
async function checkDefinitions(
  context: ChangeContext,
  table: TableObject,
  column: Column,
): Promise<readonly TableIndex[]> {
  const own = (sql: string) =>
    [
      { ...context, run: { ...context.run, text: sql } },
      { sql, offset: 0 },
    ] as const;
  const part = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      // Its location is in the text of the definition, which is not that of the statement.
      const message = (reason: string) =>
        `${name} is not valid with the new type of column "${column.name}": ${reason}`;
      throw error instanceof TesseraError
        ? error.with({ message: message(error.message), location: undefined })
        : error;
    }
  };
  const { defaultSql } = column;
  if (defaultSql !== undefined) {
    const [its, sql] = own(defaultSql);
    await part(`The default ${defaultSql}`, () => checkDefault(its, column, sql));
  }
  for (const expression of table.partitionBy) {
    const [its, sql] = own(expression);
    await part(`PARTITION BY ${expression}`, () => checkExpressions(its, [sql], table.columns));
  }
  for (const constraint of table.constraints ?? []) {
    if (constraint.kind !== 'check') continue;
    const [its, sql] = own(constraint.sql);
    await part(`Check constraint "${constraint.name}"`, () => checkCondition(its, sql, table.columns));
  }
  const indexes: TableIndex[] = [];
  for (const index of table.indexes)
    indexes.push(await part(`Index "${index.name}"`, () => rebuiltIndex(context, table, index)));
  return indexes;
}

const replaced = (ids: readonly number[], from: number, to: number): readonly number[] =>
  ids.map((id) => (id === from ? to : id));

/** The table with a column's id replaced in the primary index and the constraints. */
function withColumnId(table: TableObject, from: number, to: number): TableObject {
  const constraints = table.constraints?.map((constraint): TableConstraint => {
    if (constraint.kind === 'check') return constraint;
    const columns = replaced(constraint.columns, from, to);
    return constraint.kind === 'foreign_key' && constraint.table === table.id
      ? { ...constraint, columns, references: replaced(constraint.references, from, to) }
      : { ...constraint, columns };
  });
  return {
    ...table,
    primaryIndex: replaced(table.primaryIndex, from, to),
    ...(constraints === undefined ? {} : { constraints }),
  };
}

/** A table whose foreign keys reference a column of `table` by its new id. */
function withReferenceId(other: TableObject, table: TableObject, from: number, to: number): TableObject {
  const constraints = other.constraints?.map((constraint) =>
    constraint.kind === 'foreign_key' && constraint.table === table.id
      ? { ...constraint, references: replaced(constraint.references, from, to) }
      : constraint,
  );
  return { ...other, ...(constraints === undefined ? {} : { constraints }) };
}
