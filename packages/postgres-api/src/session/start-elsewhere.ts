import { TesseraError } from '@tessera/common';
import type { ParsedStatement } from '../statements/parsed-statement.ts';
import type { Outcome, StatementRun } from './outcome.ts';
import type { SessionState } from './session-state.ts';

/**
 * Starts a statement whose text arrived in an earlier message. Its errors have no position in the current
 * message.
 */
export async function startElsewhere(
  state: SessionState,
  parsed: ParsedStatement,
  run: StatementRun,
): Promise<Outcome> {
  try {
    return await state.start(parsed, run);
  } catch (error) {
    throw error instanceof TesseraError ? error.with({ location: undefined }) : error;
  }
}
