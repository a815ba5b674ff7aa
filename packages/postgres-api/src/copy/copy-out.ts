import { fail } from '@tessera/common';
import type { CopyOutCommand } from '../commands/copy-command.ts';
import type { CommandRun, Outcome } from '../session/outcome.ts';
import type { SessionState } from '../session/session-state.ts';

export async function copyOut(
  _state: SessionState,
  _command: CopyOutCommand,
  _run: CommandRun,
): Promise<Outcome> {
  return fail('NOT_SUPPORTED', { what: 'COPY TO STDOUT' });
}
