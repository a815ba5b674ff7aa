import { shownType } from '@tessera/sql';
import { type TypedColumn, typedColumn } from '../facts/postgres-types.ts';
import { shownDefault } from '../facts/shown-default.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { defaultKey } from './object-oids.ts';
import { type PostgresFacts, type UserRelation, userIndexes, userRelations } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';
import { systemRelations } from './system-relations.ts';

const PLAIN: Row = {
  attstattarget: -1,
  attcacheoff: -1,
  attcompression: '',
  atthasdef: false,
  atthasmissing: false,
  attidentity: '',
  attgenerated: '',
  attisdropped: false,
  attislocal: true,
  attinhcount: 0,
};

/** `pg_attribute`: the columns of everything in `pg_class`. */
export const attributes = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_attribute', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  for (const { oid, columns } of systemRelations()) {
    for (const [index, { name, type }] of columns.entries()) {
      const typed = { type, modifier: -1, dimensions: type.isArray ? 1 : 0 };
      yield attribute(oid, index, name, typed, name === 'oid');
    }
  }
  for (const relation of userRelations(facts)) yield* userColumns(relation, facts);
  for (const { oid, table, places, expressions } of userIndexes(facts)) {
    const { relation } = table;
    for (const [index, place] of places.entries()) {
      const column = relation.kind === 'table' ? relation.columns[place - 1] : undefined;
      const typed = typedColumn(column === undefined ? { kind: 'text' } : shownType(column));
      yield attribute(oid, index, column?.name ?? expressions[index]!, typed, false);
    }
  }
}

function* userColumns({ oid, relation }: UserRelation, { viewColumns }: PostgresFacts): Generator<Row> {
  if (relation.kind === 'view') {
    for (const [index, { name, type }] of (viewColumns.get(relation.id) ?? []).entries())
      yield attribute(oid, index, name, typedColumn(type), false);
    return;
  }
  for (const [index, column] of relation.columns.entries()) {
    const { name, nullable, defaultSql, identity } = column;
    const row = attribute(oid, index, name, typedColumn(shownType(column)), !nullable);
    if (identity !== undefined) yield { ...row, attidentity: identity === 'always' ? 'a' : 'd' };
    else yield defaultSql === undefined ? row : { ...row, atthasdef: true };
  }
}

const attribute = (
  relation: number,
  index: number,
  name: string,
  { type, modifier, dimensions }: TypedColumn,
  isNotNull: boolean,
): Row => ({
  ...PLAIN,
  attrelid: relation,
  attname: name,
  atttypid: type.oid,
  attlen: type.length,
  attnum: index + 1,
  attndims: dimensions,
  atttypmod: modifier,
  attbyval: type.byValue,
  attalign: type.align,
  attstorage: type.storage,
  attnotnull: isNotNull,
  attcollation: type.collation,
});

/** `pg_attrdef`: defaults as texts. */
export const attributeDefaults = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_attrdef', defaults(facts));

function* defaults(facts: PostgresFacts): Generator<Row> {
  for (const { oid, relation } of userRelations(facts)) {
    if (relation.kind === 'view') continue;
    for (const [index, { id, defaultSql }] of relation.columns.entries()) {
      if (defaultSql === undefined) continue;
      const key = defaultKey(relation.id, id);
      yield { oid: facts.oids.of(key), adrelid: oid, adnum: index + 1, adbin: shownDefault(defaultSql) };
    }
  }
}
