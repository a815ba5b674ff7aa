import type { HotScan, HotTier, WholeScan } from './hot/hot-tier.ts';
import type { ResidentTableUpdates } from './hot/resident-table-updates.ts';
import type { TableContents } from './hot/table-demand.ts';
import type { LocalTablet } from './local/local-tablets.ts';
import type { TabletFiles } from './local/tablet-files.ts';
import { fileScans, neededRows, type ReadableTablet } from './scan/file-scan.ts';
import { withFewRuns } from './scan/granule-runs.ts';
import { emptyRelation, type RelationShape, unionOf } from './scan/relation-sql.ts';
import { difference, type RowRange, rowsIn } from './scan/row-ranges.ts';
import { absentRows, granulesIn, rowsOf, storedBytes, withTabletsOnce } from './scan/scan-rows.ts';
import { columnsWithKey, granulesWithKeys, rowsWithKeys } from './scan/tablet-keys.ts';
import type { DeletedPositions, VectorCache } from './scan/vector-cache.ts';
import type { Scan, ScanRequest, ScanTablet } from './storage-agent.ts';

/** A tablet of a scan, and which of its granules the scan asked for before its keys left some out. */
interface OpenedTablet extends ReadableTablet {
  readonly asked: ScanTablet;
}

/** Builds relations over tablets: from memory where possible, from files for the rest. */
export class TabletScans {
  readonly #files: TabletFiles;
  readonly #hot: HotTier;
  readonly #updates: ResidentTableUpdates;
  readonly #vectors: VectorCache;

  constructor(files: TabletFiles, hot: HotTier, updates: ResidentTableUpdates, vectors: VectorCache) {
    this.#files = files;
    this.#hot = hot;
    this.#updates = updates;
    this.#vectors = vectors;
  }

  async prepare(request: ScanRequest): Promise<Scan> {
    const ended = this.#updates.scanBegins();
    try {
      return ending(await this.#prepare(request), ended);
    } catch (error) {
      ended();
      throw error;
    }
  }

  async #prepare(asked: ScanRequest): Promise<Scan> {
    const request = asked.rowPositions ? asked : { ...asked, tablets: withTabletsOnce(asked.tablets) };
    const { session, table, tablets, columns, rowPositions, share } = request;
    const read = new Set(columns);
    const omitted = new Set(
      request.isNarrow === true && read.size > 0
        ? table.columns.map(({ id }) => id).filter((id) => !read.has(id))
        : request.omitted,
    );
    const hasNulls = request.isNarrow === true && read.size === 0;
    const unnamed = hasNulls
      ? new Set(table.columns.map(({ id }) => id))
      : request.unnamed && new Set(request.unnamed);
    const mayHaveMore = request.isNarrow !== true && request.omitted !== undefined;
    const shape: RelationShape = { table, read, unnamed, omitted, mayHaveMore, rowPositions };
    const contents = contentsOf(request);
    const counted = request.counted ?? columns;
    const hotRequest = { session, shape, tablets, counted, contentsVersion: contents?.version, share };
    const whole = this.#hot.whole(hotRequest);
    if (whole !== undefined) return this.#wholeScan(whole, tablets.length);
    // The demand is recorded first, so that this scan already reads what is loaded meanwhile.
    if (contents !== undefined && request.once !== true)
      this.#hot.want(hotRequest, contents, request.wholeTableAt !== undefined);
    const [deleted, windows] = await Promise.all([this.#deletedRows(tablets), this.#windows(request)]);
    const absent = new Map(
      [...tablets.entries()]
        .filter(([position, { rows }]) => rows !== undefined || deleted.has(position))
        .map(([position, scan]) => {
          const window = windows.get(position);
          const gone = deleted.get(position);
          return [position, absentRows(scan, (window ? gone?.within(window) : gone?.all()) ?? [])] as const;
        }),
    );
    const hot = this.#hot.partial(hotRequest, absent, windows);
    try {
      return await this.#withFiles(request, shape, deleted, hot);
    } catch (error) {
      hot?.release();
      throw error;
    }
  }

  #wholeScan({ sql, read, release, again }: WholeScan, tablets: number): Scan {
    return {
      sql,
      isFixed: true,
      use: {
        tablets,
        bytesFetched: 0,
        bytesCached: read.bytes,
        tabletsHot: tablets,
        read: { ...read, bytesFromStorage: 0 },
      },
      release,
      again: (session) => {
        const whole = again(session);
        return whole && ending(this.#wholeScan(whole, tablets), this.#updates.scanBegins());
      },
    };
  }

  async #withFiles(
    request: ScanRequest,
    shape: RelationShape,
    deleted: ReadonlyMap<number, DeletedPositions>,
    hot: HotScan | undefined,
  ): Promise<Scan> {
    const rest = [...request.tablets.entries()].filter(([position]) => hot?.tablets.has(position) !== true);
    const readable = await this.#readable(request, rest, deleted);
    const branches = [...(hot === undefined ? [] : [hot.sql]), ...fileScans(shape, readable)];
    return {
      sql: branches.length === 0 ? emptyRelation(shape) : unionOf(branches),
      isFixed: false,
      use: {
        tablets: request.tablets.length,
        bytesFetched: sum(readable, (local) => local.bytesFetched),
        bytesCached: sum(readable, (local) => local.bytesCached) + (hot?.read.bytes ?? 0),
        tabletsHot: hot?.tablets.size ?? 0,
        read: {
          rows: readable.reduce((n, tablet) => n + liveRowsOf(tablet), hot?.read.rows ?? 0),
          bytes: readable.reduce((n, tablet) => n + bytesRead(tablet, request.columns), hot?.read.bytes ?? 0),
          bytesFromStorage: readable.reduce(
            (n, tablet) => n + Math.min(bytesRead(tablet, request.columns), tablet.local.bytesFetched),
            0,
          ),
        },
      },
      release: () => {
        hot?.release();
        for (const { local } of readable) local.release();
      },
    };
  }

  async #readable(
    { table, columns, signal }: ScanRequest,
    tablets: readonly (readonly [number, ScanTablet])[],
    deleted: ReadonlyMap<number, DeletedPositions>,
  ): Promise<OpenedTablet[]> {
    const scans = withFewRuns(tablets.map(([, scan]) => scan));
    const acquired = await Promise.allSettled(
      tablets.map(async ([position], i): Promise<OpenedTablet> => {
        const scan = scans[i]!;
        const { tablet } = scan;
        const { keys } = scan;
        const isWhole = scan.granules === undefined && scan.rows === undefined && keys === undefined;
        const header = isWhole ? undefined : await this.#files.header({ table, tablet }, signal);
        const needed = header && keys ? granulesWithKeys(table, header, keys, scan.granules) : scan.granules;
        const granules = header && granulesIn(rowsOf(scan), header.granuleRows, needed);
        const local = await this.#files.acquire(
          { table, tablet, columns: columnsWithKey(columns, keys), granules },
          signal,
        );
        const part = { ...scan, granules };
        return {
          scan: part,
          asked: scan,
          position,
          local,
          header,
          deleted: deleted.get(position)?.all() ?? [],
        };
      }),
    );
    const failure = acquired.find((result) => result.status === 'rejected');
    const readable = acquired.filter((result) => result.status === 'fulfilled').map((result) => result.value);
    if (failure === undefined) return readable;
    for (const { local } of readable) local.release();
    throw failure.reason;
  }

  /**
   * For each tablet of which only some granules are needed, the rows from the first to the last of them. A statement about
   * single rows thus depends on the deleted rows near them, not on all deleted rows of the tablet.
   */
  async #windows({ table, tablets, signal }: ScanRequest): Promise<ReadonlyMap<number, RowRange>> {
    const partial = [...tablets.entries()].filter(
      ([, { granules = [], rows, keys }]) => granules.length > 0 && rows === undefined && keys === undefined,
    );
    return new Map(
      await Promise.all(
        partial.map(async ([position, scan]) => {
          const header = await this.#files.header({ table, tablet: scan.tablet }, signal);
          const ranges = neededRows({ scan, header });
          return [position, { from: ranges[0]!.from, to: ranges.at(-1)!.to }] as const;
        }),
      ),
    );
  }

  async #deletedRows(tablets: readonly ScanTablet[]): Promise<ReadonlyMap<number, DeletedPositions>> {
    const withVectors = [...tablets.entries()].filter(([, scan]) => scan.vector !== undefined);
    return new Map(
      await Promise.all(
        withVectors.map(
          async ([position, scan]) => [position, await this.#vectors.deletedRows(scan)] as const,
        ),
      ),
    );
  }
}

/** The committed contents of the table. */
function contentsOf({ contents, wholeTableAt, tablets, share }: ScanRequest): TableContents | undefined {
  if (contents !== undefined && contents.version > 0) return { ...contents, share };
  return wholeTableAt !== undefined && wholeTableAt > 0
    ? { version: wholeTableAt, share, tablets: () => tablets }
    : undefined;
}

/** The scan, with a `release` that also calls `ended`, and does so once. */
const ending = (scan: Scan, ended: () => void): Scan => ({
  ...scan,
  release: once(() => {
    scan.release();
    ended();
  }),
});

/**
 * The number of rows in the needed granules, without deleted ones. A scan of some keys counts a fraction of them, whichever granules
 * have its keys: so the parts of all nodes add up to what one node would read.
 */
function liveRowsOf({ asked, header, deleted }: OpenedTablet): number {
  return rowsWithKeys(asked, rowsIn(difference(neededRows({ scan: asked, header }), deleted)));
}

/**
 * The stored bytes of the requested columns, counted as the rows are. The key column that selects rows only counts if it was
 * requested.
 */
function bytesRead({ scan, asked, local, header }: OpenedTablet, columns: readonly number[]): number {
  if (header === undefined) return local.bytesNeeded;
  const bytes = storedBytes(header, asked.keys === undefined ? scan.granules : asked.granules, asked);
  return columns.reduce((n, id) => n + (bytes.get(id) ?? 0), 0);
}

const sum = (tablets: readonly OpenedTablet[], bytes: (local: LocalTablet) => number): number =>
  tablets.reduce((total, { local }) => total + bytes(local), 0);

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
