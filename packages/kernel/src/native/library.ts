import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import koffi, { type TypeObject } from 'koffi';
import { CALL_HEAP_BYTES, libc, type Native, type Pointer, RESIDENT_STACKS, STACK_BYTES } from './libc.ts';
import { nulCharacter } from './native-error.ts';

const STACK_AND_HEAP_BYTES = STACK_BYTES + CALL_HEAP_BYTES + 64 * 1024;
/** The number of threads in the thread pool. */
const MAX_CONCURRENT_CALLS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/**
 * `libduckdb` is next to the prebuilt addon, whose package is named after the platform.
 * @throws Error that says so where the package is not installed, because the registry may not have it
 */
function libraryPath(): string {
  const bindings = createRequire(
    createRequire(import.meta.url).resolve('@duckdb/node-bindings/package.json'),
  );
  const name = `@duckdb/node-bindings-${process.platform}-${process.arch}`;
  let addon: string;
  try {
    addon = bindings.resolve(`${name}/package.json`);
  } catch (error) {
    const platform = `${process.platform}-${process.arch}`;
    const message = `DuckDB is not installed for ${platform}: ${name} is missing. Tessera runs on linux-x64, and elsewhere once npm has that package`;
    throw new Error(message, { cause: error });
  }
  const file = process.platform === 'darwin' ? 'libduckdb.dylib' : 'libduckdb.so';
  return join(dirname(addon), file);
}

export const lib = koffi.load(libraryPath());

const RESULT = koffi.struct('duckdb_result', {
  column_count: 'uint64_t',
  row_count: 'uint64_t',
  rows_changed: 'uint64_t',
  columns: 'void *',
  error_message: 'void *',
  internal_data: 'void *',
});
const PROGRESS = koffi.struct('duckdb_query_progress_type', {
  percentage: 'double',
  rows_processed: 'uint64_t',
  total_rows_to_process: 'uint64_t',
});
const HUGEINT = koffi.struct('duckdb_hugeint', { lower: 'uint64_t', upper: 'int64_t' });

export interface ResultValue {
  column_count: number;
  row_count: number;
  rows_changed: number;
  columns: null;
  error_message: null;
  internal_data: Pointer;
}

const fn = <R, A extends unknown[]>(
  name: string,
  result: string | TypeObject,
  args: (string | TypeObject)[],
) => withWholeTexts(name, args, lib.func(name, result, args) as unknown as Native<R, A>);

/**
 * Wraps a call so that it refuses a text with a NUL character, which would end the C string (`str`) early.
 * @throws NativeError
 */
function withWholeTexts<R, A extends unknown[]>(
  name: string,
  types: readonly (string | TypeObject)[],
  call: Native<R, A>,
): Native<R, A> {
  if (!types.some(isTextType)) return call;
  const check = (args: readonly unknown[]) => {
    const cut = args.some((arg, i) => isTextType(types[i]) && [arg].flat().some(hasNul));
    if (cut) throw nulCharacter(`a text for ${name}`);
  };
  const checked = (...args: A): R => {
    check(args);
    return call(...args);
  };
  return Object.assign(checked, {
    async: (...args: [...A, (error: unknown, result: R) => void]) => {
      check(args);
      call.async(...args);
    },
  });
}

const isTextType = (type: string | TypeObject | undefined): boolean =>
  type === 'str' || type === 'const char **';

const hasNul = (text: unknown): boolean => typeof text === 'string' && text.includes('\0');

/** The functions of the C API that are used here. `void *` represents every handle and every out-pointer. */
export const duckdb = {
  libraryVersion: fn<string, []>('duckdb_library_version', 'str', []),
  openExt: fn<number, [string | null, Pointer, Pointer, Pointer]>('duckdb_open_ext', 'int', [
    'str',
    'void *',
    'void *',
    'void *',
  ]),
  close: fn<void, [Pointer]>('duckdb_close', 'void', ['void *']),
  connect: fn<number, [Pointer, Pointer]>('duckdb_connect', 'int', ['void *', 'void *']),
  disconnect: fn<void, [Pointer]>('duckdb_disconnect', 'void', ['void *']),
  createTaskState: fn<Pointer, [Pointer]>('duckdb_create_task_state', 'void *', ['void *']),
  interrupt: fn<void, [Pointer]>('duckdb_interrupt', 'void', ['void *']),
  progress: fn<{ percentage: number; rows_processed: number; total_rows_to_process: number }, [Pointer]>(
    'duckdb_query_progress',
    PROGRESS,
    ['void *'],
  ),
  profile: fn<Pointer | null, [Pointer]>('duckdb_get_profiling_info', 'void *', ['void *']),
  profileValue: fn<Pointer | null, [Pointer, string]>('duckdb_profiling_info_get_value', 'void *', [
    'void *',
    'str',
  ]),
  profileInputs: fn<number, [Pointer]>('duckdb_profiling_info_get_child_count', 'uint64_t', ['void *']),
  profileInput: fn<Pointer | null, [Pointer, number]>('duckdb_profiling_info_get_child', 'void *', [
    'void *',
    'uint64_t',
  ]),

  prepare: fn<number, [Pointer, string, Pointer]>('duckdb_prepare', 'int', ['void *', 'str', 'void *']),
  prepareUtf8: fn<number, [Pointer, Uint8Array, Pointer]>('duckdb_prepare', 'int', [
    'void *',
    'void *',
    'void *',
  ]),
  prepareError: fn<Pointer | null, [Pointer]>('duckdb_prepare_error', 'void *', ['void *']),
  destroyPrepare: fn<void, [Pointer]>('duckdb_destroy_prepare', 'void', ['void *']),
  statementType: fn<number, [Pointer]>('duckdb_prepared_statement_type', 'int', ['void *']),
  parameterCount: fn<number, [Pointer]>('duckdb_nparams', 'uint64_t', ['void *']),
  parameterName: fn<Pointer | null, [Pointer, number]>('duckdb_parameter_name', 'void *', [
    'void *',
    'uint64_t',
  ]),
  parameterType: fn<Pointer | null, [Pointer, number]>('duckdb_param_logical_type', 'void *', [
    'void *',
    'uint64_t',
  ]),
  parameterIndex: fn<number, [Pointer, Pointer, string]>('duckdb_bind_parameter_index', 'int', [
    'void *',
    'void *',
    'str',
  ]),
  preparedColumnCount: fn<number, [Pointer]>('duckdb_prepared_statement_column_count', 'uint64_t', [
    'void *',
  ]),
  preparedColumnName: fn<Pointer | null, [Pointer, number]>(
    'duckdb_prepared_statement_column_name',
    'void *',
    ['void *', 'uint64_t'],
  ),
  preparedColumnType: fn<Pointer | null, [Pointer, number]>(
    'duckdb_prepared_statement_column_logical_type',
    'void *',
    ['void *', 'uint64_t'],
  ),
  bindNull: fn<number, [Pointer, number]>('duckdb_bind_null', 'int', ['void *', 'uint64_t']),
  bindBoolean: fn<number, [Pointer, number, boolean]>('duckdb_bind_boolean', 'int', [
    'void *',
    'uint64_t',
    'bool',
  ]),
  bindInt64: fn<number, [Pointer, number, number | bigint]>('duckdb_bind_int64', 'int', [
    'void *',
    'uint64_t',
    'int64_t',
  ]),
  bindHugeint: fn<number, [Pointer, number, { lower: bigint; upper: bigint }]>('duckdb_bind_hugeint', 'int', [
    'void *',
    'uint64_t',
    HUGEINT,
  ]),
  bindDouble: fn<number, [Pointer, number, number]>('duckdb_bind_double', 'int', [
    'void *',
    'uint64_t',
    'double',
  ]),
  bindVarchar: fn<number, [Pointer, number, Uint8Array, number]>('duckdb_bind_varchar_length', 'int', [
    'void *',
    'uint64_t',
    'void *',
    'uint64_t',
  ]),
  bindBlob: fn<number, [Pointer, number, Uint8Array, number]>('duckdb_bind_blob', 'int', [
    'void *',
    'uint64_t',
    'void *',
    'uint64_t',
  ]),

  executeStreaming: fn<number, [Pointer, Pointer]>('duckdb_execute_prepared_streaming', 'int', [
    'void *',
    'void *',
  ]),
  execute: fn<number, [Pointer, Pointer]>('duckdb_execute_prepared', 'int', ['void *', 'void *']),
  query: fn<number, [Pointer, string, Pointer]>('duckdb_query', 'int', ['void *', 'str', 'void *']),
  queryUtf8: fn<number, [Pointer, Uint8Array, Pointer]>('duckdb_query', 'int', [
    'void *',
    'void *',
    'void *',
  ]),
  resultError: fn<Pointer | null, [Pointer]>('duckdb_result_error', 'void *', ['void *']),
  rowsChanged: fn<number, [Pointer]>('duckdb_rows_changed', 'uint64_t', ['void *']),
  rowCount: fn<number, [Pointer]>('duckdb_row_count', 'uint64_t', ['void *']),
  resultStatementType: fn<number, [ResultValue]>('duckdb_result_statement_type', 'int', [RESULT]),
  destroyResult: fn<void, [Pointer]>('duckdb_destroy_result', 'void', ['void *']),
  columnCount: fn<number, [Pointer]>('duckdb_column_count', 'uint64_t', ['void *']),
  columnName: fn<string, [Pointer, number]>('duckdb_column_name', 'str', ['void *', 'uint64_t']),
  columnType: fn<Pointer, [Pointer, number]>('duckdb_column_logical_type', 'void *', ['void *', 'uint64_t']),
  columnTypeId: fn<number, [Pointer, number]>('duckdb_column_type', 'int', ['void *', 'uint64_t']),
  fetchChunk: fn<Pointer | null, [ResultValue]>('duckdb_fetch_chunk', 'void *', [RESULT]),
  destroyChunk: fn<void, [Pointer]>('duckdb_destroy_data_chunk', 'void', ['void *']),
  chunkVector: fn<Pointer, [Pointer, number]>('duckdb_data_chunk_get_vector', 'void *', [
    'void *',
    'uint64_t',
  ]),
  vectorData: fn<Pointer, [Pointer]>('duckdb_vector_get_data', 'void *', ['void *']),
  vectorValidity: fn<Pointer | null, [Pointer]>('duckdb_vector_get_validity', 'void *', ['void *']),
  vectorType: fn<Pointer, [Pointer]>('duckdb_vector_get_column_type', 'void *', ['void *']),

  arrowOptions: fn<Pointer, [Pointer]>('duckdb_result_get_arrow_options', 'void *', ['void *']),
  destroyArrowOptions: fn<void, [Pointer]>('duckdb_destroy_arrow_options', 'void', ['void *']),
  toArrowSchema: fn<Pointer | null, [Pointer, Pointer, string[], number, Pointer]>(
    'duckdb_to_arrow_schema',
    'void *',
    ['void *', 'void *', 'const char **', 'uint64_t', 'void *'],
  ),
  chunkToArrow: fn<Pointer | null, [Pointer, Pointer, Pointer]>('duckdb_data_chunk_to_arrow', 'void *', [
    'void *',
    'void *',
    'void *',
  ]),
  schemaFromArrow: fn<Pointer | null, [Pointer, Pointer, Pointer]>('duckdb_schema_from_arrow', 'void *', [
    'void *',
    'void *',
    'void *',
  ]),
  chunkFromArrow: fn<Pointer | null, [Pointer, Pointer, Pointer, Pointer]>(
    'duckdb_data_chunk_from_arrow',
    'void *',
    ['void *', 'void *', 'void *', 'void *'],
  ),
  destroyConvertedSchema: fn<void, [Pointer]>('duckdb_destroy_arrow_converted_schema', 'void', ['void *']),
  errorHas: fn<boolean, [Pointer]>('duckdb_error_data_has_error', 'bool', ['void *']),
  errorMessage: fn<string, [Pointer]>('duckdb_error_data_message', 'str', ['void *']),
  destroyError: fn<void, [Pointer]>('duckdb_destroy_error_data', 'void', ['void *']),

  appenderCreate: fn<number, [Pointer, string | null, string | null, string, Pointer]>(
    'duckdb_appender_create_ext',
    'int',
    ['void *', 'str', 'str', 'str', 'void *'],
  ),
  appenderError: fn<Pointer, [Pointer]>('duckdb_appender_error_data', 'void *', ['void *']),
  appenderColumnType: fn<Pointer, [Pointer, number]>('duckdb_appender_column_type', 'void *', [
    'void *',
    'uint64_t',
  ]),
  appendChunk: fn<number, [Pointer, Pointer]>('duckdb_append_data_chunk', 'int', ['void *', 'void *']),
  appenderClose: fn<number, [Pointer]>('duckdb_appender_close', 'int', ['void *']),
  appenderDestroy: fn<number, [Pointer]>('duckdb_appender_destroy', 'int', ['void *']),

  createTableFunction: fn<Pointer, []>('duckdb_create_table_function', 'void *', []),
  destroyTableFunction: fn<void, [Pointer]>('duckdb_destroy_table_function', 'void', ['void *']),
  tableFunctionSetName: fn<void, [Pointer, string]>('duckdb_table_function_set_name', 'void', [
    'void *',
    'str',
  ]),
  tableFunctionAddParameter: fn<void, [Pointer, Pointer]>('duckdb_table_function_add_parameter', 'void', [
    'void *',
    'void *',
  ]),
  tableFunctionSetBind: fn<void, [Pointer, Pointer]>('duckdb_table_function_set_bind', 'void', [
    'void *',
    'void *',
  ]),
  tableFunctionSetInit: fn<void, [Pointer, Pointer]>('duckdb_table_function_set_init', 'void', [
    'void *',
    'void *',
  ]),
  tableFunctionSetFunction: fn<void, [Pointer, Pointer]>('duckdb_table_function_set_function', 'void', [
    'void *',
    'void *',
  ]),
  tableFunctionPushProjections: fn<void, [Pointer, boolean]>(
    'duckdb_table_function_supports_projection_pushdown',
    'void',
    ['void *', 'bool'],
  ),
  registerTableFunction: fn<number, [Pointer, Pointer]>('duckdb_register_table_function', 'int', [
    'void *',
    'void *',
  ]),
  bindGetParameter: fn<Pointer, [Pointer, number]>('duckdb_bind_get_parameter', 'void *', [
    'void *',
    'uint64_t',
  ]),
  bindAddColumn: fn<void, [Pointer, string, Pointer]>('duckdb_bind_add_result_column', 'void', [
    'void *',
    'str',
    'void *',
  ]),
  bindSetCardinality: fn<void, [Pointer, number, boolean]>('duckdb_bind_set_cardinality', 'void', [
    'void *',
    'uint64_t',
    'bool',
  ]),
  bindSetData: fn<void, [Pointer, Pointer, Pointer]>('duckdb_bind_set_bind_data', 'void', [
    'void *',
    'void *',
    'void *',
  ]),
  initGetBindData: fn<Pointer, [Pointer]>('duckdb_init_get_bind_data', 'void *', ['void *']),
  initSetData: fn<void, [Pointer, Pointer, Pointer]>('duckdb_init_set_init_data', 'void', [
    'void *',
    'void *',
    'void *',
  ]),
  initSetMaxThreads: fn<void, [Pointer, number]>('duckdb_init_set_max_threads', 'void', [
    'void *',
    'uint64_t',
  ]),
  functionSetError: fn<void, [Pointer, string]>('duckdb_function_set_error', 'void', ['void *', 'str']),
  functionGetInitData: fn<Pointer, [Pointer]>('duckdb_function_get_init_data', 'void *', ['void *']),
  referenceVector: fn<void, [Pointer, Pointer]>('duckdb_vector_reference_vector', 'void', [
    'void *',
    'void *',
  ]),
  chunkSize: fn<number, [Pointer]>('duckdb_data_chunk_get_size', 'uint64_t', ['void *']),
  chunkSetSize: fn<void, [Pointer, number]>('duckdb_data_chunk_set_size', 'void', ['void *', 'uint64_t']),
  bindSetError: fn<void, [Pointer, string]>('duckdb_bind_set_error', 'void', ['void *', 'str']),
  addReplacementScan: fn<void, [Pointer, Pointer, Pointer, Pointer]>('duckdb_add_replacement_scan', 'void', [
    'void *',
    'void *',
    'void *',
    'void *',
  ]),
  replacementScanSetFunction: fn<void, [Pointer, string]>(
    'duckdb_replacement_scan_set_function_name',
    'void',
    ['void *', 'str'],
  ),
  replacementScanAddParameter: fn<void, [Pointer, Pointer]>('duckdb_replacement_scan_add_parameter', 'void', [
    'void *',
    'void *',
  ]),
  createVarchar: fn<Pointer, [string]>('duckdb_create_varchar', 'void *', ['str']),
  getVarchar: fn<Pointer, [Pointer]>('duckdb_get_varchar', 'void *', ['void *']),
  destroyValue: fn<void, [Pointer]>('duckdb_destroy_value', 'void', ['void *']),
  createLogicalType: fn<Pointer, [number]>('duckdb_create_logical_type', 'void *', ['int']),

  typeId: fn<number, [Pointer]>('duckdb_get_type_id', 'int', ['void *']),
  typeAlias: fn<Pointer | null, [Pointer]>('duckdb_logical_type_get_alias', 'void *', ['void *']),
  destroyType: fn<void, [Pointer]>('duckdb_destroy_logical_type', 'void', ['void *']),
  decimalWidth: fn<number, [Pointer]>('duckdb_decimal_width', 'uint8_t', ['void *']),
  decimalScale: fn<number, [Pointer]>('duckdb_decimal_scale', 'uint8_t', ['void *']),
  enumSize: fn<number, [Pointer]>('duckdb_enum_dictionary_size', 'uint32_t', ['void *']),
  enumValue: fn<Pointer, [Pointer, number]>('duckdb_enum_dictionary_value', 'void *', ['void *', 'uint64_t']),
  listChild: fn<Pointer, [Pointer]>('duckdb_list_type_child_type', 'void *', ['void *']),
  arrayChild: fn<Pointer, [Pointer]>('duckdb_array_type_child_type', 'void *', ['void *']),
  arraySize: fn<number, [Pointer]>('duckdb_array_type_array_size', 'uint64_t', ['void *']),
  mapKey: fn<Pointer, [Pointer]>('duckdb_map_type_key_type', 'void *', ['void *']),
  mapValue: fn<Pointer, [Pointer]>('duckdb_map_type_value_type', 'void *', ['void *']),
  structSize: fn<number, [Pointer]>('duckdb_struct_type_child_count', 'uint64_t', ['void *']),
  structName: fn<Pointer, [Pointer, number]>('duckdb_struct_type_child_name', 'void *', [
    'void *',
    'uint64_t',
  ]),
  structChild: fn<Pointer, [Pointer, number]>('duckdb_struct_type_child_type', 'void *', [
    'void *',
    'uint64_t',
  ]),
  unionSize: fn<number, [Pointer]>('duckdb_union_type_member_count', 'uint64_t', ['void *']),
  unionName: fn<Pointer, [Pointer, number]>('duckdb_union_type_member_name', 'void *', [
    'void *',
    'uint64_t',
  ]),
  unionChild: fn<Pointer, [Pointer, number]>('duckdb_union_type_member_type', 'void *', [
    'void *',
    'uint64_t',
  ]),
  free: fn<void, [Pointer]>('duckdb_free', 'void', ['void *']),
} as const;

/**
 * A native function without side effects (`abs`), used as the `release` of structs whose memory stays ours.
 * The kernel takes a struct without a `release` for a released one, and a callback into JavaScript would have
 * to wait for our thread.
 */
export const NO_RELEASE: Pointer = koffi.address(libc.symbol('abs'));

/** Copies `bytes` from one address to another. */
export const memcpy = libc.func('memcpy', 'void *', ['void *', 'void *', 'size_t']) as unknown as (
  to: Pointer | Uint8Array,
  from: Pointer | Uint8Array,
  bytes: number,
) => Pointer;

/**
 * References to the memory that running calls point into, because an address alone does not prevent its
 * collection.
 */
const inFlight = new Set<{ readonly owner: object }>();
const waiting: (() => void)[] = [];
let onFurtherStacks: ((bytes: number) => void) | undefined;

/** Calls `listener` with the bytes of non-permanent stacks before one is created and after it is released. */
export function observeFurtherStacks(listener: (bytes: number) => void): void {
  onFurtherStacks = listener;
}

function tellFurtherStacks(calls: number): void {
  if (calls >= RESIDENT_STACKS) onFurtherStacks?.((calls - RESIDENT_STACKS) * STACK_AND_HEAP_BYTES);
}

/**
 * Runs a native call on the thread pool as soon as a thread is free. `owner` references the memory that the
 * arguments point to.
 */
export function offLoop<R, A extends unknown[]>(owner: object, call: Native<R, A>, ...args: A): Promise<R> {
  return new Promise((resolve, reject) => {
    const start = () => {
      const hold = { owner };
      inFlight.add(hold);
      tellFurtherStacks(inFlight.size);
      call.async(...args, (error, result) => {
        // Its stack is released after this callback. A call that began here would need one more than the memory ceiling allows.
        queueMicrotask(() => {
          inFlight.delete(hold);
          tellFurtherStacks(inFlight.size);
          waiting.shift()?.();
        });
        if (error) reject(error as Error);
        else resolve(result);
      });
    };
    if (inFlight.size < MAX_CONCURRENT_CALLS) start();
    else waiting.push(start);
  });
}

/** Copies a C string that the library allocated for us, and frees it. */
export function takeString(pointer: Pointer | null): string {
  if (!pointer) return '';
  const text = koffi.decode.string(pointer);
  duckdb.free(pointer);
  return text;
}
