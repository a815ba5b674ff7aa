import type { Schema } from 'apache-arrow';
import type { Pointer } from '../native/libc.ts';
import type { KernelColumn } from '../types/kernel-type.ts';
import { exportSchema } from './exported-schema.ts';
import { schemaMessage } from './ipc.ts';

const MAX_ENTRIES = 256;

export interface ResultSchema {
  readonly schema: Schema;
  readonly message: Buffer;
  /** The frame that announces results with this schema and without dictionaries, once there was one. */
  headerFrame?: Buffer;
}

/**
 * Schemas by columns and time zone, which determine them completely. Creating one costs more than a small
 * query.
 */
const known = new Map<string, ResultSchema>();

export function resultSchema(
  result: Pointer,
  arrowOptions: Pointer,
  columns: readonly KernelColumn[],
  timeZone: string | null,
): ResultSchema {
  const key = JSON.stringify([timeZone, columns]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const schema = exportSchema(result, arrowOptions, columns);
  const made = { schema, message: schemaMessage(schema) };
  if (known.size >= MAX_ENTRIES) known.delete(known.keys().next().value!);
  known.set(key, made);
  return made;
}
