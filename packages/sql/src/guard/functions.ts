import { fail, type SqlLocation } from '@tessera/common';
import { isCatalogFunction, isCatalogTableFunction } from '../postgres/catalog-calls.ts';
import type {
  CastNode,
  FunctionNode,
  QueryLocation,
  TableFunctionRef,
  TypeNode,
  WindowNode,
} from '../tree.ts';

/**
 * Table functions of the kernel that users may call. The dialect's READ_* functions have already been
 * replaced at this point.
 */
const TABLE_FUNCTIONS = new Set([
  'generate_series',
  'range',
  'unnest',
  'json_each',
  'json_tree',
  'repeat',
  'repeat_row',
]);

/**
 * Functions that reach beyond the query (settings, variables, files, other statements, the kernel's catalog),
 * and functions that expose how the kernel runs it (`alias`, `stats`, `vector_type`): their values differ
 * between one node and several. `approx_top_k`, `bitstring_agg` and `reservoir_quantile` reserve memory for each group that the
 * kernel does not count, as much as their arguments say: 125 MB for `bitstring_agg(x, 0, 999999999)`.
 */
const FORBIDDEN = new Set([
  'add_parquet_key',
  'alias',
  'approx_top_k',
  'bitstring_agg',
  'current_connection_id',
  'current_query',
  'current_query_id',
  'current_schemas',
  'current_setting',
  'current_transaction_id',
  'from_substrait',
  'get_substrait',
  'getenv',
  'get_block_size',
  'getvariable',
  'in_search_path',
  'json_deserialize_sql',
  'json_execute_serialized_sql',
  'json_serialize_plan',
  'json_serialize_sql',
  'parse_duckdb_log_message',
  'query',
  'query_table',
  'read_blob',
  'reservoir_quantile',
  'set_config',
  'setseed',
  'sleep_ms',
  'sql_auto_complete',
  'stats',
  'txid_current',
  'vector_type',
  'which_secret',
  'write_log',
]);
const FORBIDDEN_PREFIX =
  /^(?:duckdb_|pragma_|pg_(?!typeof$)|parquet_|sniff_|glob$|icu_sort_key$|has_|col_description|obj_description|shobj_|variant_)/;

/** The parser writes the schema `main` for calls that it generates from syntax. */
const OWN_SCHEMAS = new Set(['', 'main', 'pg_catalog']);

type Locate = (at: QueryLocation) => SqlLocation | undefined;

/**
 * @param locate computes the place of the call; only called for a refusal, because it costs time proportional
 * to the text
 * @throws TesseraError FORBIDDEN, UNDEFINED_FUNCTION
 */
export function checkFunction(node: FunctionNode | WindowNode, locate: Locate): void {
  const name = node.function_name.toLowerCase();
  if (node.class === 'FUNCTION' && (isCatalogFunction(node) || isCatalogTableFunction(node))) return;
  if (node.catalog !== '' || FORBIDDEN.has(name) || FORBIDDEN_PREFIX.test(name))
    refuse(name, locate(node.query_location));
  if (!OWN_SCHEMAS.has(node.schema)) unknown(`${node.schema}.${name}`, locate(node.query_location));
  if (name.startsWith('tsr_')) unknown(name, locate(node.query_location));
}

/**
 * Refuses the kernel's type VARIANT, which the dialect does not have: comparing an object in which a key occurs twice ends the
 * process.
 * @throws TesseraError UNDEFINED_OBJECT
 */
export function checkCast({ cast_type, query_location }: CastNode, locate: Locate): void {
  if (holdsVariant(cast_type))
    fail('UNDEFINED_OBJECT', { what: 'Type', name: 'variant' }, { location: locate(query_location) });
}

function holdsVariant({ id, type_info }: TypeNode): boolean {
  if (id === 'VARIANT') return true;
  if (type_info?.type === 'LIST_TYPE_INFO' || type_info?.type === 'ARRAY_TYPE_INFO')
    return holdsVariant(type_info.child_type);
  if (type_info?.type !== 'STRUCT_TYPE_INFO') return false;
  return type_info.child_types.some(({ second }) => holdsVariant(second));
}

/** @throws TesseraError FORBIDDEN for a function that the kernel knows and users may not call */
export function checkTableFunction(ref: TableFunctionRef, locate: Locate): void {
  const name = ref.function.function_name.toLowerCase();
  if (isCatalogTableFunction(ref.function)) return;
  const place = () => locate(ref.query_location);
  checkFunction(ref.function, place);
  if (!TABLE_FUNCTIONS.has(name)) refuse(name, place());
}

/** Whether a call in FROM returns a table. Other functions return one value per call, as in a select list. */
export const isTableFunction = (node: FunctionNode): boolean => {
  const name = node.function_name.toLowerCase();
  return TABLE_FUNCTIONS.has(name) || isCatalogTableFunction(node) || KERNEL_TABLE_FUNCTION.test(name);
};

const KERNEL_TABLE_FUNCTION =
  /^(?:read_|parquet|arrow|checkpoint|force_checkpoint|disable_|enable_|seq_scan|index_scan|summary$|truncate_|storage_info|table_info|test_|which_|python|show|unnest_|user_|import_|wal_)/;

function refuse(name: string, location: SqlLocation | undefined): never {
  return fail('FORBIDDEN', { message: `The function ${name} is not available in this engine` }, { location });
}

function unknown(name: string, location: SqlLocation | undefined): never {
  return fail('UNDEFINED_FUNCTION', { message: `Function ${name} does not exist` }, { location });
}
