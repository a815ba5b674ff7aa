import type { Json } from '../codec/codec.ts';
import type { ColumnStatistics, ObjectId, Tablet, TabletId, TabletLayout } from '../model.ts';

/** Fields of a tablet that stand as one array each; a field that a tablet does not have is null. */
const FIELDS = [
  'id',
  'schemaVersion',
  'layout',
  'key',
  'sharesKey',
  'inline',
  'rows',
  'bytes',
  'uncompressedBytes',
  'granules',
  'headerOffset',
  'footerOffset',
  'tailCrc32c',
  'partition',
  'createdAt',
] as const satisfies readonly (keyof Tablet)[];

type Values = readonly Json[];

interface TabletPage {
  readonly fields: { readonly [K in (typeof FIELDS)[number]]: Values };
  /** The distinct lists of columns with statistics, and which of them each tablet has. */
  readonly columnLists: readonly (readonly number[])[];
  readonly columnListOf: readonly number[];
  readonly statistics: Readonly<
    Record<string, { readonly min: Values; readonly max: Values; readonly nulls: Values }>
  >;
}

/** Tablets of one table, by column: it compresses well, and repeats no names. */
export function tabletPage(tablets: readonly Tablet[]): Json {
  const fields = Object.fromEntries(
    FIELDS.map((field) => [field, tablets.map((tablet) => (tablet[field] as Json | undefined) ?? null)]),
  );
  const lists = new Map<string, readonly number[]>();
  const columnListOf: number[] = [];
  const statistics: Record<string, { min: Json[]; max: Json[]; nulls: Json[] }> = {};
  for (const [row, tablet] of tablets.entries()) {
    const columns = tablet.statistics.map((s) => s.column);
    const list = columns.join();
    if (!lists.has(list)) lists.set(list, columns);
    columnListOf.push([...lists.keys()].indexOf(list));
    for (const { column, min, max, nulls } of tablet.statistics) {
      const empty = () => new Array<Json>(tablets.length).fill(null);
      statistics[column] ??= { min: empty(), max: empty(), nulls: empty() };
      const values = statistics[column];
      values.min[row] = min ?? null;
      values.max[row] = max ?? null;
      values.nulls[row] = nulls;
    }
  }
  return { fields, columnLists: [...lists.values()], columnListOf, statistics };
}

/** What `tabletPage` made, as JSON gives it back. */
export function tabletsOf(json: unknown, tableId: ObjectId): readonly Tablet[] {
  const page = json as TabletPage;
  const { fields } = page;
  const columnsOf = page.columnLists.map((list) =>
    list.map((column) => ({ column, ...page.statistics[column]! })),
  );
  return fields.id.map((id, row) => {
    const statistics = columnsOf[page.columnListOf[row]!]!.map(({ column, min, max, nulls }) =>
      statisticsOf(column, min[row] as string | null, max[row] as string | null, nulls[row] as number),
    );
    const tablet: Writable<Tablet> = {
      id: id as TabletId,
      tableId,
      schemaVersion: fields.schemaVersion[row] as number,
      layout: fields.layout[row] as TabletLayout,
      rows: fields.rows[row] as number,
      bytes: fields.bytes[row] as number,
      uncompressedBytes: fields.uncompressedBytes[row] as number,
      granules: fields.granules[row] as number,
      headerOffset: fields.headerOffset[row] as number,
      footerOffset: fields.footerOffset[row] as number,
      tailCrc32c: fields.tailCrc32c[row] as number,
      partition: fields.partition[row] as Tablet['partition'],
      statistics,
      createdAt: fields.createdAt[row] as string,
    };
    if (fields.key[row] !== null) tablet.key = fields.key[row] as string;
    if (fields.sharesKey[row] !== null) tablet.sharesKey = true;
    if (fields.inline[row] !== null) tablet.inline = fields.inline[row] as string;
    return tablet;
  });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function statisticsOf(
  column: number,
  min: string | null,
  max: string | null,
  nulls: number,
): ColumnStatistics {
  if (min !== null && max !== null) return { column, min, max, nulls };
  if (min !== null) return { column, min, nulls };
  return max === null ? { column, nulls } : { column, max, nulls };
}
