import { TesseraError } from '@tessera/common';
import type { ParsedStatement } from '../statements/parsed-statement.ts';
import type { Outcome, StatementRun } from './outcome.ts';
import type { SessionState } from './session-state.ts';

/** Starts a statement whose text came with an earlier one: its errors have no place in what the client sent now. */
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
