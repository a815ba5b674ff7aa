import { type ErrorName, TesseraError } from '@tessera/common';
import type { SqlTemplate } from '@tessera/planner';
import type { ClusterMembership, ClusterNode } from '@tessera/scheduler';
import type { StorageAgent } from '@tessera/storage-agent';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import { distributedQuery } from '../queries/statement-context.ts';
import type { BoundFiles, BoundQuery } from '../read/bound-query.ts';
import { ColumnStatisticsCache } from '../read/column-statistics-cache.ts';
import type { ExecutionOptions, ReadableQuery, RowStorage } from '../read/executable-query.ts';
import type { FilePartsOptions } from '../read/read-resolution.ts';
import type { ValueSampler } from '../read/sample-values.ts';
import type { SessionScope } from '../read/session-scope.ts';
import { scannedTables } from '../read/table-access.ts';
import type { Settings } from '../request/settings.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { ClusterServices } from './cluster-services.ts';
import {
  isWorthDistributing,
  type PlannedQuery,
  planQuery,
  type UndistributedQuery,
} from './distributed-plans.ts';
import {
  type DistributedRun,
  type DistributedRunOptions,
  leastWrittenBytes,
  runDistributed,
  type StagedStatement,
  type StreamingRun,
} from './distributed-run.ts';
import { keyOfTable } from './key-placements.ts';
import { COPIED_FILES, filesToTablets } from './written-by-nodes.ts';

export interface QueryDistributionOptions {
  /** If undefined, or if it does not distribute, every query runs on this node. */
  readonly cluster: ClusterServices | undefined;
  /** Undefined if the node keeps no tables. */
  readonly agent: StorageAgent | undefined;
  /** Samples values of tables for estimates; undefined if the node keeps no tables. */
  readonly sampler: ValueSampler | undefined;
  /** The limit for cached statistics that plans were made from; 100 MiB by default. */
  readonly columnStatisticsBytes: number | undefined;
}

const COLUMN_STATISTICS_BYTES = 100 << 20;

/** Decides which queries run on several nodes, and runs them. */
export class QueryDistribution {
  /**
   * The number of statements over large tables or files that ran on one node, because their plan could not be
   * divided into stages, or because a file could not be read in parts.
   */
  undistributed = 0;
  /** The number of statements for which inputs of unbounded size were gathered on one node. */
  gathered = 0;
  readonly #cluster: ClusterServices | undefined;
  /** Whether there are other nodes, to which no query may be distributed. */
  readonly #isSwitchedOff: boolean;
  readonly #agent: StorageAgent | undefined;
  readonly #statistics: ColumnStatisticsCache;

  constructor({ cluster, agent, sampler, columnStatisticsBytes }: QueryDistributionOptions) {
    this.#cluster = cluster?.distributes === true ? cluster : undefined;
    this.#isSwitchedOff = cluster?.distributes === false && cluster.cluster.size > 1;
    this.#agent = agent;
    this.#statistics = new ColumnStatisticsCache(columnStatisticsBytes ?? COLUMN_STATISTICS_BYTES, sampler);
  }

  /** Whether a statement should run on several nodes, by its kind and the sizes of its tables. */
  async isFor(
    { tables, files }: BoundQuery,
    { context, options, relations }: SessionScope,
  ): Promise<boolean> {
    const { settings } = context.request;
    if (this.#cluster === undefined || options.rowPositionsOf !== undefined) return false;
    if (tables.size === 0 && files.size === 0) return false;
    if ([...files.values()].some(({ scan }) => !scan.isShared)) return false;
    const nodes = this.#nodes(settings).length;
    return isWorthDistributing({ tables, files }, await relations!.snapshot(), nodes, settings);
  }

  /**
   * Lets nodes read parts of files and store the rows of `sql` over them; undefined if this node has to do
   * it. The run must be released.
   */
  async storeFiles(
    files: BoundFiles,
    { sql, columns, storage }: { sql: SqlTemplate; columns: readonly string[]; storage: RowStorage },
    scope: Pick<DistributedRunOptions, 'session' | 'snapshot' | 'settings' | 'queryId' | 'onRun' | 'signal'>,
  ): Promise<DistributedRun | undefined> {
    const { rows, bytes } = files.scan;
    if (bytes < leastWrittenBytes(scope.settings)) return undefined;
    const plan = filesToTablets(sql, columns, { rows, bytes });
    const statement: StagedStatement = {
      tables: new Map(),
      files: new Map([[COPIED_FILES, files]]),
      prepared: { sessionRelations: new Map(), namedColumns: undefined, withOutput: (text) => text },
    };
    const run = await this.#runOrDecline(statement, async () => ({ plan, refine: (same) => same }), {
      storage,
      streams: false,
      profiled: false,
      ...scope,
    });
    return run !== undefined && 'kind' in run && run.kind === 'complete' ? run : undefined;
  }

  /**
   * The conditions under which several nodes may read files of a statement; undefined if this node reads them
   * alone.
   */
  fileParts(
    { settings }: Pick<StatementRequest, 'settings'>,
    { rowPositionsOf }: Pick<ExecutionOptions, 'rowPositionsOf'> = {},
  ): FilePartsOptions | undefined {
    if (this.#cluster === undefined || this.#agent === undefined) return undefined;
    if (rowPositionsOf !== undefined || this.#nodes(settings).length < 2) return undefined;
    if (!settings.enable_distributed_execution) return undefined;
    return { leastBytes: settings.min_distributed_bytes, shared: this.#cluster.sharedFiles };
  }

  /** Returns the plan that EXPLAIN shows, or why one node runs the statement; undefined if it is small, or if there is one node. */
  async explained(
    bound: BoundQuery,
    scope: SessionScope,
  ): Promise<PlannedQuery | UndistributedQuery | undefined> {
    if (this.#isSwitchedOff && bound.tables.size + bound.files.size > 0)
      return { reason: 'execution.enable_shuffle is false', isUnsupported: false };
    return (await this.isFor(bound, scope)) ? this.plan(bound, scope) : undefined;
  }

  /** The plan of a statement that would run on several nodes. */
  async plan(
    bound: BoundQuery,
    { context, relations }: SessionScope,
    storesResult = false,
  ): Promise<PlannedQuery | UndistributedQuery> {
    const { settings } = context.request;
    const { signal } = context.query;
    const snapshot = await relations!.snapshot();
    const nodes = this.#nodes(settings);
    const names = nodes.map(({ name }) => name);
    const scope = { agent: this.#agent!, snapshot, signal };
    const keys = await Promise.all(
      [...bound.tables].map(
        async ([name, { table }]) => [name, await keyOfTable(table, names, scope)] as const,
      ),
    );
    const statistics = this.#statistics;
    return planQuery(bound, { snapshot, nodes, settings, statistics, storesResult, keys: new Map(keys) });
  }

  /** Runs a query on several nodes, except for its last step; undefined if it should run on this node. */
  async run(bound: BoundQuery, scope: SessionScope): Promise<ReadableQuery | undefined> {
    if (bound.serializedPlan === undefined || !(await this.isFor(bound, scope))) return undefined;
    const { context, options, session } = scope;
    const snapshot = await scope.relations!.snapshot();
    const { columns, parameters } = bound.prepared;
    const isFixed = Object.keys(parameters).length === 0;
    const storage = isFixed ? await options.storing?.({ columns, session }) : undefined;
    const plan = () => this.plan(bound, scope, storage !== undefined);
    const run = await this.#runOrDecline(bound, plan, {
      storage,
      streams: options.streams === true,
      profiled: options.profiled === true,
      session,
      snapshot,
      settings: context.request.settings,
      signal: context.query.signal,
      ...distributedQuery(context.query),
    });
    if (run === undefined) return undefined;
    if ('reason' in run) {
      if (run.isUnsupported) this.undistributed += 1;
      return undefined;
    }
    const { unboundedGathers } = run.kind === 'streaming' ? run.plan : run.executed.plan;
    if (unboundedGathers.length > 0) this.gathered += 1;
    scope.keep(run);
    if (run.kind === 'streaming') return streamed(run, bound);
    const { accesses: tables, readInParts, executed, isStored } = run;
    const sql = isStored ? run.sql : bound.prepared.withOutput(run.sql);
    return { sql, tables, readInParts, executed, isStored };
  }

  /**
   * Undefined if this node should read the files of a statement itself, in order to report what is wrong with
   * them.
   */
  async #runOrDecline(
    statement: StagedStatement,
    plan: () => Promise<PlannedQuery | UndistributedQuery>,
    options: Omit<DistributedRunOptions, 'services' | 'agent'>,
  ): Promise<DistributedRun | StreamingRun | UndistributedQuery | undefined> {
    const membership = limitedNodes(this.#cluster!.cluster, options.settings.nodes_per_query);
    const services = { ...this.#cluster!, membership };
    try {
      return await runDistributed(statement, plan, { ...options, services, agent: this.#agent! });
    } catch (error) {
      if (statement.files.size === 0 || options.signal.aborted || !blamesData(error)) throw error;
      this.undistributed += 1;
      return undefined;
    }
  }

  #nodes(settings: Settings): readonly ClusterNode[] {
    return limitedNodes(this.#cluster!.cluster, settings.nodes_per_query).living();
  }
}

/** A query whose result is read part by part. What it has read of tables is known at its end. */
function streamed({ parts, reads }: StreamingRun, { prepared }: BoundQuery): ReadableQuery {
  const withOutput = async function* () {
    for await (const part of parts) yield { ...part, sql: prepared.withOutput(part.sql) };
  };
  const scanned = () =>
    reads.then(
      ({ accesses, readInParts }) => plus(scannedTables(accesses), readInParts),
      // The client wanted no more rows, so the tasks were stopped.
      () => NOTHING_SCANNED,
    );
  return { sql: '', tables: [], streamed: { parts: withOutput(), scanned } };
}

/**
 * Whether a statement failed because of the contents of its files, or because a node could not read them.
 * This node then reads the files alone: either it fails in the same way and can report the line, or a part of
 * a file could not be read on its own.
 */
const blamesData = (error: unknown): boolean =>
  error instanceof TesseraError && !NOT_ABOUT_DATA.has(error.name);

const NOT_ABOUT_DATA: ReadonlySet<ErrorName> = new Set([
  'QUERY_CANCELLED',
  'KERNEL_LOST',
  'NODE_LOST',
  'NODE_RESTARTED',
  'FETCH_FAILED',
  'NO_NODES',
  'NO_PROGRESS',
  'OUT_OF_MEMORY',
  'SHUFFLE_SPACE_EXHAUSTED',
]);

/**
 * The first nodes of a cluster in the order of `engine.nodes`, so that queries with the same limit find the
 * same tables in memory.
 * @param limit 0 means all nodes
 */
const limitedNodes = (cluster: ClusterMembership, limit: number): ClusterMembership =>
  limit === 0
    ? cluster
    : {
        get self() {
          return cluster.self;
        },
        get size() {
          return cluster.size;
        },
        members: () => cluster.members(),
        living: () => cluster.living().slice(0, limit),
        onLost: (listener) => cluster.onLost(listener),
      };
