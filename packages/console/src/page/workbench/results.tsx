import { ResultView } from '../result/result-view.tsx';
import type { Outcome, StatementRun } from '../state/outcome.ts';
import type { Tab } from '../state/tabs.ts';
import { rowsText } from '../units.ts';

interface ResultsProps {
  readonly tab: Tab;
  onShow(from: number, to: number): void;
}

/** The results of the last run of a tab: one, or a list of several with one of them shown. */
export function Results({ tab, onShow }: ResultsProps) {
  const runs = tab.runs.value;
  const shown = runs[tab.shown.value];
  if (shown === undefined) return <p class="note">Results appear here.</p>;
  return (
    <>
      {runs.length > 1 && (
        <div role="tablist" aria-label="Results" class="result-tabs">
          {runs.map((run, at) => (
            <button
              key={run}
              type="button"
              role="tab"
              aria-selected={run === shown}
              title={run.sql}
              class={`result-tab ${stateOf(run.outcome.value)}`}
              onClick={() => (tab.shown.value = at)}
            >
              <b>{at + 1}</b> {firstWords(run)} <small>{summary(run.outcome.value)}</small>
            </button>
          ))}
        </div>
      )}
      <ResultView key={shown} run={shown} onShow={onShow} />
    </>
  );
}

const firstWords = ({ sql }: StatementRun): string =>
  sql
    .replace(/^(\s*--.*\n)+/, '')
    .trim()
    .split(/\s+/)
    .slice(0, 3)
    .join(' ')
    .slice(0, 30);

const stateOf = (outcome: Outcome): string =>
  outcome.kind === 'answered' && outcome.answer.kind === 'failed' ? 'failed' : outcome.kind;

function summary(outcome: Outcome): string {
  if (outcome.kind !== 'answered') return outcome.kind === 'skipped' ? 'not run' : outcome.kind;
  const { answer } = outcome;
  if (answer.kind === 'failed') return 'failed';
  if (answer.kind === 'rows') return rowsText(answer.rows.length);
  return answer.affectedRows === null ? 'done' : rowsText(Number(answer.affectedRows));
}
