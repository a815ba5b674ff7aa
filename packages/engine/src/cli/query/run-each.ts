import { CommandFailure, EXIT } from '../exit-code.ts';
import { type QueryRequest, runQuery } from './run-query.ts';
import { adoptSession } from './session-changes.ts';
import type { Streams } from './streams.ts';

/**
 * Runs statements one after the other in one session and goes on after one that fails.
 * @throws CommandFailure at the end if any failed, and at once if the server cannot be reached or `interrupt` aborts
 */
export async function runEach(query: QueryRequest, io: Streams, interrupt: AbortSignal): Promise<void> {
  const { splitStatements } = await import('@tessera/sql');
  const parameters = new Map(Object.entries(query.settings));
  const statements = splitStatements(query.sql);
  let failures = 0;
  for (const { text: sql } of statements) {
    const settings = Object.fromEntries(parameters);
    const onHeaders = (headers: Parameters<typeof adoptSession>[1]) => adoptSession(parameters, headers);
    try {
      await runQuery({ ...query, sql, settings, onHeaders }, io, interrupt);
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.queryError) throw error;
      io.stderr.write(`${error.message}\n`);
      failures += 1;
    }
  }
  if (failures > 0)
    throw new CommandFailure(EXIT.queryError, `${failures} of ${statements.length} statements failed`);
}
