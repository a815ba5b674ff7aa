import { useSignal } from '@preact/signals';
import { currentDatabase } from '../engine/session.ts';
import { OF_USERS } from '../state/catalog.ts';
import { bytesText, countText, partitionText, timeText } from '../units.ts';
import { type DataColumn, DataPage, DataTable } from './data-page.tsx';
import { usePolledRows } from './polled-rows.ts';

interface Table {
  readonly table_schema: string;
  readonly table_name: string;
  readonly type: string | null;
  readonly primary_index: string | null;
  readonly number_of_rows: string | null;
  readonly compressed_bytes: string | null;
  readonly compression_ratio: number | null;
  readonly number_of_tablets: string | null;
  readonly fragmentation: number | null;
}

interface Tablet {
  readonly tablet_id: string;
  readonly layout: string;
  readonly number_of_rows: string;
  readonly deleted_rows: string;
  readonly compressed_bytes: string;
  readonly granules: string;
  readonly partition: string | null;
  readonly created: string;
}

const TABLES = `SELECT table_schema, table_name, type, primary_index, number_of_rows, compressed_bytes, compression_ratio,
  number_of_tablets, fragmentation
FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND ${OF_USERS}
ORDER BY compressed_bytes DESC, table_name`;

const count = (value: string | null): string => (value === null ? '' : countText(Number(value)));

const TABLET_COLUMNS: readonly DataColumn<Tablet>[] = [
  { title: 'Tablet', cell: (tablet) => <code>{tablet.tablet_id}</code> },
  { title: 'Rows', number: true, cell: (tablet) => count(tablet.number_of_rows) },
  { title: 'Deleted', number: true, cell: (tablet) => count(tablet.deleted_rows) },
  { title: 'Size', number: true, cell: (tablet) => bytesText(Number(tablet.compressed_bytes)) },
  { title: 'Granules', number: true, cell: (tablet) => count(tablet.granules) },
  { title: 'Layout', cell: (tablet) => tablet.layout },
  { title: 'Partition', cell: (tablet) => partitionText(tablet.partition) },
  { title: 'Created', cell: (tablet) => timeText(tablet.created) },
];

/** Tables by size; a click on one shows its tablets. */
export function TablesPage() {
  const chosen = useSignal<Table | undefined>(undefined);
  const database = currentDatabase();
  const columns: readonly DataColumn<Table>[] = [
    {
      title: 'Table',
      cell: (table) => (
        <button type="button" class="plain" title="Show its tablets" onClick={() => (chosen.value = table)}>
          <b>{nameOf(table)}</b>
        </button>
      ),
    },
    { title: 'Kind', cell: (table) => table.type?.toLowerCase() ?? '' },
    { title: 'Primary index', cell: (table) => table.primary_index ?? '' },
    { title: 'Rows', number: true, cell: (table) => count(table.number_of_rows) },
    { title: 'Size', number: true, cell: (table) => bytesText(Number(table.compressed_bytes ?? 0)) },
    {
      title: 'Compression',
      number: true,
      cell: (table) => (table.compression_ratio === null ? '' : `${table.compression_ratio.toFixed(1)} ×`),
    },
    { title: 'Tablets', number: true, cell: (table) => count(table.number_of_tablets) },
    {
      title: 'Deleted rows',
      number: true,
      cell: (table) => (table.fragmentation === null ? '' : `${table.fragmentation.toFixed(1)} %`),
    },
  ];
  return (
    <>
      <DataPage
        title="Tables"
        text={`Tables of the database ${database}, the largest first. A click on a name shows the tablets.`}
        data={usePolledRows<Table>(TABLES, { database })}
        columns={columns}
        empty="No tables yet."
        keyOf={nameOf}
      />
      {chosen.value !== undefined && (
        <Tablets key={nameOf(chosen.value)} table={chosen.value} database={database} />
      )}
    </>
  );
}

function Tablets({ table, database }: { table: Table; database: string }) {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const sql = `SELECT tablet_id, layout, number_of_rows, deleted_rows, compressed_bytes, granules, partition, created
FROM information_schema.tablets
WHERE table_schema = ${literal(table.table_schema)} AND table_name = ${literal(table.table_name)}
ORDER BY created DESC LIMIT 500`;
  const { rows, problem } = usePolledRows<Tablet>(sql, { database });
  const title = `Tablets of ${nameOf(table)}`;
  return (
    <section class="page" aria-label={title}>
      <h2>{title}</h2>
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
      {rows.value?.length === 0 && <p class="note">The table has no tablets: it is empty.</p>}
      {rows.value !== undefined && rows.value.length > 0 && (
        <DataTable
          label={title}
          rows={rows.value}
          columns={TABLET_COLUMNS}
          keyOf={(tablet) => tablet.tablet_id}
        />
      )}
    </section>
  );
}

const nameOf = (table: Table): string =>
  table.table_schema === 'public' ? table.table_name : `${table.table_schema}.${table.table_name}`;
