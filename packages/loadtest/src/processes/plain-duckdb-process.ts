import { availableParallelism } from 'node:os';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { PlainAnswer } from './plain-duckdb.ts';

const instance = await DuckDBInstance.create(':memory:', { threads: String(availableParallelism()) });
const connection = await instance.connect();

process.on('message', async (sql: string) => {
  process.send!(await run(connection, sql));
});
process.once('disconnect', () => process.exit());

async function run(on: DuckDBConnection, sql: string): Promise<PlainAnswer> {
  const start = performance.now();
  try {
    const result = await on.stream(sql);
    let rows = 0;
    let first: string | undefined;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      if (rows === 0) first = String(chunk.getColumnVector(0).getItem(0));
      rows += chunk.rowCount;
    }
    return { milliseconds: performance.now() - start, rows, first };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
