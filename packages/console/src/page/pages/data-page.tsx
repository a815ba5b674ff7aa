import type { ComponentChildren } from 'preact';
import { go } from '../state/route.ts';
import { openTab } from '../state/tabs.ts';
import type { PolledRows } from './polled-rows.ts';

export interface DataColumn<Row> {
  readonly title: string;
  readonly number?: boolean;
  /** The column takes what the others leave. */
  readonly wide?: boolean;
  /** The column stays in sight when the table is scrolled. */
  readonly fixed?: boolean;
  cell(row: Row): ComponentChildren;
}

interface DataPageProps<Row> {
  readonly title: string;
  readonly text: string;
  readonly data: PolledRows<Row>;
  readonly columns: readonly DataColumn<Row>[];
  /** What the page says if there are no rows. */
  readonly empty: string;
  readonly children?: ComponentChildren;
  keyOf(row: Row): string;
}

/** A page with a table of rows that are refreshed by themselves. */
export function DataPage<Row>({ title, text, data, columns, empty, children, keyOf }: DataPageProps<Row>) {
  const rows = data.rows.value;
  return (
    <section class="page" aria-label={title}>
      <header class="row">
        <div>
          <h2>{title}</h2>
          <p class="quiet">{text}</p>
        </div>
        <span class="gap" />
        {children}
      </header>
      {data.problem.value !== undefined && <p class="problem">{data.problem.value}</p>}
      {rows === undefined && data.problem.value === undefined && <p class="note">Asking the engine…</p>}
      {rows?.length === 0 && <p class="note">{empty}</p>}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label={title} rows={rows} columns={columns} keyOf={keyOf} />
      )}
    </section>
  );
}

interface DataTableProps<Row> extends Pick<DataPageProps<Row>, 'columns' | 'keyOf'> {
  readonly label: string;
  readonly rows: readonly Row[];
}

export const DataTable = <Row,>({ label, rows, columns, keyOf }: DataTableProps<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section class="table-scroller" aria-label={`${label}: table`} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.title} class={classOf(column)} data-title={column.title}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const classOf = ({ number, wide, fixed }: Pick<DataColumn<unknown>, 'number' | 'wide' | 'fixed'>): string =>
  `${number ? 'number' : ''} ${wide ? 'wide' : ''} ${fixed ? 'fixed' : ''}`;

/** A statement in a cell, which opens in the editor. */
export function StatementCell({ sql }: { sql: string }) {
  const open = () => {
    openTab(sql);
    go('query');
  };
  return (
    <button type="button" class="statement-cell" title={sql.slice(0, 2_000)} onClick={open}>
      <code>{sql.slice(0, 400)}</code>
    </button>
  );
}
