import { hostname } from 'node:os';
import type { Authorizer, Sender } from '@tessera/access-control';
import { engineName } from '@tessera/broadcast';
import type { NodeName } from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import type { ClusterMember } from '@tessera/scheduler';
import {
  type ClusterFacts,
  type ConfigurationFacts,
  type NodeFacts,
  type QueryFacts,
  type RowOfCluster,
  rowsForOtherClusters,
  type SystemFacts,
  viewOfOthers,
} from '@tessera/system-catalog';
import type { SystemScope } from '../binder/system-relations.ts';
import type { ClusterServices } from '../distribution/cluster-services.ts';
import type { HistoryPlace } from '../history/stored-history.ts';
import { type QueryHistory, runningFacts } from '../queries/query-history.ts';
import type { RunningQueries, RunningQuery } from '../queries/running-queries.ts';
import type { TableServices } from '../tables.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { MetricsHistory } from './metrics-history.ts';
import { type QueryRecord, queriesElsewhere, queryRecords } from './queries-of-nodes.ts';

export interface NodeInformationOptions {
  readonly engineId: string;
  readonly configuration?: readonly ConfigurationFacts[] | undefined;
  readonly kernel: Kernel;
  readonly authorizer: Authorizer;
  readonly running: RunningQueries;
  readonly history: QueryHistory;
  readonly isDraining: () => boolean;
  /** The number of queries that wait to be admitted. */
  readonly queuedQueries: () => number;
  readonly cluster?: ClusterServices | undefined;
  readonly tables?: TableServices | undefined;
  readonly transactions: Transactions | undefined;
  /** The samples per minute of `engine_metrics_history`; default 12. */
  readonly metricsPerMinute?: number | undefined;
  /** If undefined, the histories are those of this process. */
  readonly historyPlace: HistoryPlace | undefined;
  /** The name of this node. */
  readonly nodeName: () => NodeName;
}

/** The facts about this node and its engine for system views. */
export class NodeInformation {
  readonly #options: NodeInformationOptions;
  readonly #metrics: MetricsHistory;

  constructor(options: NodeInformationOptions) {
    this.#options = options;
    this.#metrics = new MetricsHistory(
      {
        nodeName: options.nodeName,
        kernelMemory: () => options.kernel.memory(),
        storageAgent: () => options.tables?.agent.metrics(),
        runningQueries: () => options.running.size - options.queuedQueries(),
        queuedQueries: options.queuedQueries,
      },
      options.metricsPerMinute ?? 12,
      options.historyPlace,
    );
  }

  /** The facts for one user, without queries and transactions that this user may not see. */
  async factsFor({ view, notices, ...scope }: SystemScope): Promise<SystemFacts> {
    const { authorizer, configuration } = this.#options;
    const { user, snapshot } = scope;
    const mayRead = (owner: Sender) => authorizer.isOwnOrAny(user, owner, 'READ ANY HISTORY');
    const [ofCluster, otherClusters] = await Promise.all([
      this.#clusterFacts(view, mayRead),
      this.#otherClusters(view, mayRead, notices),
    ]);
    return {
      ...scope,
      ...ofCluster,
      otherClusters,
      rights: authorizer.rights(user, snapshot),
      isVisible: authorizer.visible(user, snapshot),
      viewColumns: new Map(),
      configuration: authorizer.isAdministrator(user) ? (configuration ?? []) : [],
    };
  }

  /** The rows of a view, of all users, for another cluster of the engine that asks for them. */
  async rowsForOtherClusters(view: string): Promise<readonly QueryRecord[]> {
    return rowsForOtherClusters(view, await this.#clusterFacts(view, () => true));
  }

  async #clusterFacts(view: string, mayRead: (owner: Sender) => boolean): Promise<ClusterFacts> {
    const { engineId, cluster, running, history, transactions } = this.#options;
    const isOfAllNodes = (view === 'engine_running_queries' || view === 'queries') && cluster !== undefined;
    return {
      engine: engineId,
      cluster: cluster?.otherClusters?.cluster.id || undefined,
      transactions: (transactions?.list() ?? []).filter((transaction) => mayRead(transaction)),
      running: RUNNING_VIEWS.has(view) ? await runningOf(running, ({ activity }) => mayRead(activity)) : [],
      elsewhere: isOfAllNodes ? await queriesElsewhere(cluster.cluster, mayRead) : [],
      node: this.#options.nodeName(),
      history: HISTORY_VIEWS.has(view) ? await history.readBy(mayRead) : [],
      metrics: view === 'engine_metrics_history' ? await this.#metrics.samples() : [],
      nodes: cluster?.cluster.members().map(nodeFacts) ?? [this.#thisNode()],
    };
  }

  async #otherClusters(
    view: string,
    mayRead: (owner: Sender) => boolean,
    notices: SystemScope['notices'],
  ): Promise<readonly RowOfCluster[]> {
    const others = this.#options.cluster?.otherClusters;
    const asked = viewOfOthers(view);
    if (others === undefined || asked === undefined) return [];
    const { rows, warnings } = await others.rowsOf(asked);
    for (const warning of warnings) notices.warn(warning, { resolution: RESOLUTION });
    return rows
      .filter(({ row: { user_name: user } }) => user === undefined || mayRead({ user: String(user) }))
      .map(({ cluster: { engine, id }, row }) => ({
        engine: engineName(engine),
        cluster: id || undefined,
        row,
      }));
  }

  /** The queries of this node as rows of `engine_running_queries`, for other nodes. */
  async queryRecords(): Promise<readonly QueryRecord[]> {
    return queryRecords(await runningOf(this.#options.running), this.#options.nodeName());
  }

  close(): Promise<void> {
    return this.#metrics.close();
  }

  #thisNode(): NodeFacts {
    const host = hostname();
    return {
      name: host,
      host,
      status: this.#options.isDraining() ? 'draining' : 'running',
      version: undefined,
      startedAt: new Date(Date.now() - 1000 * process.uptime()),
    };
  }
}

/** The views of finished queries. */
const HISTORY_VIEWS = new Set(['engine_query_history', 'engine_user_query_history', 'queries']);

/** The views of running queries, whose progress the kernel is asked for. */
const RUNNING_VIEWS = new Set(['engine_running_queries', 'queries', 'pg_stat_activity']);

/** The queries that are running and fulfil a condition. */
const runningOf = (
  running: RunningQueries,
  isMeant: (query: RunningQuery) => boolean = () => true,
): Promise<readonly QueryFacts[]> => Promise.all(running.all().filter(isMeant).map(runningFacts));

const RESOLUTION =
  'See the node log, and whether the services that connect clusters and engines (`tessera broadcast`, `tessera metadata`) and the other nodes run';

const nodeFacts = ({ name, status, reason, node }: ClusterMember): NodeFacts => ({
  name,
  host: name.replace(/:\d+$/, ''),
  status,
  version: node?.version,
  startedAt: node && new Date(node.startedAtMs),
  reason,
});
