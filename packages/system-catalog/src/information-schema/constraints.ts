import type { SchemaObject, Snapshot, TableConstraint, TableObject } from '@tessera/catalog';
import { quoteIdentifier } from '@tessera/sql';
import { relationsOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import {
  columnsOf,
  type SystemRelation,
  type SystemType,
  type SystemValue,
} from '../facts/system-relation.ts';

interface ShownConstraint {
  readonly schema: SchemaObject;
  readonly table: TableObject;
  readonly constraint: TableConstraint;
}

/** The constraints of the tables of a database that the user may see. */
function* constraintsOfDatabase(facts: SystemFacts): Generator<ShownConstraint> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    if (relation.kind !== 'table') continue;
    for (const constraint of relation.constraints ?? []) yield { schema, table: relation, constraint };
  }
}

/** The names of columns by id. */
const columnNames = ({ columns }: TableObject, ids: readonly number[]): readonly string[] =>
  ids.map((id) => columns.find((column) => column.id === id)!.name);

/** The table that a foreign key references, with its schema. */
export function referencedTable(
  snapshot: Snapshot,
  { table: id }: Extract<TableConstraint, { kind: 'foreign_key' }>,
): { readonly table: TableObject; readonly schema: SchemaObject } {
  const table = snapshot.object(id) as TableObject;
  return { table, schema: snapshot.object(table.schemaId) as SchemaObject };
}

/**
 * A constraint without its name, in the form that `CREATE TABLE` accepts and `pg_get_constraintdef` shows.
 */
export function constraintDefinition(
  constraint: TableConstraint,
  table: TableObject,
  snapshot: Snapshot,
): string {
  const list = (of: TableObject, ids: readonly number[]) =>
    `(${columnNames(of, ids).map(quoteIdentifier).join(', ')})`;
  switch (constraint.kind) {
    case 'check':
      return `CHECK (${constraint.sql})`;
    case 'primary_key':
      return `PRIMARY KEY ${list(table, constraint.columns)}`;
    case 'unique':
      return `UNIQUE ${list(table, constraint.columns)}`;
    case 'foreign_key': {
      const { table: other, schema } = referencedTable(snapshot, constraint);
      const name =
        schema.id === table.schemaId
          ? quoteIdentifier(other.name)
          : `${quoteIdentifier(schema.name)}.${quoteIdentifier(other.name)}`;
      const actions = (['onUpdate', 'onDelete'] as const)
        .filter((event) => constraint[event] !== 'NO ACTION')
        .map((event) => ` ${event === 'onUpdate' ? 'ON UPDATE' : 'ON DELETE'} ${constraint[event]}`);
      return `FOREIGN KEY ${list(table, constraint.columns)} REFERENCES ${name}${list(other, constraint.references)}${actions.join('')}`;
    }
  }
}

const CONSTRAINT = ['constraint_catalog', 'constraint_schema', 'constraint_name'] as const;
const TABLE = ['table_catalog', 'table_schema', 'table_name'] as const;

const nameOf = ({ database }: SystemFacts, { schema, constraint }: ShownConstraint) =>
  [database, schema.name, constraint.name] as const;
const tableOf = ({ database }: SystemFacts, { schema, table }: ShownConstraint) =>
  [database, schema.name, table.name] as const;

/** A relation with the rows that each constraint yields. */
const relation =
  (
    columns: readonly (string | readonly [string, SystemType])[],
    rowsOf: (shown: ShownConstraint, facts: SystemFacts) => readonly (readonly SystemValue[])[],
  ) =>
  (facts: SystemFacts): SystemRelation => ({
    columns: columnsOf(...columns),
    rows: constraintsOfDatabase(facts).flatMap((shown) => rowsOf(shown, facts)),
  });

const TYPES = {
  primary_key: 'PRIMARY KEY',
  unique: 'UNIQUE',
  foreign_key: 'FOREIGN KEY',
  check: 'CHECK',
} as const;

/** The views of the SQL standard about constraints. Only CHECK is enforced. */
export const CONSTRAINT_VIEWS: Readonly<Record<string, (facts: SystemFacts) => SystemRelation>> = {
  table_constraints: relation(
    [
      ...CONSTRAINT,
      ...TABLE,
      'constraint_type',
      'is_deferrable',
      'initially_deferred',
      'enforced',
      'nulls_distinct',
    ],
    (shown, facts) => {
      const { kind } = shown.constraint;
      const enforced = kind === 'check' ? 'YES' : 'NO';
      const distinct = kind === 'unique' ? 'YES' : null;
      return [
        [...nameOf(facts, shown), ...tableOf(facts, shown), TYPES[kind], 'NO', 'NO', enforced, distinct],
      ];
    },
  ),
  check_constraints: relation([...CONSTRAINT, 'check_clause'], (shown, facts) =>
    shown.constraint.kind === 'check' ? [[...nameOf(facts, shown), shown.constraint.sql]] : [],
  ),
  key_column_usage: relation(
    [
      ...CONSTRAINT,
      ...TABLE,
      'column_name',
      ['ordinal_position', 'INTEGER'],
      ['position_in_unique_constraint', 'INTEGER'],
    ],
    (shown, facts) => {
      const { constraint, table } = shown;
      if (constraint.kind === 'check') return [];
      const referenced = referencedKey(constraint, facts);
      return columnNames(table, constraint.columns).map((column, i) => {
        const position =
          constraint.kind === 'foreign_key' && referenced !== undefined
            ? 1 + referenced.columns.indexOf(constraint.references[i]!)
            : null;
        return [...nameOf(facts, shown), ...tableOf(facts, shown), column, i + 1, position];
      });
    },
  ),
  constraint_column_usage: relation([...TABLE, 'column_name', ...CONSTRAINT], (shown, facts) => {
    const { constraint, table } = shown;
    if (constraint.kind === 'check') return [];
    if (constraint.kind !== 'foreign_key')
      return columnNames(table, constraint.columns).map((column) => [
        ...tableOf(facts, shown),
        column,
        ...nameOf(facts, shown),
      ]);
    const other = referencedTable(facts.snapshot, constraint);
    return columnNames(other.table, constraint.references).map((column) => [
      facts.database,
      other.schema.name,
      other.table.name,
      column,
      ...nameOf(facts, shown),
    ]);
  }),
  constraint_table_usage: relation([...TABLE, ...CONSTRAINT], (shown, facts) => {
    const { constraint } = shown;
    if (constraint.kind !== 'foreign_key') return [[...tableOf(facts, shown), ...nameOf(facts, shown)]];
    const { schema, table } = referencedTable(facts.snapshot, constraint);
    return [[facts.database, schema.name, table.name, ...nameOf(facts, shown)]];
  }),
  referential_constraints: relation(
    [
      ...CONSTRAINT,
      'unique_constraint_catalog',
      'unique_constraint_schema',
      'unique_constraint_name',
      'match_option',
      'update_rule',
      'delete_rule',
    ],
    (shown, facts) => {
      const { constraint } = shown;
      if (constraint.kind !== 'foreign_key') return [];
      const { schema } = referencedTable(facts.snapshot, constraint);
      const key = referencedKey(constraint, facts)?.name ?? null;
      const { onUpdate, onDelete } = constraint;
      return [[...nameOf(facts, shown), facts.database, schema.name, key, 'NONE', onUpdate, onDelete]];
    },
  ),
};

/** The key whose columns a foreign key references. */
export function referencedKey(constraint: TableConstraint, { snapshot }: Pick<SystemFacts, 'snapshot'>) {
  if (constraint.kind !== 'foreign_key') return undefined;
  const { table } = referencedTable(snapshot, constraint);
  return table.constraints?.find(
    (key) =>
      (key.kind === 'primary_key' || key.kind === 'unique') &&
      key.columns.length === constraint.references.length &&
      key.columns.every((id) => constraint.references.includes(id)),
  ) as Extract<TableConstraint, { kind: 'primary_key' | 'unique' }> | undefined;
}
