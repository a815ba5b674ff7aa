import { POSTGRES_TYPES } from '../facts/postgres-types.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { ADMIN_OID, PG_CATALOG_OID } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

const ARRAY_SUBSCRIPT_HANDLER = 6179;
const DELIMITERS: Readonly<Record<string, string>> = { box: ';', _box: ';' };

/** `pg_type`: PostgreSQL's own types. There are no row types of tables. */
export const types = (): SystemRelation =>
  catalogRelation(
    'pg_type',
    POSTGRES_TYPES.map((type) => ({
      oid: type.oid,
      typname: type.name,
      typnamespace: PG_CATALOG_OID,
      typowner: ADMIN_OID,
      typlen: type.length,
      typbyval: type.byValue,
      typtype: type.kind,
      typcategory: type.category,
      typispreferred: type.preferred,
      typisdefined: true,
      typdelim: DELIMITERS[type.name] ?? ',',
      typrelid: 0,
      typsubscript: type.isArray ? ARRAY_SUBSCRIPT_HANDLER : 0,
      typelem: type.element,
      typarray: type.array,
      typinput: type.functions[0],
      typoutput: type.functions[1],
      typreceive: type.functions[2],
      typsend: type.functions[3],
      typmodin: 0,
      typmodout: 0,
      typanalyze: 0,
      typalign: type.align,
      typstorage: type.storage,
      typnotnull: false,
      typbasetype: 0,
      typtypmod: -1,
      typndims: 0,
      typcollation: type.collation,
    })),
  );
