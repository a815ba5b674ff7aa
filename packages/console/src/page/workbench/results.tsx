import { useEffect, useRef } from 'preact/hooks';
import { tabStep } from '../parts/tab-step.ts';
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
      {runs.length > 1 && <ResultTabs tab={tab} />}
      <ResultView key={shown} run={shown} onShow={onShow} />
    </>
  );
}

function ResultTabs({ tab }: { tab: Tab }) {
  const list = useRef<HTMLDivElement>(null);
  const runs = tab.runs.value;
  const shown = tab.shown.value;
  useEffect(() => {
    list.current?.children[shown]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = tabStep(event, shown, runs.length);
    if (next === undefined) return;
    tab.shown.value = next;
    const button = list.current?.children[next];
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label="Results" class="result-tabs" onKeyDown={onKeyDown}>
      {runs.map((run, at) => (
        <button
          key={run}
          type="button"
          role="tab"
          aria-selected={at === shown}
          tabIndex={at === shown ? 0 : -1}
          title={run.sql.slice(0, 2_000)}
          class={`result-tab ${stateOf(run.outcome.value)}`}
          onClick={() => (tab.shown.value = at)}
        >
          <b>{at + 1}</b> {firstWords(run)} <small>{summary(run.outcome.value)}</small>
        </button>
      ))}
    </div>
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
