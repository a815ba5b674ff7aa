import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Answer, Notice, RowsAnswer } from '../engine/answer.ts';
import { ROW_LIMIT } from '../engine/request.ts';
import { Icon } from '../parts/icon.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { Menu } from '../parts/menu.tsx';
import { type ExplainedPlan, readPlan } from '../plan/explained-plan.ts';
import type { Outcome, StatementRun } from '../state/outcome.ts';
import { bytesText, countText, rowsText, secondsText } from '../units.ts';
import { canExport, EXPORT_FORMATS, exportResult } from './export.ts';
import { FailureView } from './failure-view.tsx';
import { Grid } from './grid.tsx';
import { RunningView } from './running-view.tsx';

interface ResultViewProps {
  readonly run: StatementRun;
  /** Selects a range of the text of the tab. */
  onShow(from: number, to: number): void;
}

/** What became of one statement. */
export function ResultView({ run, onShow }: ResultViewProps) {
  const outcome = run.outcome.value;
  switch (outcome.kind) {
    case 'waiting':
      return <p class="note">Waits for the statements before it.</p>;
    case 'skipped':
      return <p class="note">Not run, because a statement before it did not succeed.</p>;
    case 'cancelled':
      return <p class="note">Cancelled after {secondsText(outcome.seconds)}.</p>;
    case 'running':
      return <RunningView outcome={outcome} cancel={run.cancel} />;
    case 'answered':
      return <AnswerView run={run} outcome={outcome} onShow={onShow} />;
  }
}

interface AnswerViewProps extends ResultViewProps {
  readonly outcome: Outcome & { kind: 'answered' };
}

function AnswerView({ run, outcome: { answer, seconds }, onShow }: AnswerViewProps) {
  if (answer.kind === 'failed')
    return (
      <div class="scrolled">
        {answer.failures.map((failure) => (
          <FailureView
            key={failure.description}
            failure={failure}
            statement={run}
            onShow={(start, end) => onShow(run.from + start, run.from + end)}
          />
        ))}
        <p class="note">Failed after {secondsText(seconds)}.</p>
      </div>
    );
  return (
    <>
      <Notices notices={answer.notices} />
      {answer.kind === 'done' ? (
        <p class="note">
          {doneText(answer)} <small>{secondsText(seconds)}</small>
        </p>
      ) : (
        <RowsView run={run} answer={answer} seconds={seconds} />
      )}
    </>
  );
}

function doneText({ affectedRows }: Answer & { kind: 'done' }): string {
  return affectedRows === null ? 'Done.' : `Done: ${rowsText(Number(affectedRows))} changed.`;
}

function RowsView({ run, answer, seconds }: { run: StatementRun; answer: RowsAnswer; seconds: number }) {
  const filter = useSignal('');
  const plan = useMemo(() => (answer.rows.length === 1 ? readPlan(answer.rows[0]![0]) : undefined), [answer]);
  const view = run.view.value === 'plan' && plan === undefined ? 'table' : run.view.value;
  const views = plan === undefined ? (['table', 'chart'] as const) : (['plan', 'table'] as const);
  return (
    <>
      <div class="result-bar row">
        <span class="statistics">{statisticsText(answer, seconds, plan !== undefined)}</span>
        {answer.rows.length > 0 && (
          <fieldset class="views" aria-label="View">
            {views.map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={view === name}
                onClick={() => {
                  run.view.value = name;
                }}
              >
                <Icon name={name} /> {VIEW_NAMES[name]}
              </button>
            ))}
          </fieldset>
        )}
        {view === 'table' && answer.rows.length > 1 && (
          <input
            type="search"
            placeholder="Filter rows"
            aria-label="Filter rows"
            value={filter.value}
            onInput={(event) => (filter.value = event.currentTarget.value)}
          />
        )}
        {canExport(run.sql) && (
          <Menu
            label={
              <>
                <Icon name="download" /> Export
              </>
            }
            title="Save all rows of the result as a file"
            items={EXPORT_FORMATS.map((format) => ({
              text: format.text,
              run: () => exportResult(run.sql, format),
            }))}
          />
        )}
      </div>
      {answer.rows.length === 0 ? (
        <p class="note">
          No rows. The columns are {answer.columns.map(({ name, type }) => `${name} (${type})`).join(', ')}.
        </p>
      ) : (
        <View name={view} answer={answer} plan={plan} filter={filter.value} />
      )}
    </>
  );
}

interface ViewProps {
  readonly name: 'table' | 'chart' | 'plan';
  readonly answer: RowsAnswer;
  readonly plan: ExplainedPlan | undefined;
  readonly filter: string;
}

function View({ name, answer, plan, filter }: ViewProps) {
  if (name === 'chart') return <Lazy load={loadChart} props={{ answer }} />;
  if (name === 'plan' && plan !== undefined) return <Lazy load={loadPlan} props={{ plan }} />;
  const text = textOf(answer);
  if (text === undefined) return <Grid answer={answer} filter={filter} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre tabIndex={0} class="scrolled text">
      {text}
    </pre>
  );
}

/** The only value, if it is a text of several lines, such as that of EXPLAIN, which a row of the grid would cut. */
function textOf({ columns, rows }: RowsAnswer): string | undefined {
  const value = columns.length === 1 && rows.length === 1 ? rows[0]![0] : undefined;
  return typeof value === 'string' && value.includes('\n') ? value : undefined;
}

const VIEW_NAMES = { table: 'Table', chart: 'Chart', plan: 'Plan' } as const;
const loadChart = () => import('../chart/chart-view.tsx').then((module) => module.ChartView);
const loadPlan = () => import('../plan/plan-graph.tsx').then((module) => module.PlanGraph);

const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <>
    {notices.map(({ severity, description, resolution }) => (
      <p key={description} class={`notice ${severity === 'WARNING' ? 'warning' : ''}`}>
        <b>{severity === 'WARNING' ? 'Warning' : 'Notice'}</b> {description.replace(/[^.!?]$/, '$&.')}{' '}
        {resolution}
      </p>
    ))}
  </>
);

function statisticsText({ rows, statistics }: RowsAnswer, seconds: number, isPlan: boolean): string {
  const { elapsed, rows_read, bytes_read, scanned_bytes_cache = 0, from_result_cache } = statistics;
  const limited = rows.length >= ROW_LIMIT;
  const parts = [
    isPlan ? 'Plan' : limited ? `The first ${rowsText(rows.length)}` : rowsText(rows.length),
    `${secondsText(seconds)}${elapsed === undefined ? '' : ` (engine ${secondsText(elapsed)})`}`,
  ];
  if (from_result_cache) parts.push('from the result cache');
  if (rows_read) parts.push(`${countText(rows_read)} rows read`);
  if (bytes_read) {
    const cached = Math.round((100 * Math.min(scanned_bytes_cache, bytes_read)) / bytes_read);
    parts.push(`${bytesText(bytes_read)} read${cached > 0 ? `, ${cached} % from the cache` : ''}`);
  }
  return parts.join(' · ');
}
