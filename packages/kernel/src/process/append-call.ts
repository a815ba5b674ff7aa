import { ImportedBatch } from '../arrow/imported-batch.ts';
import { ImportedSchema } from '../arrow/imported-schema.ts';
import type { NativeConnection } from '../native/connection.ts';
import { type AppendInput, appendPayloads } from './append-input.ts';
import { Appender } from './appender.ts';
import { BatchDecoder, readSchema } from './read-batches.ts';

/**
 * Creates the temp table, appends the input in its order, and returns the number of rows. Leaves no table on
 * failure.
 */
export async function runAppend(
  connection: NativeConnection,
  table: string,
  schemaIpc: Uint8Array,
  input: AppendInput,
): Promise<number> {
  const imported = ImportedSchema.read(connection.handle, readSchema(schemaIpc));
  try {
    const appender = await Appender.open(connection, table, imported);
    try {
      const rows = await appendAll(imported, input, appender);
      await appender.close();
      return rows;
    } catch (error) {
      await appender.abandon();
      throw error;
    }
  } finally {
    imported.destroy();
  }
}

async function appendAll(imported: ImportedSchema, input: AppendInput, appender: Appender): Promise<number> {
  const decoder = new BatchDecoder(imported.schema);
  const { chunkRows } = appender;
  let total = 0;
  for (let payload = await input.next(); payload !== undefined; payload = await input.next()) {
    const { batches, hasDictionaries } = decoder.decode(payload);
    for (const { arrays, rows } of batches) {
      for (let start = 0; start < rows; start += chunkRows) {
        const count = Math.min(chunkRows, rows - start);
        await appender.append(imported, ImportedBatch.slice(imported.schema, arrays, start, count));
      }
      total += rows;
    }
    if (!hasDictionaries) appendPayloads.give(payload);
  }
  return total;
}
