import type { Column, ObjectId } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import { type PreparedQuery, substituteScans } from '@tessera/sql';
import type { Scan, ScanTablet, ScanUse } from '@tessera/storage-agent';
import type { BoundQuery, BoundTable } from './bound-query.ts';
import type { TableAccess } from './table-access.ts';
import { type ChoiceScope, chooseTablets } from './tablet-choice.ts';
import { boundOfTopRows, chooseTopRows, type TopRowsScope } from './top-row-granules.ts';

export interface ScanScope extends ChoiceScope {
  /** The query, if its rows may be located in a first pass. */
  readonly query?: TopRowsScope['query'] | undefined;
}

/** The tables of a statement in readable form. */
export interface PreparedScans {
  /** The SQL of the statement, with these scans in FROM. */
  readonly sql: string;
  /** Whether all tables are read whole from memory, so that the same SQL always reads the same rows. */
  readonly isFixed: boolean;
  readonly accesses: readonly TableAccess[];
  /** The table with row position columns. */
  readonly target: { readonly tableId: ObjectId; readonly tablets: readonly ScanTablet[] } | undefined;
  release(): void;
}

/** The scan of a table that the plan does not need. */
const NOTHING: TableScan = { relation: '', columns: [], named: [], filters: [] };

/**
 * Chooses tablets and granules of every table of a binding, and lets the agent fetch missing data.
 * @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE, QUERY_CANCELLED
 */
export async function prepareScans(bound: BoundQuery, scope: ScanScope): Promise<PreparedScans> {
  const { tables, scans, prepared: query } = bound;
  const known = repeatedScans(bound, scope);
  if (known !== undefined) return known;
  const { namedColumns } = query;
  const names = [...tables.keys()];
  const settled = await Promise.allSettled(
    names.map((name) =>
      prepareTable(name, tables.get(name)!, wantedOf({ scans }, name), { ...scope, namedColumns }),
    ),
  );
  const prepared = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const release = () => {
    for (const { scan } of prepared) scan.release();
  };
  const failure = settled.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    release();
    throw failure.reason;
  }
  const sources = new Map(prepared.map(({ scan }, i) => [names[i]!, scan.sql]));
  const ready = {
    sql: substituteScans(query.sql, query.tables, sources),
    isFixed: prepared.every(({ scan }) => scan.isFixed),
    accesses: prepared.map(({ access }) => access),
    target: prepared.find(({ target }) => target !== undefined)?.target,
  };
  keepScans(bound, scope, ready, prepared);
  return { ...ready, release };
}

/** The scans of a statement that read resident tables as a whole, which the next statement with the same binding repeats. */
interface KnownScans {
  readonly isNarrow: boolean;
  readonly ready: Omit<PreparedScans, 'release'>;
  /** The tables, with the versions of their contents. */
  readonly read: readonly { readonly id: ObjectId; readonly version: number; readonly scan: Scan }[];
}

const knownScans = new WeakMap<BoundQuery, KnownScans>();

function keepScans(
  bound: BoundQuery,
  { snapshot, isNarrow }: ScanScope,
  ready: KnownScans['ready'],
  prepared: readonly PreparedTable[],
): void {
  const isRepeatable = prepared.every(
    ({ scan, target, isOfRows }) => scan.again !== undefined && target === undefined && !isOfRows,
  );
  if (!isRepeatable) return;
  const read = [...bound.tables.values()].map(({ table: { id } }, i) => ({
    id,
    version: snapshot.contentsVersion(id),
    scan: prepared[i]!.scan,
  }));
  knownScans.set(bound, { isNarrow, ready, read });
}

/**
 * The same scans as those of an earlier statement, if it read everything from memory and the contents of its tables are the same:
 * choosing what to read would then choose the same.
 */
function repeatedScans(
  bound: BoundQuery,
  { session, snapshot, isNarrow, signal }: ScanScope,
): PreparedScans | undefined {
  const known = knownScans.get(bound);
  if (known?.isNarrow !== isNarrow || signal.aborted) return undefined;
  const scans: Scan[] = [];
  const release = () => {
    for (const scan of scans) scan.release();
  };
  for (const { id, version, scan } of known.read) {
    const again = snapshot.contentsVersion(id) === version ? scan.again!(session) : undefined;
    if (again === undefined) {
      release();
      knownScans.delete(bound);
      return undefined;
    }
    scans.push(again);
  }
  return { ...known.ready, release };
}

interface PreparedTable {
  readonly scan: Scan;
  readonly access: TableAccess;
  readonly target: PreparedScans['target'];
  /** Whether it reads some rows only, as a first pass over them has shown. */
  readonly isOfRows: boolean;
}

async function prepareTable(
  name: string,
  bound: BoundTable,
  wanted: TableScan | undefined,
  scope: ScanScope & Pick<PreparedQuery, 'namedColumns'>,
): Promise<PreparedTable> {
  const { table, rowPositions } = bound;
  const choice = await chooseTablets(bound, wanted, scope);
  const { selection, access } = choice;
  const { contents, tabletsTotal } = selection;
  const topScope = scope.query && { ...scope, query: scope.query, name };
  const top = topScope && (await chooseTopRows(table, choice, topScope));
  const keyBound = topScope && (await boundOfTopRows(table, choice, topScope));
  const { tablets } = top ?? choice;
  const isWhole = top === undefined && tablets.length === tabletsTotal && access.granulesPruned === 0;
  const unbounded = await scope.agent.prepareScan({
    session: scope.session,
    table,
    tablets,
    wholeTableAt: isWhole ? contents.version : undefined,
    // With contents, a resident table may return rows of other tablets too, which partial rows summarise.
    contents: table.uncoveredBy === undefined ? contents : undefined,
    columns: selection.columns.map(({ id }) => id),
    counted: wanted === undefined ? countedColumns(selection.columns, scope.namedColumns) : undefined,
    unnamed: selection.unnamed.map(({ id }) => id),
    omitted: omittedColumns(table.columns, wanted, scope.namedColumns),
    rowPositions,
    signal: scope.signal,
  });
  const scan =
    keyBound === undefined
      ? unbounded
      : { ...unbounded, sql: `(SELECT * FROM ${unbounded.sql} WHERE ${keyBound})` };
  return {
    scan,
    access: {
      ...access,
      use: top === undefined ? scan.use : both(top.use, scan.use),
      isLate: top !== undefined || keyBound !== undefined,
      source: scan.sql,
    },
    target: rowPositions ? { tableId: table.id, tablets } : undefined,
    isOfRows: top !== undefined || keyBound !== undefined,
  };
}

/** The sum of two passes over the same tablets. */
const both = (first: ScanUse, second: ScanUse): ScanUse => ({
  tablets: first.tablets,
  bytesFetched: first.bytesFetched + second.bytesFetched,
  bytesCached: first.bytesCached + second.bytesCached,
  tabletsHot: second.tabletsHot,
  read: {
    // The second pass reads some rows of the first one again.
    rows: first.read.rows,
    bytes: first.read.bytes + second.read.bytes,
    bytesFromStorage: first.read.bytesFromStorage + second.read.bytesFromStorage,
  },
});

/** Without a plan, the scan requests all columns; those that the statement names count as read. */
const countedColumns = (
  columns: readonly Column[],
  named: ReadonlySet<string> | undefined,
): readonly number[] =>
  columns.filter(({ name }) => named?.has(name.toLowerCase()) ?? true).map(({ id }) => id);

/** Names of columns that a relation may have besides those of its table: those of resident tables, and the kernel's row ids. */
const HIDDEN_COLUMN = /^(?:\$.*|rowid)$/;

/**
 * The ids of the columns that neither the text nor the plan names. Undefined if the query may depend on columns without naming them, or
 * if it names a column that a relation may have in addition.
 */
function omittedColumns(
  columns: readonly Column[],
  wanted: TableScan | undefined,
  named: ReadonlySet<string> | undefined,
): readonly number[] | undefined {
  if (named === undefined || [...named].some((name) => HIDDEN_COLUMN.test(name))) return undefined;
  const isNamed = ({ name }: Column) => named.has(name.toLowerCase()) || wanted?.named.includes(name);
  return columns.filter((column) => !isNamed(column)).map(({ id }) => id);
}

/** The scan of a table according to the plan. */
export const wantedOf = ({ scans }: Pick<BoundQuery, 'scans'>, name: string): TableScan | undefined =>
  scans === undefined ? undefined : (scans.get(name) ?? NOTHING);
