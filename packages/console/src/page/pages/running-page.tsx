import { cancelQuery, type QueryId } from '../engine/request.ts';
import { tell } from '../state/notice.ts';
import { countText, secondsText, timeText } from '../units.ts';
import { type DataColumn, DataPage, StatementCell } from './data-page.tsx';
import { usePolledRows } from './polled-rows.ts';

interface RunningQuery {
  readonly query_id: QueryId;
  readonly user_name: string | null;
  readonly submitted_time: string;
  readonly duration_us: string | null;
  readonly status: string;
  readonly query_text: string;
  readonly node_name: string;
  readonly rows_read: string | null;
  readonly percent: number | null;
}

const SQL = `SELECT query_id, user_name, submitted_time, duration_us, status, query_text, node_name, rows_read, percent
FROM information_schema.engine_running_queries
WHERE query_text NOT LIKE '%information_schema.engine_running_queries%'
ORDER BY submitted_time`;

const COLUMNS: readonly DataColumn<RunningQuery>[] = [
  { title: 'Started', cell: (query) => timeText(query.submitted_time) },
  {
    title: 'For',
    number: true,
    cell: (query) => (query.duration_us === null ? '' : secondsText(Number(query.duration_us) / 1e6)),
  },
  {
    title: 'Progress',
    cell: ({ status, percent }) =>
      status === 'SUSPENDED' ? (
        'waiting'
      ) : percent === null ? (
        'running'
      ) : (
        <span class="row">
          <progress aria-label="Progress" max={100} value={percent} /> {Math.round(percent)} %
        </span>
      ),
  },
  { title: 'Rows read', number: true, cell: (query) => countText(Number(query.rows_read ?? 0)) },
  { title: 'User', cell: (query) => query.user_name },
  { title: 'Node', cell: (query) => query.node_name },
  {
    title: 'Statement',
    wide: true,
    cell: ({ query_text }) => <StatementCell sql={query_text} />,
  },
  {
    title: 'Action',
    fixed: true,
    cell: ({ query_id }) => (
      <button
        type="button"
        onClick={() => cancelQuery(query_id).then(() => tell('The engine was told to cancel it.'))}
      >
        Cancel
      </button>
    ),
  },
];

export const RunningPage = () => (
  <DataPage
    title="Running queries"
    text="Queries that run or wait on any node, refreshed every two seconds."
    data={usePolledRows<RunningQuery>(SQL)}
    columns={COLUMNS}
    empty="Nothing is running."
    keyOf={(query) => query.query_id}
  />
);
