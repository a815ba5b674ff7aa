import { fail } from '@tessera/common';
import type { CopyInCommand } from '../commands/copy-command.ts';
import type { Outcome, StatementRun } from '../session/outcome.ts';
import type { SessionState } from '../session/session-state.ts';

export function copyIn(_state: SessionState, _command: CopyInCommand, _run: StatementRun): Outcome {
  return fail('NOT_SUPPORTED', { what: 'COPY FROM STDIN' });
}
