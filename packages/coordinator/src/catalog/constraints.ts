import {
  type Column,
  type ForeignKeyConstraint,
  isTemporary,
  placeOf,
  relationAt,
  requireTable,
  type Snapshot,
  type TableConstraint,
  type TableObject,
} from '@tessera/catalog';
import { fail, type SqlLocation } from '@tessera/common';
import type { ConstraintDefinition } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { checkCondition } from '../objects/definition-check.ts';
import { columnNamed } from './columns.ts';

/**
 * Adds constraints to a table. Missing names are chosen as in PostgreSQL, the columns of a primary key become
 * NOT NULL, and for a table without rows and without a primary index they also become the primary index.
 * @throws TesseraError UNDEFINED_NAME, UNDEFINED_TABLE, DUPLICATE_OBJECT, INVALID_ARGUMENT, the error of an
 * invalid condition; NOT_SUPPORTED for constraints that are not enforced, if the setting
 * `unenforced_constraints` refuses them
 */
export async function withConstraints(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  definitions: readonly ConstraintDefinition[],
): Promise<TableObject> {
  let altered = table;
  for (const definition of definitions) {
    const constraint = await newConstraint(context, snapshot, altered, definition);
    altered = { ...altered, constraints: [...(altered.constraints ?? []), constraint] };
    if (constraint.kind !== 'primary_key') continue;
    const { columns } = constraint;
    const isSorted = altered.primaryIndex.length > 0 || snapshot.tablets(table.id).length > 0;
    altered = {
      ...altered,
      columns: notNull(altered.columns, columns),
      primaryIndex: isSorted ? altered.primaryIndex : columns,
    };
  }
  return altered;
}

const notNull = (columns: readonly Column[], ids: readonly number[]): readonly Column[] =>
  columns.map((column) => (ids.includes(column.id) ? { ...column, nullable: false } : column));

async function newConstraint(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  definition: ConstraintDefinition,
): Promise<TableConstraint> {
  const { kind, location } = definition;
  if (kind === 'check') {
    const used = await checkCondition(context, definition.condition, table.columns);
    const name = nameOf(table, definition, used.length === 1 ? used : []);
    return { kind, name, sql: definition.condition.sql.trim() };
  }
  if (context.settings.unenforced_constraints === 'refuse') {
    fail(
      'NOT_SUPPORTED',
      {
        what: `A constraint that is not enforced (${CONSTRAINT_WORDS[kind]})`,
        hint: 'SET unenforced_constraints = notice records it',
      },
      { location },
    );
  }
  const columns = definition.columns.map((c) => columnNamed(table.columns, c.name, c.location).id);
  const name = nameOf(table, definition, kind === 'primary_key' ? [] : names(definition.columns));
  context.run.query.notices.notice(
    `${CONSTRAINT_WORDS[kind]} "${name}" of table "${table.name}" is recorded and not enforced`,
    { resolution: 'SET unenforced_constraints = refuse refuses constraints that are not enforced' },
  );
  if (kind === 'foreign_key')
    return { ...foreignKey(context, snapshot, table, definition), name, kind, columns };
  if (kind === 'primary_key' && table.constraints?.some((c) => c.kind === kind)) {
    const message = `Table "${table.name}" already has a primary key`;
    fail('INVALID_TABLE_DEFINITION', { message }, { location });
  }
  return { kind, name, columns };
}

/** The names of constraint kinds in messages. */
const CONSTRAINT_WORDS: Readonly<Record<TableConstraint['kind'], string>> = {
  primary_key: 'PRIMARY KEY',
  unique: 'UNIQUE',
  foreign_key: 'FOREIGN KEY',
  check: 'CHECK',
};

const names = (placed: readonly { readonly name: string }[]): readonly string[] =>
  placed.map(({ name }) => name);

const SUFFIXES: Readonly<Record<TableConstraint['kind'], string>> = {
  primary_key: 'pkey',
  unique: 'key',
  foreign_key: 'fkey',
  check: 'check',
};

/** @throws TesseraError DUPLICATE_OBJECT if another constraint of the table has the name */
function nameOf(
  table: TableObject,
  { kind, name, location }: ConstraintDefinition,
  columns: readonly string[],
): string {
  const taken = new Set(table.constraints?.map((constraint) => constraint.name));
  if (name !== undefined) {
    if (taken.has(name)) fail('DUPLICATE_OBJECT', { what: 'Constraint', name }, { location });
    return name;
  }
  const stem = [table.name, ...columns, SUFFIXES[kind]].join('_');
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? stem : `${stem}${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

type ForeignKeyDefinition = Extract<ConstraintDefinition, { kind: 'foreign_key' }>;

function foreignKey(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  definition: ForeignKeyDefinition,
): Pick<ForeignKeyConstraint, 'table' | 'references' | 'onUpdate' | 'onDelete'> {
  const { location, onUpdate, onDelete } = definition;
  const referenced = referencedTable(context, snapshot, table, definition);
  const references =
    definition.references?.map((c) => columnNamed(referenced.columns, c.name, c.location).id) ??
    primaryKeyOf(referenced, definition.table.location);
  if (references.length !== definition.columns.length) {
    const message = `The foreign key has ${definition.columns.length} columns and references ${references.length}`;
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  const isKey = (referenced.constraints ?? []).some(
    (c) =>
      (c.kind === 'primary_key' || c.kind === 'unique') &&
      c.columns.length === references.length &&
      c.columns.every((id) => references.includes(id)),
  );
  if (!isKey) {
    const message = `The referenced columns of table "${referenced.name}" have no PRIMARY KEY or UNIQUE constraint`;
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  return { table: referenced.id, references, onUpdate, onDelete };
}

/**
 * The referenced table; if a foreign key references its own table, that table with its constraints so far.
 */
function referencedTable(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { table: name }: ForeignKeyDefinition,
): TableObject {
  const isShort = name.parts.length === 1 && name.parts[0] === table.name;
  if (isShort && isTemporary(snapshot, table)) return table;
  const place = placeOf(snapshot, name, context.database);
  const isNew = relationAt(snapshot, place) === undefined;
  if (isNew && place.schema.id === table.schemaId && place.name === table.name) return table;
  const found = requireTable(snapshot, name, context.database);
  if (found.id === table.id) return table;
  const kind = isTemporary(snapshot, table) ? 'temporary' : 'permanent';
  if (isTemporary(snapshot, found) === isTemporary(snapshot, table)) return found;
  const message = `The foreign keys of a ${kind} table reference ${kind} tables only`;
  return fail('INVALID_ARGUMENT', { message }, { location: name.location });
}

function primaryKeyOf(table: TableObject, location: SqlLocation): readonly number[] {
  const key = table.constraints?.find((constraint) => constraint.kind === 'primary_key');
  if (key !== undefined) return key.columns;
  const message = `Table "${table.name}" has no primary key: name the referenced columns`;
  return fail('INVALID_ARGUMENT', { message }, { location });
}
