import { availableParallelism } from 'node:os';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { startTimer } from '@tessera/common';
import type { SqlAnswer, SqlRequest } from './sql-process.ts';

const instance = await DuckDBInstance.create(':memory:', {
  threads: String(availableParallelism()),
  default_null_order: 'postgres',
});
const connection = await instance.connect();

process.on('message', async (request: SqlRequest) => {
  process.send!(await run(connection, request));
});
process.once('disconnect', () => process.exit());

async function run(on: DuckDBConnection, { sql, keep, limitMs }: SqlRequest): Promise<SqlAnswer> {
  const limit = startTimer(() => on.interrupt(), limitMs);
  const start = performance.now();
  try {
    const result = await on.stream(sql);
    const chunks = [];
    let rows = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      if (keep || rows === 0) chunks.push(chunk);
      rows += chunk.rowCount;
    }
    const milliseconds = performance.now() - start;
    const values = chunks.flatMap((chunk) =>
      keep ? chunk.getRows() : [chunk.getColumns().map((column) => column[0]!)],
    );
    return { milliseconds, rows, values: values.map((row) => row.map(textOf)) };
  } catch (error) {
    const { message } = error as Error;
    return { error: /interrupt/i.test(message) ? `not done after ${limitMs / 1000} s` : message };
  } finally {
    limit.clear();
  }
}

const textOf = (value: DuckDBValue): string | null => (value === null ? null : String(value));
