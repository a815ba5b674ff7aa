import {
  type CheckConstraint,
  type Column,
  NO_CHANGE,
  type Snapshot,
  type TableConstraint,
  type TableObject,
} from '@tessera/catalog';
import { fail, nearestName } from '@tessera/common';
import type { ConstraintDefinition, TableChange } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { checkConditions, checksOf, withSession } from '../objects/definition-check.ts';
import { referencingTables } from '../objects/dependents.ts';
import { hasRow, refuseNullRows } from './alter-column.ts';
import { withConstraints } from './constraints.ts';

type Changing<K extends TableChange['kind']> = Extract<TableChange, { kind: K }>;

const altered = (object: TableObject): Change => ({ actions: [{ kind: 'alter', object }] });

/**
 * `ADD CONSTRAINT`. Existing rows must satisfy a CHECK (unless NOT VALID) and have no NULL in a primary key.
 * @throws TesseraError CHECK_VIOLATION, NOT_NULL_VIOLATION, and the errors of `withConstraints`
 */
export async function addConstraint(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { constraint, isValidated }: Changing<'add_constraint'>,
): Promise<Change> {
  const changed = await withConstraints(context, snapshot, table, [constraint]);
  const added = changed.constraints!.at(-1)!;
  if (added.kind === 'check' && isValidated) {
    if (await hasRow(context, snapshot, table, `NOT (${added.sql}\n)`))
      fail(
        'CHECK_VIOLATION',
        { table: table.name, constraint: added.name },
        { location: constraint.location },
      );
  }
  if (added.kind === 'primary_key') {
    const columns = table.columns.filter(({ id }) => added.columns.includes(id));
    await refuseNullRows(context, snapshot, table, columns);
  }
  return altered(changed);
}

/** @throws TesseraError UNDEFINED_OBJECT, DEPENDENT_OBJECTS for a key that a foreign key references */
export function dropConstraint(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  { constraint: { name, location }, ifExists, cascade }: Changing<'drop_constraint'>,
): Change {
  if (ifExists && !table.constraints?.some((constraint) => constraint.name === name)) {
    context.run.query.notices.notice(
      `constraint "${name}" of table "${table.name}" does not exist, skipping`,
    );
    return NO_CHANGE;
  }
  const found = constraintNamed(table, { name, location });
  const change = altered(without(table, [found]));
  if (found.kind !== 'primary_key' && found.kind !== 'unique') return change;
  const referencing = [table, ...referencingTables(snapshot, [table])].filter(
    (other) => foreignKeysTo(other, table, found.columns).length > 0,
  );
  if (referencing.length === 0) return change;
  if (!cascade) {
    const message = `Constraint "${name}" cannot be dropped, because a foreign key of table "${referencing[0]!.name}" references it; CASCADE drops the foreign key too`;
    fail('DEPENDENT_OBJECTS', { message }, { location });
  }
  const own = foreignKeysTo(table, table, found.columns);
  return {
    actions: [
      { kind: 'alter', object: without(table, [found, ...own]) },
      ...referencing
        .filter(({ id }) => id !== table.id)
        .map(
          (other) =>
            ({ kind: 'alter', object: without(other, foreignKeysTo(other, table, found.columns)) }) as const,
        ),
    ],
  };
}

/** The foreign keys of a table that reference exactly these columns of another table. */
const foreignKeysTo = (
  { constraints = [] }: TableObject,
  referenced: TableObject,
  columns: readonly number[],
): readonly TableConstraint[] =>
  constraints.filter(
    (c) =>
      c.kind === 'foreign_key' &&
      c.table === referenced.id &&
      c.references.length === columns.length &&
      c.references.every((id) => columns.includes(id)),
  );

const without = (table: TableObject, dropped: readonly TableConstraint[]): TableObject => ({
  ...table,
  constraints: (table.constraints ?? []).filter((constraint) => !dropped.includes(constraint)),
});

/** @throws TesseraError UNDEFINED_OBJECT, DUPLICATE_OBJECT */
export function renameConstraint(
  table: TableObject,
  { constraint, to }: Changing<'rename_constraint'>,
): Change {
  const found = constraintNamed(table, constraint);
  if (table.constraints!.some(({ name }) => name === to))
    fail('DUPLICATE_OBJECT', { what: 'Constraint', name: to }, { location: constraint.location });
  return altered({
    ...table,
    constraints: table.constraints!.map((c) => (c === found ? { ...c, name: to } : c)),
  });
}

function constraintNamed(
  { constraints = [] }: TableObject,
  { name, location }: Pick<ConstraintDefinition, 'location'> & { readonly name: string },
): TableConstraint {
  const found = constraints.find((constraint) => constraint.name === name);
  if (found !== undefined) return found;
  const nearest = nearestName(
    name,
    constraints.map((constraint) => constraint.name),
  );
  return fail('UNDEFINED_OBJECT', { what: 'Constraint', name, nearest }, { location });
}

/**
 * A table without the constraints on a column that is dropped.
 * @throws TesseraError DEPENDENT_OBJECTS if a foreign key of another table references the column
 */
export async function withoutConstraintsOn(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  column: Column,
): Promise<TableObject> {
  const { constraints } = table;
  if (constraints === undefined) return table;
  const referencing = referencingTables(snapshot, [table]).find(({ constraints: others = [] }) =>
    others.some((c) => c.kind === 'foreign_key' && c.table === table.id && c.references.includes(column.id)),
  );
  if (referencing !== undefined) {
    const message = `Column "${column.name}" cannot be dropped: a foreign key of table "${referencing.name}" references it`;
    fail('DEPENDENT_OBJECTS', { message });
  }
  const checks: readonly TableConstraint[] = await checksOn(context, table, column);
  const onColumn = constraints.filter((constraint) =>
    constraint.kind === 'check'
      ? checks.includes(constraint)
      : constraint.columns.includes(column.id) ||
        (constraint.kind === 'foreign_key' &&
          constraint.table === table.id &&
          constraint.references.includes(column.id)),
  );
  return without(table, onColumn);
}

/** The CHECK constraints of a table that read a column. */
export async function checksOn(
  context: ChangeContext,
  table: TableObject,
  column: Column,
): Promise<readonly CheckConstraint[]> {
  const checks = checksOf(table);
  if (checks.length === 0) return [];
  const conditions = await withSession(context, (session) => checkConditions(context, session, table));
  return checks.filter((_, i) => conditions[i]!.columns.includes(column.name));
}
