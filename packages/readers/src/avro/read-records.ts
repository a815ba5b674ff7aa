import type { AvroRecords } from './decode-records.ts';

/**
 * Reads a small file whose records this process looks at, like the metadata of a table. Rows of users are loaded into the
 * kernel instead (`loadAvro`).
 * @param name the file in messages
 * @throws TesseraError BAD_FILE
 */
export async function readAvroRecords(bytes: Uint8Array, name: string): Promise<AvroRecords> {
  // Most of a node's start-up time is loading, and most nodes never read a file of this format.
  const { decodeRecords } = await import('./decode-records.ts');
  return decodeRecords(bytes, name);
}
