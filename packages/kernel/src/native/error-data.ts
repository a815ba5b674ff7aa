import { duckdb, type Pointer } from './library.ts';
import { NativeBlock } from './memory.ts';
import { NativeError } from './native-error.ts';

/** Throws the error in a `duckdb_error_data`, if there is one, and destroys it. */
export function checkErrorData(data: Pointer | null): void {
  if (!data) return;
  const message = duckdb.errorHas(data) ? duckdb.errorMessage(data) : undefined;
  const slot = new NativeBlock(8);
  slot.setPointer(0, data);
  duckdb.destroyError(slot.address);
  if (message !== undefined) throw new NativeError(message);
}
