import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqlAnswer, SqlRequest } from '../processes/sql-process.ts';

/** The arguments: the directory in which chdb is installed, and the one for the tables. */
const [installed, tables] = process.argv.slice(2) as [string, string];

interface Session {
  query(sql: string, format: string): string;
  cleanup(): void;
}
const { Session } = createRequire(join(installed, 'index.js'))('chdb') as {
  Session: new (path: string) => Session;
};
const session = new Session(tables);

process.on('message', (request: SqlRequest) => {
  process.send!(run(request));
});
// The parent removes the tables, so they need not be closed properly.
process.once('disconnect', () => process.exit());

function run({ sql, keep, limitMs }: SqlRequest): SqlAnswer {
  const start = performance.now();
  try {
    session.query(`SET max_execution_time = ${Math.min(limitMs / 1000, 1e6)}`, 'Null');
    const text = session.query(sql, 'JSONCompactEachRow');
    const milliseconds = performance.now() - start;
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const values = (keep ? lines : lines.slice(0, 1)).map((line) =>
      (JSON.parse(line) as unknown[]).map((value) => (value === null ? null : String(value))),
    );
    return { milliseconds, rows: lines.length, values };
  } catch (error) {
    return { error: (error as Error).message.replace(/^Query failed: /, '') };
  }
}
