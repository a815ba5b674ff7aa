import type { TesseraError } from '@tessera/common';
import type { Draft } from './draft.ts';

/** Ends the run: running attempts are stopped, and no further event has an effect. */
export function endRun(draft: Draft, error: TesseraError | undefined): void {
  if (draft.hasEnded) return;
  for (const { stage, tasks } of draft.state.stages)
    tasks.forEach(({ status, attempt }, task) => {
      if (status === 'running') draft.effects.push({ kind: 'cancel', stage: stage.id, task, attempt });
    });
  draft.set({ end: { error } });
  draft.effects.push({ kind: 'end', error });
}
