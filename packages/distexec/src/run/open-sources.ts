import { cancellation, TesseraError, traced } from '@tessera/common';
import type { FileOpener, FileSource, InSession } from '@tessera/file-scan';
import type { KernelSession } from '@tessera/kernel';
import type { Shuffle } from '@tessera/shuffle';
import type { ReadCounts, StorageAgent } from '@tessera/storage-agent';
import type {
  ExchangeBlocks,
  KeyFilter,
  OpenedSources,
  TableScan,
  Task,
  TaskSource,
  TaskToOpen,
} from '../dist-exec.ts';
import { keyConditions } from './key-filters.ts';

export interface SourceServices {
  readonly agent: StorageAgent;
  readonly shuffle: Shuffle;
  /** If undefined, the node cannot read files outside the managed store. */
  readonly files?: FileOpener | undefined;
}

/** A source in the form for FROM, with the work that opening it took. */
export interface SourceRelation {
  /** The relation, for FROM. */
  readonly sql: string;
  /** The rows of an exchange. */
  readonly fetchedRows?: number | undefined;
  /** See `Scan.isFixed`. */
  readonly isFixed?: boolean;
}

/** The sources of a task, with the relation of each by position. */
export interface OpenedTask extends OpenedSources {
  readonly relations: readonly SourceRelation[];
}

interface OpenedSource extends SourceRelation {
  readonly fetchedBytes?: number;
  readonly spilledBytes?: number;
  readonly storageBytesFetched?: number;
  readonly storageBytesCached?: number;
  readonly read?: ReadCounts;
  release?(): void;
}

/**
 * Makes the sources of a task readable in a session. If one fails, the others are released.
 * @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE, FETCH_FAILED, PARTITION_MISMATCH,
 * QUERY_CANCELLED, …
 */
export async function openSources(
  task: TaskToOpen,
  session: KernelSession,
  signal: AbortSignal,
  services: SourceServices,
): Promise<OpenedTask> {
  if (signal.aborted) throw cancellation(signal);
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  let failure: { readonly error: unknown } | undefined;
  // A session accepts one call at a time.
  let lastCall: Promise<unknown> = Promise.resolve();
  const opening = task.sources.map(async (source): Promise<OpenedSource | undefined> => {
    const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
      const called = lastCall.then(call);
      lastCall = called.catch(() => undefined);
      return called;
    };
    try {
      if (source.kind === 'exchange')
        return await inTurn(() => fetchBlocks(source, session, either, services, task.profiled));
      if (source.kind === 'files')
        return await scanFiles(source, (call) => inTurn(() => call(session)), either, services);
      const opened = await openAtOnce(source, session, either, services);
      if (source.kind !== 'scan' || source.keyFilters === undefined) return opened;
      const { keyFilters } = source;
      return await inTurn(() => withKeyFilters(opened, session, keyFilters));
    } catch (error) {
      failure ??= { error };
      failing.abort(error);
      return undefined;
    }
  });
  const opened = (await Promise.all(opening)).filter((source) => source !== undefined);
  if (failure === undefined) return together(task, opened);
  for (const source of opened) source.release?.();
  throw failure.error;
}

function openAtOnce(
  source: Exclude<TaskSource, ExchangeBlocks | FileSource>,
  session: KernelSession,
  signal: AbortSignal,
  { agent }: SourceServices,
): Promise<OpenedSource> | OpenedSource {
  switch (source.kind) {
    case 'session':
      return { sql: source.sql };
    case 'scan':
      return scanTable(source, session, signal, agent);
  }
}

async function scanFiles(
  source: FileSource,
  inSession: InSession,
  signal: AbortSignal,
  { files }: SourceServices,
): Promise<OpenedSource> {
  if (files === undefined)
    throw TesseraError.of('NOT_SUPPORTED', { what: 'Reading files in tasks of this node' });
  const { sql, read, release } = await files.open(source, inSession, signal);
  return { sql, read: { ...read, bytesFromStorage: 0 }, release };
}

async function scanTable(
  source: TableScan,
  session: KernelSession,
  signal: AbortSignal,
  agent: StorageAgent,
): Promise<OpenedSource> {
  const { table, tablets, columns, shareAtVersion, shareId, choiceAtVersion } = source;
  const scan = await agent.prepareScan({
    session,
    table,
    tablets,
    wholeTableAt: shareAtVersion,
    share: shareId,
    contents:
      shareAtVersion === undefined && choiceAtVersion !== undefined
        ? { version: choiceAtVersion, tablets: undefined }
        : undefined,
    columns,
    isNarrow: true,
    rowPositions: false,
    signal,
  });
  return {
    sql: scan.sql,
    isFixed: scan.isFixed,
    storageBytesFetched: scan.use.bytesFetched,
    storageBytesCached: scan.use.bytesCached,
    read: scan.use.read,
    release: () => scan.release(),
  };
}

async function withKeyFilters(
  opened: OpenedSource,
  session: KernelSession,
  keyFilters: readonly KeyFilter[],
): Promise<OpenedSource> {
  try {
    const conditions = await keyConditions(session, keyFilters);
    return { ...opened, sql: `(SELECT * FROM ${opened.sql} WHERE ${conditions.join(' AND ')})` };
  } catch (error) {
    opened.release?.();
    throw error;
  }
}

async function fetchBlocks(
  { blocks, shape }: ExchangeBlocks,
  session: KernelSession,
  signal: AbortSignal,
  { shuffle }: SourceServices,
  profiled: boolean | undefined,
): Promise<OpenedSource> {
  const attributes = { 'tessera.stage': blocks[0]?.producer.stage, 'tessera.blocks': blocks.length };
  return traced('fetch', attributes, async (span) => {
    const { sql, rows, bytes, spilledBytes } = await shuffle.fetch(session, blocks, shape, signal, {
      asExchange: profiled,
    });
    span?.set({ 'tessera.rows': rows, 'tessera.bytes': bytes });
    return { sql, fetchedRows: rows, fetchedBytes: bytes, spilledBytes };
  });
}

function together({ sql }: Pick<Task, 'sql'>, sources: readonly OpenedSource[]): OpenedTask {
  type Count = 'fetchedRows' | 'fetchedBytes' | 'spilledBytes' | 'storageBytesFetched' | 'storageBytesCached';
  const sum = (count: Count) => sources.reduce((total, source) => total + (source[count] ?? 0), 0);
  return {
    sql: sql.map((part) => (typeof part === 'string' ? part : sources[part]!.sql)).join(''),
    fetchedRows: sum('fetchedRows'),
    fetchedBytes: sum('fetchedBytes'),
    spilledBytes: sum('spilledBytes'),
    storageBytesFetched: sum('storageBytesFetched'),
    storageBytesCached: sum('storageBytesCached'),
    reads: sources.flatMap(({ read }, source) => (read === undefined ? [] : [{ source, ...read }])),
    relations: sources,
    release: () => {
      for (const source of sources) source.release?.();
    },
  };
}
