import type { SqlText } from '../protocol/long-text.ts';
import type { Pointer } from './libc.ts';
import { duckdb } from './library.ts';
import { errorTextAt, NativeBlock } from './memory.ts';
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

/** The error of a result that failed. The result remains the caller's to destroy. */
export function failureOf(result: Pointer, sql: SqlText): NativeError {
  const text = duckdb.resultError(result);
  return new NativeError(text ? errorTextAt(text) : 'The statement failed', sql);
}
