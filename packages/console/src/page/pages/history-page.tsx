import { useSignal } from '@preact/signals';
import type { QueryId } from '../engine/request.ts';
import { bytesText, countText, secondsText, timeText } from '../units.ts';
import { type DataColumn, DataPage, StatementCell } from './data-page.tsx';
import { usePolledRows } from './polled-rows.ts';

interface FinishedQuery {
  readonly query_id: QueryId;
  readonly user_name: string | null;
  readonly submitted_time: string;
  readonly duration_us: string | null;
  readonly status: 'ENDED_SUCCESSFULLY' | 'FAILED' | 'CANCELED';
  readonly query_text: string;
  readonly scanned_bytes: string | null;
  readonly returned_rows: string | null;
  readonly error_message: string | null;
}

const STATUS = { ENDED_SUCCESSFULLY: 'done', FAILED: 'failed', CANCELED: 'cancelled' } as const;

const COLUMNS: readonly DataColumn<FinishedQuery>[] = [
  { title: 'Started', cell: (query) => timeText(query.submitted_time) },
  {
    title: 'Took',
    number: true,
    cell: (query) => (query.duration_us === null ? '' : secondsText(Number(query.duration_us) / 1e6)),
  },
  {
    title: 'Status',
    cell: ({ status }) => <span class={`status ${STATUS[status]}`}>{STATUS[status] ?? status}</span>,
  },
  { title: 'Rows', number: true, cell: (query) => countText(Number(query.returned_rows ?? 0)) },
  { title: 'Read', number: true, cell: (query) => bytesText(Number(query.scanned_bytes ?? 0)) },
  { title: 'User', cell: (query) => query.user_name },
  {
    title: 'Statement',
    wide: true,
    cell: ({ query_text, error_message }) => (
      <>
        <StatementCell sql={query_text} />
        {error_message !== null && <p class="problem">{error_message}</p>}
      </>
    ),
  },
];

export function HistoryPage() {
  const search = useSignal('');
  const failedOnly = useSignal(false);
  const literal = `'%${search.value.replaceAll("'", "''").replaceAll(/[\\%_]/g, '\\$&')}%'`;
  const conditions = [
    search.value === '' ? '' : `AND query_text ILIKE ${literal}`,
    failedOnly.value ? `AND status <> 'ENDED_SUCCESSFULLY'` : '',
  ];
  const sql = `SELECT query_id, user_name, submitted_time, duration_us, status, query_text, scanned_bytes, returned_rows, error_message
FROM information_schema.engine_user_query_history
WHERE true ${conditions.join(' ')}
ORDER BY submitted_time DESC
LIMIT 200`;
  return (
    <DataPage
      title="Query history"
      text="The latest 200 queries that have ended. Those that clients and this console send on their own are left out."
      data={usePolledRows<FinishedQuery>(sql)}
      columns={COLUMNS}
      empty="No finished query matches."
      keyOf={(query) => `${query.query_id} ${query.submitted_time}`}
    >
      <label class="row">
        <input
          type="checkbox"
          checked={failedOnly.value}
          onChange={(event) => {
            failedOnly.value = event.currentTarget.checked;
          }}
        />
        Failed and cancelled only
      </label>
      <input
        type="search"
        placeholder="Find in statements"
        aria-label="Find in statements"
        value={search.value}
        onChange={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
    </DataPage>
  );
}
