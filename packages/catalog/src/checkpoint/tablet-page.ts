import type { Json } from '../codec/codec.ts';
import type { ColumnStatistics, ObjectId, Tablet, TabletId, TabletLayout } from '../model.ts';

/** A character that JSON need not escape and that hardly any text has. */
const SEPARATOR = '\u007f';
const ABSENT = '~';

/**
 * Texts as one text, which is read several times faster than an array of them; as an array where one of them has the
 * separator or is what stands for an absent one.
 */
export function textColumn(texts: readonly (string | undefined)[]): Json {
  const plain = texts.every((text) => text === undefined || (text !== ABSENT && !text.includes(SEPARATOR)));
  return plain ? texts.map((text) => text ?? ABSENT).join(SEPARATOR) : texts.map((text) => text ?? null);
}

/** Absent ones are `undefined`. The column has at least one text. */
export function textsOf(column: Json): readonly (string | undefined)[] {
  if (typeof column !== 'string')
    return (column as readonly (string | null)[]).map((text) => text ?? undefined);
  const texts: (string | undefined)[] = column.split(SEPARATOR);
  if (column.includes(ABSENT))
    for (const [i, text] of texts.entries()) if (text === ABSENT) texts[i] = undefined;
  return texts;
}

/** Fields of every tablet that stand as one array each. */
const FIELDS = [
  'schemaVersion',
  'layout',
  'rows',
  'bytes',
  'uncompressedBytes',
  'granules',
  'headerOffset',
  'footerOffset',
  'tailCrc32c',
  'partition',
] as const satisfies readonly (keyof Tablet)[];

/** Fields that are text, absent in some tablets. */
const TEXTS = ['id', 'key', 'inline', 'createdAt'] as const satisfies readonly (keyof Tablet)[];

interface StatisticsColumns {
  readonly min: Json;
  readonly max: Json;
  readonly nulls: readonly (number | null)[];
  /** Absent where no tablet has the count, as in checkpoints of earlier versions. */
  readonly distinct?: readonly (number | null)[];
}

type PartialRow = readonly [
  row: number,
  tableId: ObjectId,
  tabletId: TabletId,
  /** Null if the field is absent. */
  deletedRows: number | null,
];

interface TabletPage {
  readonly fields: { readonly [K in (typeof FIELDS)[number]]: readonly Tablet[K][] };
  readonly texts: { readonly [K in (typeof TEXTS)[number]]: Json };
  /** Rows of the tablets with `sharesKey`. */
  readonly sharing: readonly number[];
  /** Rows of the tablets with `partialOf`, and its fields. Absent where there is none. */
  readonly partials?: readonly PartialRow[];
  /** The distinct lists of columns with statistics, and which of them each tablet has. */
  readonly columnLists: readonly (readonly number[])[];
  readonly columnListOf: readonly number[];
  readonly statistics: Readonly<Record<string, StatisticsColumns>>;
}

/** Encodes one or more tablets of a table column by column, which compresses well and does not repeat names. */
export function tabletPage(tablets: readonly Tablet[]): Json {
  const lists = new Map<string, number>();
  const columnListOf = tablets.map(({ statistics }) => {
    const list = JSON.stringify(statistics.map((one) => one.column));
    if (!lists.has(list)) lists.set(list, lists.size);
    return lists.get(list)!;
  });
  return {
    fields: Object.fromEntries(FIELDS.map((field) => [field, tablets.map((tablet) => tablet[field])])),
    texts: Object.fromEntries(
      TEXTS.map((field) => [field, textColumn(tablets.map((tablet) => tablet[field]))]),
    ),
    sharing: tablets.flatMap((tablet, row) => (tablet.sharesKey ? [row] : [])),
    ...(tablets.some(({ partialOf }) => partialOf !== undefined) && { partials: partialRows(tablets) }),
    columnLists: [...lists.keys()].map((list) => JSON.parse(list) as number[]),
    columnListOf,
    statistics: statisticsColumns(tablets),
  };
}

const partialRows = (tablets: readonly Tablet[]): Json =>
  tablets.flatMap(({ partialOf: of }, row) =>
    of === undefined ? [] : [[row, of.tableId, of.tabletId, of.deletedRows ?? null]],
  );

function statisticsColumns(tablets: readonly Tablet[]): Json {
  const gathered = new Map<number, (ColumnStatistics | undefined)[]>();
  for (const [row, { statistics }] of tablets.entries())
    for (const one of statistics) {
      if (!gathered.has(one.column)) gathered.set(one.column, new Array(tablets.length).fill(undefined));
      gathered.get(one.column)![row] = one;
    }
  const columns = [...gathered].map(([column, ones]) => [
    column,
    {
      min: textColumn(ones.map((one) => one?.min)),
      max: textColumn(ones.map((one) => one?.max)),
      nulls: ones.map((one) => one?.nulls ?? null),
      ...(ones.some((one) => one?.distinct !== undefined) && {
        distinct: ones.map((one) => one?.distinct ?? null),
      }),
    },
  ]);
  return Object.fromEntries(columns) as Json;
}

/** Decodes the parsed JSON of a page written by `tabletPage`. */
export function tabletsOf(json: unknown, tableId: ObjectId): readonly Tablet[] {
  const { fields, texts, sharing, columnListOf, ...page } = json as TabletPage;
  const [ids, keys, inlines, createdAts] = TEXTS.map((field) => textsOf(texts[field])) as Texts[];
  const columns = new Map(
    Object.entries(page.statistics).map(([column, { min, max, nulls, distinct = [] }]) => [
      Number(column),
      { column: Number(column), min: textsOf(min), max: textsOf(max), nulls, distinct },
    ]),
  );
  const columnLists = page.columnLists.map((list) => list.map((column) => columns.get(column)!));
  const shared = new Set(sharing);
  const partials = new Map(page.partials?.map(([row, ...of]) => [row, of] as const));
  return fields.rows.map((rows, row) => {
    const tablet: Writable<Tablet> = {
      id: ids![row] as TabletId,
      tableId,
      schemaVersion: fields.schemaVersion[row]!,
      layout: fields.layout[row] as TabletLayout,
      rows,
      bytes: fields.bytes[row]!,
      uncompressedBytes: fields.uncompressedBytes[row]!,
      granules: fields.granules[row]!,
      headerOffset: fields.headerOffset[row]!,
      footerOffset: fields.footerOffset[row]!,
      tailCrc32c: fields.tailCrc32c[row]!,
      partition: fields.partition[row]!,
      statistics: columnLists[columnListOf[row]!]!.map(({ column, min, max, nulls, distinct }) =>
        statisticsOf(column, min[row], max[row], nulls[row]!, distinct[row] ?? undefined),
      ),
      createdAt: createdAts![row]!,
    };
    const [key, inline] = [keys![row], inlines![row]];
    if (key !== undefined) tablet.key = key;
    if (shared.has(row)) tablet.sharesKey = true;
    const of = partials.get(row);
    if (of !== undefined) {
      const [summarised, tabletId, deletedRows] = of;
      tablet.partialOf = { tableId: summarised, tabletId, ...(deletedRows === null ? {} : { deletedRows }) };
    }
    if (inline !== undefined) tablet.inline = inline;
    return tablet;
  });
}

type Texts = readonly (string | undefined)[];
type Writable<T> = { -readonly [K in keyof T]: T[K] };

function statisticsOf(
  column: number,
  min: string | undefined,
  max: string | undefined,
  nulls: number,
  distinct: number | undefined,
): ColumnStatistics {
  const statistics: Writable<ColumnStatistics> = { column, nulls };
  if (min !== undefined) statistics.min = min;
  if (max !== undefined) statistics.max = max;
  if (distinct !== undefined) statistics.distinct = distinct;
  return statistics;
}
