import type { NativeConnection } from '../native/connection.ts';
import { firstValue } from '../native/scalar-value.ts';
import { destroyChunk, NativeStatement } from '../native/statement.ts';
import type { MemoryUse } from '../protocol/messages.ts';

const SQL = `SELECT concat_ws(',',
  (SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()),
  (SELECT coalesce(sum(size), 0) FROM duckdb_temporary_files()))`;

/**
 * The kernel's buffer manager usage, in memory and in spill files; the caller knows the limit.
 * @param receivedBytes the size of the files of received rows, which the kernel does not count
 */
export async function memoryUse(
  connection: NativeConnection,
  receivedBytes: number,
): Promise<Omit<MemoryUse, 'limitBytes'>> {
  const statement = await NativeStatement.prepare(connection, SQL);
  try {
    const result = await statement.execute('materialised');
    try {
      const chunk = await result.fetch();
      const [used, spilled] = String(chunk && firstValue(chunk))
        .split(',')
        .map(Number);
      if (chunk !== undefined) destroyChunk(chunk);
      return { usedBytes: used ?? 0, spilledBytes: (spilled ?? 0) + receivedBytes };
    } finally {
      await result.destroy();
    }
  } finally {
    statement.destroy();
  }
}
