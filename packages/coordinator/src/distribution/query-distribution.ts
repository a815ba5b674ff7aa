import type { Snapshot } from '@tessera/catalog';
import type { ClusterNode } from '@tessera/scheduler';
import type { StorageAgent } from '@tessera/storage-agent';
import type { Binding } from '../read/binding.ts';
import type { BindRequest, BoundQuery } from '../read/bound-query.ts';
import { ColumnStatisticsCache } from '../read/column-statistics-cache.ts';
import type { StatementWork } from '../read/statement-work.ts';
import type { TableAccess } from '../read/table-access.ts';
import type { Settings } from '../settings.ts';
import type { ClusterServices } from './cluster-services.ts';
import { limitedNodes } from './cluster-with.ts';
import {
  isWorthDistributing,
  type PlannedQuery,
  planQuery,
  type UndistributedQuery,
} from './distributed-plans.ts';
import { runDistributed } from './distributed-run.ts';

export interface QueryDistributionOptions {
  /** Undefined: every query runs on this node. */
  readonly cluster: ClusterServices | undefined;
  /** Undefined: the node keeps no tables. */
  readonly agent: StorageAgent | undefined;
  /** What is kept at most of what plans were made from; 100 MiB unless said otherwise. */
  readonly columnStatisticsBytes: number | undefined;
}

/** What is left to do on this node of a query that other nodes took part in. */
export type DistributedQuery = {
  readonly sql: string;
  readonly accesses: readonly TableAccess[];
} & Pick<BoundQuery, 'executed' | 'isStored'>;

const COLUMN_STATISTICS_BYTES = 100 << 20;

/** Which queries several nodes answer, and how. */
export class QueryDistribution {
  /** Statements over large tables that ran on one node, because their plan could not be told in stages. */
  undistributed = 0;
  /** Statements of which inputs without a bound were gathered on one node. */
  gathered = 0;
  readonly #cluster: ClusterServices | undefined;
  readonly #agent: StorageAgent | undefined;
  readonly #statistics: ColumnStatisticsCache;

  constructor({ cluster, agent, columnStatisticsBytes }: QueryDistributionOptions) {
    this.#cluster = cluster;
    this.#agent = agent;
    this.#statistics = new ColumnStatisticsCache(columnStatisticsBytes ?? COLUMN_STATISTICS_BYTES);
  }

  /** Whether a statement is for several nodes, as far as its kind and the sizes of its tables tell. */
  async isFor(
    { tables }: Binding,
    { distributed, rowPositionsOf, settings }: BindRequest,
    { relations }: StatementWork,
  ): Promise<boolean> {
    if (this.#cluster === undefined || distributed === undefined || rowPositionsOf !== undefined)
      return false;
    if (tables.size === 0) return false;
    return isWorthDistributing(tables, await relations!.snapshot(), this.#nodes(settings).length, settings);
  }

  /** How a statement that is for several nodes would run. */
  plan(
    binding: Binding,
    snapshot: Snapshot,
    settings: Settings,
    storesResult = false,
  ): PlannedQuery | UndistributedQuery {
    const nodes = this.#nodes(settings);
    return planQuery(binding, { snapshot, nodes, settings, statistics: this.#statistics, storesResult });
  }

  /** Runs a query on several nodes, all but its last step; undefined where it is to run on this one. */
  async run(
    binding: Binding,
    request: BindRequest,
    work: StatementWork,
  ): Promise<DistributedQuery | undefined> {
    if (binding.serializedPlan === undefined || !(await this.isFor(binding, request, work))) return undefined;
    const { settings, signal, distributed } = request;
    const snapshot = await work.relations!.snapshot();
    const { session } = work;
    const { columns, parameters } = binding.prepared;
    const isFixed = Object.keys(parameters).length === 0;
    const storage = isFixed ? await request.storing?.({ columns, session }) : undefined;
    const plan = () => this.plan(binding, snapshot, settings, storage !== undefined);
    const run = await runDistributed(binding, plan, {
      services: {
        ...this.#cluster!,
        cluster: limitedNodes(this.#cluster!.cluster, settings.nodes_per_query),
      },
      storage,
      agent: this.#agent!,
      session,
      snapshot,
      settings,
      signal,
      ...distributed!,
    });
    if ('reason' in run) {
      if (run.isUnsupported) this.undistributed += 1;
      return undefined;
    }
    if (run.executed.plan.unboundedGathers.length > 0) this.gathered += 1;
    work.keep(run);
    const { accesses, executed, isStored } = run;
    return { sql: isStored ? run.sql : binding.prepared.withOutput(run.sql), accesses, executed, isStored };
  }

  #nodes(settings: Settings): readonly ClusterNode[] {
    return limitedNodes(this.#cluster!.cluster, settings.nodes_per_query).living();
  }
}
