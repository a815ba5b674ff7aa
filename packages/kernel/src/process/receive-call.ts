import type { SpillFiles } from '@tessera/common';
import { ImportedSchema } from '../arrow/imported-schema.ts';
import { RECEIVED_FUNCTION, type ReceivedRows } from '../instance/received-rows.ts';
import type { NativeConnection } from '../native/connection.ts';
import type { ReceivedRelation } from '../protocol/messages.ts';
import { quoteText } from '../types/quoting.ts';
import type { AppendInput } from './append-input.ts';
import { HeldRows } from './held-rows.ts';
import { readSchema } from './read-batches.ts';
import type { ReceivedMemory } from './received-memory.ts';

export interface ReceiveServices {
  readonly connection: NativeConnection;
  readonly received: ReceivedRows;
  readonly memory: ReceivedMemory;
  readonly files: SpillFiles;
}

/**
 * Makes the rows of the input readable: in place while memory suffices, the others in a file. Leaves nothing behind
 * on failure.
 * @param name must be unique among the relations of the process
 */
export async function runReceive(
  services: ReceiveServices,
  name: string,
  schemaIpc: Uint8Array,
  input: AppendInput,
): Promise<ReceivedRelation> {
  const { connection, received } = services;
  const imported = ImportedSchema.read(connection.handle, readSchema(schemaIpc));
  const held = new HeldRows(services, imported.schema);
  try {
    for (let payload = await input.next(); payload !== undefined; payload = await input.next()) {
      connection.checkInterrupt();
      await held.add(payload);
    }
    received.add(name, {
      imported,
      rows: held.rows,
      batches: () => held.batches(),
      released: () => held.free(),
    });
    const sql = `${RECEIVED_FUNCTION}(${quoteText(name)})`;
    return { name, rows: held.rows, sql, spilledBytes: held.spilledBytes };
  } catch (error) {
    held.free();
    imported.destroy();
    throw error;
  }
}
