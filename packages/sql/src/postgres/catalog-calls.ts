import { internalCall } from '../functions/expressions.ts';
import type { FunctionNode } from '../tree.ts';
import { POSTGRES_FUNCTIONS, QUALIFIED_FUNCTIONS } from './functions.ts';
import type { PostgresFunction } from './postgres-function.ts';
import { isTransaction } from './system-columns.ts';
import { CATALOG_TABLE_FUNCTIONS } from './table-functions.ts';

const PG_CATALOG = 'pg_catalog';
const INFORMATION_SCHEMA_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  _pg_expandarray: { arity: [1, 1], rewrite: ([list]) => internalCall('pg_expandarray', list) },
};

/** The replacement of a call of a function of PostgreSQL's catalog; undefined for other functions. */
export function postgresFunction({
  function_name,
  schema,
  catalog,
  children,
}: FunctionNode): PostgresFunction | undefined {
  if (catalog !== '') return undefined;
  // With one argument this is the dialect's own function, which counts the elements.
  if (function_name === 'array_length' && children.length === 1) return undefined;
  if (function_name === 'age' && !(children.length === 1 && isTransaction(children[0]!))) return undefined;
  if (schema === 'information_schema') return own(INFORMATION_SCHEMA_FUNCTIONS, function_name);
  if (schema === PG_CATALOG)
    return own(QUALIFIED_FUNCTIONS, function_name) ?? own(POSTGRES_FUNCTIONS, function_name);
  return schema === '' || schema === 'main' ? own(POSTGRES_FUNCTIONS, function_name) : undefined;
}

const own = (functions: Readonly<Record<string, PostgresFunction>>, name: string) =>
  Object.hasOwn(functions, name) ? functions[name] : undefined;

/** Whether the engine implements this function of PostgreSQL's catalog. */
export const isCatalogFunction = (node: FunctionNode): boolean => postgresFunction(node) !== undefined;

/** Whether the engine implements this catalog function for FROM. */
export const isCatalogTableFunction = ({ function_name, schema, catalog }: FunctionNode): boolean =>
  catalog === '' && (schema === '' || schema === PG_CATALOG) && CATALOG_TABLE_FUNCTIONS.has(function_name);

/** Whether a call is written in the form that PostgreSQL's catalog defines. */
export const isCatalogCall = (node: FunctionNode): boolean =>
  node.schema === PG_CATALOG || isCatalogFunction(node) || isCatalogTableFunction(node);
