import { POSTGRES_TYPES } from '../facts/postgres-types.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { rowTypeKey } from './object-oids.ts';
import {
  ADMIN_OID,
  PG_CATALOG_OID,
  type PostgresFacts,
  roleOid,
  type UserRelation,
  userRelations,
} from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

const ARRAY_SUBSCRIPT_HANDLER = 6179;
const DELIMITERS: Readonly<Record<string, string>> = { box: ';', _box: ';' };

/** The OIDs of `record_in`, `record_out`, `record_recv` and `record_send`. */
const RECORD_FUNCTIONS = [2290, 2291, 2402, 2403] as const;

/** What is the same for all types. */
const PLAIN: Row = {
  typisdefined: true,
  typmodin: 0,
  typmodout: 0,
  typanalyze: 0,
  typnotnull: false,
  typbasetype: 0,
  typtypmod: -1,
  typndims: 0,
};

/** `pg_type`: PostgreSQL's own types, and the composite types of the rows of relations. */
export const types = (facts: PostgresFacts): SystemRelation => catalogRelation('pg_type', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  for (const type of POSTGRES_TYPES) yield typeRow(type);
  for (const relation of userRelations(facts)) yield rowType(relation, facts);
}

const typeRow = (type: (typeof POSTGRES_TYPES)[number]): Row => ({
  ...PLAIN,
  oid: type.oid,
  typname: type.name,
  typnamespace: PG_CATALOG_OID,
  typowner: ADMIN_OID,
  typlen: type.length,
  typbyval: type.byValue,
  typtype: type.kind,
  typcategory: type.category,
  typispreferred: type.preferred,
  typdelim: DELIMITERS[type.name] ?? ',',
  typrelid: 0,
  typsubscript: type.isArray ? ARRAY_SUBSCRIPT_HANDLER : 0,
  typelem: type.element,
  typarray: type.array,
  typinput: type.functions[0],
  typoutput: type.functions[1],
  typreceive: type.functions[2],
  typsend: type.functions[3],
  typalign: type.align,
  typstorage: type.storage,
  typcollation: type.collation,
});

const rowType = ({ oid, schemaOid, relation }: UserRelation, facts: PostgresFacts): Row => ({
  ...PLAIN,
  oid: facts.oids.of(rowTypeKey(relation.id)),
  typname: relation.name,
  typnamespace: schemaOid,
  typowner: roleOid(facts, relation.owner),
  typlen: -1,
  typbyval: false,
  typtype: 'c',
  typcategory: 'C',
  typispreferred: false,
  typdelim: ',',
  typrelid: oid,
  typsubscript: 0,
  typelem: 0,
  typarray: 0,
  typinput: RECORD_FUNCTIONS[0],
  typoutput: RECORD_FUNCTIONS[1],
  typreceive: RECORD_FUNCTIONS[2],
  typsend: RECORD_FUNCTIONS[3],
  typalign: 'd',
  typstorage: 'x',
  typcollation: 0,
});
