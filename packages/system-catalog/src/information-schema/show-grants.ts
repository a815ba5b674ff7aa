import { requirePrincipal, targetObjects } from '@tessera/access-control';
import type { CatalogObject, Snapshot } from '@tessera/catalog';
import { INFORMATION_SCHEMA } from '@tessera/catalog';
import { quoteName, quoteText } from '@tessera/kernel';
import type { ShowGrantsStatement } from '@tessera/sql';

/**
 * The query that answers SHOW GRANTS: the grants in the database and on the engine, and the memberships in
 * roles.
 * @throws TesseraError if a name does not exist
 */
export function showGrantsQuery(
  { on, of }: ShowGrantsStatement,
  snapshot: Snapshot,
  scope: { readonly database: string; readonly user: string },
): string {
  const grantee = of && requirePrincipal(snapshot, of, scope).name;
  const parts =
    on === undefined
      ? [privilegesIn(scope.database, undefined), memberships(scope.database)]
      : on.kind === 'engine'
        ? [privilegesIn(scope.database, "object_type = 'engine'")]
        : privilegesOn(snapshot, targetObjects(snapshot, on, scope.database));
  const where = grantee === undefined ? '' : ` WHERE grantee = ${quoteText(grantee)}`;
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS g${where}
    ORDER BY object_type, object_schema, object_name, grantee, privilege, grantor`;
}

/** The grants on objects, which may be in several databases. */
function privilegesOn(snapshot: Snapshot, objects: readonly CatalogObject[]): readonly string[] {
  const byDatabase = Map.groupBy(objects, (object) => placeOf(snapshot, object).database);
  if (byDatabase.size === 0) return [privilegesIn('tessera', 'false')];
  return [...byDatabase].map(([database, inDatabase]) => {
    const conditions = inDatabase.map((object) => condition(object, placeOf(snapshot, object).schema));
    return privilegesIn(database, conditions.join(' OR '));
  });
}

function condition({ kind, name }: CatalogObject, schema: string | undefined): string {
  const type = kind === 'external_table' ? 'table' : kind;
  const inSchema = schema === undefined ? 'object_schema IS NULL' : `object_schema = ${quoteText(schema)}`;
  return `(object_type = ${quoteText(type)} AND object_name = ${quoteText(name)} AND ${inSchema})`;
}

const privilegesIn = (database: string, where: string | undefined): string =>
  `SELECT grantee, privilege_type AS privilege, object_type, object_catalog, object_schema, object_name, is_grantable, grantor
   FROM ${quoteName(database)}.${INFORMATION_SCHEMA}.object_privileges${where === undefined ? '' : ` WHERE ${where}`}`;

const memberships = (database: string): string =>
  `SELECT member, 'MEMBER', 'role', NULL::text, NULL::text, role_name, is_grantable, grantor
   FROM ${quoteName(database)}.${INFORMATION_SCHEMA}.role_members`;

/** The names of the containers of the object. */
function placeOf(
  snapshot: Snapshot,
  object: CatalogObject,
): { readonly database: string; readonly schema?: string } {
  if (object.kind === 'database') return { database: object.name };
  if ('databaseId' in object) return { database: snapshot.object(object.databaseId)?.name ?? '' };
  if (!('schemaId' in object)) throw new Error(`A ${object.kind} is in no database`);
  const schema = snapshot.object(object.schemaId);
  if (schema?.kind !== 'schema') throw new Error(`${object.schemaId} is no schema`);
  return { ...placeOf(snapshot, schema), schema: schema.name };
}
