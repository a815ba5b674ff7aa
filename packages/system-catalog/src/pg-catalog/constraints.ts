import type { ForeignKeyAction, ObjectId, TableConstraint, TableObject } from '@tessera/catalog';
import type { SystemRelation } from '../facts/system-relation.ts';
import { constraintDefinition, referencedKey, referencedTable } from '../information-schema/constraints.ts';
import { constraintKey, keyIndexKey } from './object-oids.ts';
import { type PostgresFacts, userRelations } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

const TYPES: Readonly<Record<TableConstraint['kind'], string>> = {
  primary_key: 'p',
  unique: 'u',
  foreign_key: 'f',
  check: 'c',
};

const ACTIONS: Readonly<Record<ForeignKeyAction, string>> = {
  'NO ACTION': 'a',
  RESTRICT: 'r',
  CASCADE: 'c',
  'SET NULL': 'n',
  'SET DEFAULT': 'd',
};

/** `pg_constraint`. */
export const constraints = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_constraint', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  const { oids } = facts;
  for (const { oid, schemaOid, relation } of userRelations(facts)) {
    if (relation.kind !== 'table') continue;
    for (const constraint of relation.constraints ?? []) {
      yield {
        oid: oids.of(constraintKey(relation.id, constraint.name)),
        conname: constraint.name,
        connamespace: schemaOid,
        contype: TYPES[constraint.kind],
        condeferrable: false,
        condeferred: false,
        convalidated: true,
        conrelid: oid,
        contypid: 0,
        conindid: 0,
        conparentid: 0,
        confrelid: 0,
        confupdtype: ' ',
        confdeltype: ' ',
        confmatchtype: ' ',
        conislocal: true,
        coninhcount: 0,
        connoinherit: constraint.kind !== 'check',
        ...details(constraint, relation, facts),
      };
    }
  }
}

function details(constraint: TableConstraint, table: TableObject, facts: PostgresFacts): Row {
  if (constraint.kind === 'check') return { conbin: constraint.sql };
  const conkey = places(table, constraint.columns);
  if (constraint.kind !== 'foreign_key')
    return { conkey, conindid: facts.oids.of(keyIndexKey(table.id, constraint.name)) };
  const { table: other } = referencedTable(facts.snapshot, constraint);
  const key = referencedKey(constraint, facts);
  return {
    conkey,
    conindid: key === undefined ? 0 : facts.oids.of(keyIndexKey(other.id, key.name)),
    confrelid: facts.oids.of(other.id),
    confkey: places(other, constraint.references),
    confupdtype: ACTIONS[constraint.onUpdate],
    confdeltype: ACTIONS[constraint.onDelete],
    confmatchtype: 's',
  };
}

/** The positions of columns in their table, from 1. */
const places = ({ columns }: TableObject, ids: readonly number[]): readonly number[] =>
  ids.map((id) => 1 + columns.findIndex((column) => column.id === id));

/**
 * The tables with a foreign key and those that one refers to. In PostgreSQL they have triggers that enforce it, and psql asks only
 * such tables for foreign keys.
 */
export function tablesOfForeignKeys(facts: PostgresFacts): ReadonlySet<ObjectId> {
  const ids = new Set<ObjectId>();
  for (const { relation } of userRelations(facts)) {
    if (relation.kind !== 'table') continue;
    for (const constraint of relation.constraints ?? []) {
      if (constraint.kind !== 'foreign_key') continue;
      ids.add(relation.id).add(referencedTable(facts.snapshot, constraint).table.id);
    }
  }
  return ids;
}

/** The OIDs of constraints with their `pg_get_constraintdef` texts. */
export function* constraintDefinitions(facts: PostgresFacts): Generator<readonly [number, string]> {
  for (const { relation } of userRelations(facts)) {
    if (relation.kind !== 'table') continue;
    for (const constraint of relation.constraints ?? []) {
      const oid = facts.oids.of(constraintKey(relation.id, constraint.name));
      yield [oid, constraintDefinition(constraint, relation, facts.snapshot)];
    }
  }
}
