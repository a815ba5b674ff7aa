import type { NativeConnection } from '../native/connection.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb } from '../native/library.ts';
import { slotOf } from '../native/memory.ts';

const VARCHAR = 17;

/** Native callbacks of a table function. */
export interface TableFunctionCallbacks {
  readonly bind: Pointer;
  readonly init: Pointer;
  readonly scan: Pointer;
  /** Whether `scan` receives the columns that the statement reads. */
  readonly pushesProjections: boolean;
}

/**
 * Registers a table function that takes the name of a relation. It must be registered before other
 * connections are made.
 * @throws Error if the kernel refuses it
 */
export function registerTableFunction(
  connection: NativeConnection,
  name: string,
  { bind, init, scan, pushesProjections }: TableFunctionCallbacks,
): void {
  const fn = duckdb.createTableFunction();
  const text = duckdb.createLogicalType(VARCHAR);
  duckdb.tableFunctionSetName(fn, name);
  duckdb.tableFunctionAddParameter(fn, text);
  duckdb.tableFunctionSetBind(fn, bind);
  duckdb.tableFunctionSetInit(fn, init);
  duckdb.tableFunctionSetFunction(fn, scan);
  duckdb.tableFunctionPushProjections(fn, pushesProjections);
  const failed = duckdb.registerTableFunction(connection.handle, fn) !== 0;
  duckdb.destroyType(slotOf(text).address);
  duckdb.destroyTableFunction(slotOf(fn).address);
  if (failed) throw new Error(`The kernel refused the table function ${name}`);
}
