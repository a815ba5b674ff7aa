import type { Database } from './database.ts';
import { parseRecords } from './records.ts';
import { linesOf } from './result-check.ts';
import { unrolled } from './unrolled.ts';

/**
 * The text of a file with the database's results for queries that expect none yet, outside of loops. These
 * results must be reviewed before they are trusted.
 */
export async function completed(text: string, database: Database): Promise<string> {
  await database.fresh();
  const lines = text.split('\n');
  const results = new Map<number, string[]>();
  for (const step of unrolled(parseRecords(text))) {
    if (step.kind === 'statement') await database.run(step.sql, step.connection).catch(() => undefined);
    if (step.kind !== 'query' || step.expected !== undefined) continue;
    const result = await database.run(step.sql, step.connection);
    results.set(step.line + step.sql.split('\n').length, linesOf(result, step));
  }
  return lines
    .flatMap((line, i) => [line, ...(results.has(i + 1) ? ['----', ...results.get(i + 1)!] : [])])
    .join('\n');
}
