import { ImportedSchema } from '../arrow/imported-schema.ts';
import type { NativeConnection } from '../native/connection.ts';
import type { AppendInput } from './append-input.ts';
import { Appender } from './appender.ts';
import { readBatches, readSchema } from './read-batches.ts';

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
      const rows = await readBatches(imported, input, appender);
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
