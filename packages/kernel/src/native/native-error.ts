import { duckdb, type Pointer } from './library.ts';
import { NativeBlock } from './memory.ts';

/** A failure the kernel reported: `message` is its own text, usually in the JSON form of `errors_as_json`. */
export class NativeError extends Error {
  readonly sql: string | undefined;

  constructor(message: string, sql?: string) {
    super(message);
    this.sql = sql;
  }
}

export const interrupted = (): NativeError =>
  new NativeError('{"exception_type":"Interrupt","exception_message":"Interrupted!"}');

/** Throws what a `duckdb_error_data` holds, if anything, and destroys it. */
export function checkErrorData(data: Pointer | null): void {
  if (!data) return;
  const message = duckdb.errorHas(data) ? duckdb.errorMessage(data) : undefined;
  const slot = new NativeBlock(8);
  slot.setPointer(0, data);
  duckdb.destroyError(slot.address);
  if (message !== undefined) throw new NativeError(message);
}
