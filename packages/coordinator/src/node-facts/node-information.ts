import { hostname } from 'node:os';
import type { Authorizer, Sender } from '@tessera/access-control';
import type { Kernel } from '@tessera/kernel';
import type { ClusterMember } from '@tessera/scheduler';
import type { NodeFacts, QueryFacts, SystemFacts } from '@tessera/system-catalog';
import type { SystemScope } from '../binder/system-relations.ts';
import type { ClusterServices } from '../distribution/cluster-services.ts';
import { type QueryHistory, runningFacts } from '../queries/query-history.ts';
import type { RunningQueries, RunningQuery } from '../queries/running-queries.ts';
import type { TableServices } from '../tables.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { MetricsHistory } from './metrics-history.ts';
import { type QueryRecord, queriesElsewhere, queryRecords } from './queries-of-nodes.ts';

export interface NodeInformationOptions {
  readonly engineId: string;
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
}

/** The facts about this node and its engine for system views. */
export class NodeInformation {
  readonly #options: NodeInformationOptions;
  readonly #metrics: MetricsHistory;

  constructor(options: NodeInformationOptions) {
    this.#options = options;
    this.#metrics = new MetricsHistory(
      {
        kernelMemory: () => options.kernel.memory(),
        storageAgent: () => options.tables?.agent.metrics(),
        runningQueries: () => options.running.size - options.queuedQueries(),
        queuedQueries: options.queuedQueries,
      },
      options.metricsPerMinute ?? 12,
    );
  }

  /** The facts for one user, without queries and transactions that this user may not see. */
  async factsFor({ view, ...scope }: SystemScope): Promise<SystemFacts> {
    const { engineId, authorizer, cluster, running, history, transactions } = this.#options;
    const isOfAllNodes = view === 'engine_running_queries' && cluster !== undefined;
    const { user, snapshot } = scope;
    const mayRead = (owner: Sender) => authorizer.isOwnOrAny(user, owner, 'READ ANY HISTORY');
    return {
      ...scope,
      rights: authorizer.rights(user, snapshot),
      isVisible: authorizer.visible(user, snapshot),
      engine: engineId,
      viewColumns: new Map(),
      transactions: (transactions?.list() ?? []).filter((transaction) => mayRead(transaction)),
      running: await runningOf(running, ({ activity }) => mayRead(activity)),
      elsewhere: isOfAllNodes ? await queriesElsewhere(cluster.cluster, mayRead) : [],
      node: this.#nodeName(),
      history: history.readBy(mayRead),
      metrics: this.#metrics,
      nodes: cluster?.cluster.members().map(nodeFacts) ?? [this.#thisNode()],
    };
  }

  /** The queries of this node as rows of `engine_running_queries`, for other nodes. */
  async queryRecords(): Promise<readonly QueryRecord[]> {
    return queryRecords(await runningOf(this.#options.running), this.#nodeName());
  }

  close(): void {
    this.#metrics.close();
  }

  #nodeName(): string {
    return this.#options.cluster?.cluster.self.name ?? hostname();
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

/** The queries that are running and fulfil a condition. */
const runningOf = (
  running: RunningQueries,
  isMeant: (query: RunningQuery) => boolean = () => true,
): Promise<readonly QueryFacts[]> => Promise.all(running.all().filter(isMeant).map(runningFacts));

const nodeFacts = ({ name, status, reason, node }: ClusterMember): NodeFacts => ({
  name,
  host: name.replace(/:\d+$/, ''),
  status,
  version: node?.version,
  startedAt: node && new Date(node.startedAtMs),
  reason,
});
