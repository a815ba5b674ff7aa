import { computed, signal } from '@preact/signals';
import { ask } from '../engine/request.ts';
import { currentDatabase } from '../engine/session.ts';

interface CatalogColumn {
  readonly table_schema: string;
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: string;
}

export interface CatalogTable {
  readonly table_schema: string;
  readonly table_name: string;
  readonly table_type: string;
  readonly type: string | null;
  readonly primary_index: string | null;
  readonly number_of_rows: string | null;
  readonly compressed_bytes: string | null;
  readonly number_of_tablets: string | null;
  readonly ddl: string | null;
}

export interface Catalog {
  readonly database: string;
  readonly tables: readonly CatalogTable[];
  readonly columns: readonly CatalogColumn[];
}

export const databases = signal<readonly string[]>([]);
export const catalog = signal<Catalog | undefined>(undefined);
export const catalogProblem = signal<string | undefined>(undefined);
export const functions = signal<readonly { name: string; signature: string; description: string }[]>([]);

/** The columns of the tables, by schema and table. */
export const columnsByTable = computed(
  () =>
    new Map(
      Object.entries(
        Object.groupBy(
          catalog.value?.columns ?? [],
          (column) => `${column.table_schema}.${column.table_name}`,
        ),
      ),
    ),
);

/** Every database has the relations of these schemas. */
export const OF_USERS = "table_schema NOT IN ('information_schema', 'pg_catalog')";

/** Reads the databases, and the tables and columns of the current one. */
export async function loadCatalog(): Promise<void> {
  const database = currentDatabase();
  try {
    const [names, tables, columns] = await Promise.all([
      ask<{ catalog_name: string }>(
        'SELECT catalog_name FROM information_schema.catalogs ORDER BY catalog_name',
      ),
      ask<CatalogTable>(
        `SELECT table_schema, table_name, table_type, type, primary_index, number_of_rows, compressed_bytes,
           number_of_tablets, ddl
         FROM information_schema.tables WHERE ${OF_USERS} ORDER BY table_schema, table_name`,
        { database },
      ),
      ask<CatalogColumn>(
        `SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns
         WHERE ${OF_USERS} ORDER BY table_schema, table_name, ordinal_position`,
        { database },
      ),
    ]);
    if (database !== currentDatabase()) return;
    databases.value = names.map((row) => row.catalog_name);
    catalog.value = { database, tables, columns };
    catalogProblem.value = undefined;
  } catch (error) {
    catalogProblem.value = (error as Error).message;
  }
}

/** Reads what the editor completes besides names of the catalog. */
export async function loadFunctions(): Promise<void> {
  const rows = await ask<{ name: string; signature: string; description: string }>(
    `SELECT routine_name AS name, min(routine_signature) AS signature, min(routine_description) AS description
     FROM information_schema.routines GROUP BY routine_name`,
  ).catch(() => []);
  functions.value = rows;
}

/** A name as statements write it: in double quotes unless it is a plain lower-case one. */
export const quoted = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

export const tableReference = (table: { table_schema: string; table_name: string }): string =>
  table.table_schema === 'public'
    ? quoted(table.table_name)
    : `${quoted(table.table_schema)}.${quoted(table.table_name)}`;
