import type { NativeConnection } from '../native/connection.ts';
import type { AppendInput } from './append-input.ts';

export async function runAppend(
  _c: NativeConnection,
  _t: string,
  _s: Uint8Array,
  input: AppendInput,
): Promise<number> {
  while ((await input.next()) !== undefined);
  return 0;
}
