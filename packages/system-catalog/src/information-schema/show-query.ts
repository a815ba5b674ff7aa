import type { RelationObject, Snapshot } from '@tessera/catalog';
import {
  INFORMATION_SCHEMA,
  isSystemSchema,
  PG_CATALOG,
  type Place,
  placeOf,
  requireDatabase,
  requireRelation,
  requireSchema,
} from '@tessera/catalog';
import { quoteName, quoteText } from '@tessera/kernel';
import { columnType, dialectTypeName, type ShowStatement } from '@tessera/sql';
import { ddlOf } from './ddl.ts';

/** A view whose columns are only known after binding. */
export interface ViewToDescribe {
  readonly kind: 'view';
  /** A query that selects from it. */
  readonly sql: string;
}

/**
 * The query that answers SHOW or DESCRIBE.
 * @throws TesseraError UNDEFINED_TABLE, UNDEFINED_OBJECT, DATABASE_NOT_FOUND, with the place of the name
 */
export function showQuery(
  statement: ShowStatement,
  snapshot: Snapshot,
  database: string,
): string | ViewToDescribe {
  const { what, name, pattern } = statement;
  if (what === 'create_table') return ddlQuery(relationOf(statement, snapshot, database), snapshot);
  if (what === 'describe' || (what === 'columns' && name !== undefined)) {
    const system = systemRelationOf(statement, snapshot, database);
    if (system !== undefined) return { kind: 'view', sql: `SELECT * FROM ${system}` };
    const { place, relation } = relationOf(statement, snapshot, database);
    const fullName = [place.database.name, place.schema.name, relation.name].map(quoteName).join('.');
    if (relation.kind === 'view') return { kind: 'view', sql: `SELECT * FROM ${fullName}` };
    return columnsQuery(place, pattern);
  }
  const list = LISTS[what];
  const scope = scopeOf(statement, snapshot, database);
  const conditions = [
    ...(scope.schema !== undefined
      ? [`${list.schemaColumn} = ${quoteText(scope.schema)}`]
      : list.listsSystem
        ? [`${list.schemaColumn} NOT IN ('${INFORMATION_SCHEMA}', '${PG_CATALOG}')`]
        : []),
    ...(pattern === undefined ? [] : [`${list.nameColumn} LIKE ${quoteText(pattern)}`]),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const from = `${quoteName(scope.database)}.${INFORMATION_SCHEMA}.${list.view}`;
  return `SELECT ${list.columns} FROM ${from}${where} ORDER BY ${list.order}`;
}

/** The result of DESCRIBE for a view or a query: the same columns as for a table. */
export function describedView(columns: readonly { readonly name: string; readonly type: string }[]): string {
  const rows = columns.map(({ name, type }, i) => {
    const isNullable = type.endsWith(' null');
    const dataType = dialectName(isNullable ? type.slice(0, -' null'.length) : type);
    return `(${i + 1}, ${quoteText(name)}, ${quoteText(dataType)}, ${quoteText(isNullable ? 'YES' : 'NO')}, NULL::text)`;
  });
  return `SELECT column_name, data_type, is_nullable, column_default FROM (VALUES ${rows.join(', ')}) AS c(n, column_name, data_type, is_nullable, column_default) ORDER BY n`;
}

/** The name that columns of tables show for a result type; types that no table can have keep their names. */
function dialectName(type: string): string {
  try {
    return dialectTypeName(columnType(type));
  } catch {
    return type;
  }
}

interface List {
  readonly view: string;
  readonly columns: string;
  readonly nameColumn: string;
  readonly schemaColumn: string;
  readonly order: string;
  /** Whether the view also lists the relations of the system, which SHOW leaves out unless their schema is named. */
  readonly listsSystem: boolean;
}

const list = (view: string, nameColumn: string, columns: string, order = nameColumn): List => ({
  view,
  nameColumn,
  columns,
  order,
  schemaColumn: 'table_schema',
  listsSystem: view === 'tables' || view === 'columns' || view === 'views',
});

const LISTS: Readonly<Record<Exclude<ShowStatement['what'], 'create_table' | 'describe'>, List>> = {
  tables: list(
    'tables',
    'table_name',
    'table_schema, table_name, table_type, type, primary_index, number_of_rows, compressed_bytes, uncompressed_bytes, compression_ratio, number_of_tablets',
    'table_schema, table_name',
  ),
  columns: list(
    'columns',
    'column_name',
    'table_schema, table_name, column_name, data_type, is_nullable, column_default',
    'table_schema, table_name, ordinal_position',
  ),
  databases: list('catalogs', 'catalog_name', 'catalog_name, catalog_owner, description, created'),
  catalogs: list('catalogs', 'catalog_name', 'catalog_name, catalog_owner, description, created'),
  schemas: list('schemata', 'schema_name', 'catalog_name, schema_name, schema_owner, description'),
  indexes: list(
    'indexes',
    'index_name',
    'table_schema, table_name, index_name, index_type, index_definition',
    'table_schema, table_name, index_name',
  ),
  views: list('views', 'table_name', 'table_schema, table_name, view_definition', 'table_schema, table_name'),
  locations: list(
    'locations',
    'location_name',
    'location_name, location_source, url, location_owner, description, created',
  ),
  engines: list('engines', 'engine_name', 'engine_name, status, nodes, version, started'),
  users: list(
    'users',
    'user_name',
    'user_name, default_database, default_engine, is_enabled, has_password, user_owner, created',
  ),
  roles: list('roles', 'role_name', 'role_name, role_owner, created'),
  queries: list(
    'engine_running_queries',
    'query_text',
    'query_id, user_name, status, duration_us, percent, nodes, node_name, query_text, engine_name',
    'submitted_time, query_id',
  ),
  nodes: list(
    'nodes',
    'node_name',
    'node_name, host, status, version, started, reason, engine_name',
    'engine_name, node_name',
  ),
  functions: list(
    'routines',
    'routine_name',
    'routine_name, routine_category, routine_signature, routine_description',
    'routine_name, routine_signature',
  ),
};

/** The full name of a relation of the system; undefined if the statement names another relation. */
function systemRelationOf({ name }: ShowStatement, snapshot: Snapshot, database: string): string | undefined {
  const { parts, location } = name!;
  const schema = parts.at(-2);
  if (schema === undefined || !isSystemSchema(schema)) return undefined;
  const owner = requireDatabase(snapshot, parts.at(-3) ?? database, location);
  return [owner.name, schema, parts.at(-1)!].map(quoteName).join('.');
}

interface NamedRelation {
  readonly place: Place;
  readonly relation: RelationObject;
}

function relationOf({ name }: ShowStatement, snapshot: Snapshot, database: string): NamedRelation {
  const place = placeOf(snapshot, name!, database);
  return { place, relation: requireRelation(snapshot, place) };
}

function ddlQuery({ place, relation }: NamedRelation, snapshot: Snapshot): string {
  const ddl = ddlOf(relation, place.schema.name, snapshot);
  return `SELECT ${quoteText(relation.name)} AS table_name, ${quoteText(ddl)} AS ddl`;
}

function columnsQuery({ database, schema, name }: Place, pattern: string | undefined): string {
  const like = pattern === undefined ? '' : ` AND column_name LIKE ${quoteText(pattern)}`;
  return `SELECT column_name, data_type, is_nullable, column_default
    FROM ${quoteName(database.name)}.${INFORMATION_SCHEMA}.columns
    WHERE table_schema = ${quoteText(schema.name)} AND table_name = ${quoteText(name)}${like}
    ORDER BY ordinal_position`;
}

/** `IN a` is a schema of this database, or else a database; `IN a.b` is a schema of another database. */
function scopeOf(
  { what, name }: ShowStatement,
  snapshot: Snapshot,
  database: string,
): { readonly database: string; readonly schema?: string } {
  if (name === undefined) return { database };
  const { parts, location } = name;
  const [first = '', second] = parts;
  const takesSchema = LISTS[what as 'tables'].columns.startsWith('table_schema');
  if (takesSchema && isSystemSchema(second ?? first)) {
    const owner = second === undefined ? database : requireDatabase(snapshot, first, location).name;
    return { database: owner, schema: second ?? first };
  }
  if (second !== undefined) {
    requireSchema(snapshot, requireDatabase(snapshot, first, location), second, location);
    return { database: first, schema: second };
  }
  const here = requireDatabase(snapshot, database);
  if (takesSchema && snapshot.schema(here.id, first) !== undefined) return { database, schema: first };
  if (snapshot.database(first) !== undefined) return { database: first };
  requireSchema(snapshot, here, first, location);
  return { database };
}
