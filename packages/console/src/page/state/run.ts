import { batch, signal } from '@preact/signals';
import type { Answer } from '../engine/answer.ts';
import { send } from '../engine/request.ts';
import { partsOf } from './files.ts';
import { addToHistory } from './history.ts';
import type { Outcome, Statement, StatementRun } from './outcome.ts';
import { type Progress, watchProgress } from './progress.ts';
import type { Tab } from './tabs.ts';

export const isRunning = (tab: Tab): boolean =>
  tab.runs.value.some(({ outcome }) => ['running', 'waiting'].includes(outcome.value.kind));

/** Runs statements one after the other. The first that does not succeed ends the run. */
export async function runStatements(
  tab: Tab,
  statements: readonly Statement[],
  view: 'table' | 'plan' = 'table',
): Promise<void> {
  if (statements.length === 0 || isRunning(tab)) return;
  let cancelled = false;
  let cancelRunning = () => {};
  const cancel = () => {
    cancelled = true;
    cancelRunning();
  };
  const runs = statements.map(
    (statement): StatementRun => ({
      ...statement,
      outcome: signal<Outcome>({ kind: 'waiting' }),
      view: signal(view),
      cancel,
    }),
  );
  batch(() => {
    tab.runs.value = runs;
    tab.shown.value = 0;
  });
  let ended = false;
  for (const [at, run] of runs.entries()) {
    if (ended || cancelled) {
      run.outcome.value = { kind: 'skipped' };
      continue;
    }
    // The result that is looked at follows the run, unless the user has chosen another one.
    if (tab.shown.value === at - 1) tab.shown.value = at;
    addToHistory(run.sql, Date.now());
    const since = performance.now();
    const query = start(run, since);
    cancelRunning = query.cancel;
    const answer = await query.finished;
    const seconds = (performance.now() - since) / 1000;
    ended = answer.kind === 'failed';
    run.outcome.value =
      cancelled && ended ? { kind: 'cancelled', seconds } : { kind: 'answered', answer, seconds };
  }
}

function start(run: StatementRun, since: number): { finished: Promise<Answer>; cancel(): void } {
  const parts = partsOf(run.sql);
  const running = (more: { sent?: number; progress?: Progress }) => {
    const now = run.outcome.peek();
    run.outcome.value = { ...(now.kind === 'running' ? now : { kind: 'running', since, sent: 1 }), ...more };
  };
  running({ sent: parts.length > 0 ? 0 : 1 });
  const query = send(run.sql, parts, (sent) => running({ sent }));
  const stopWatching = watchProgress(query.id, (progress) => running({ progress }));
  return {
    finished: query.finished.finally(stopWatching),
    cancel: query.cancel,
  };
}
