import { type Logger, pause, type QueryId, TesseraError } from '@tessera/common';
import { BroadcastService, type NodeCredentials, openRpcChannel, type RpcClient } from '@tessera/rpc';
import { ANNOUNCED_FOR_MS, type ClusterIdentity } from './announcements.ts';

export type { ClusterIdentity } from './announcements.ts';

/** A row of a view in transit between clusters; times are ISO 8601 texts. */
export type ClusterRow = Readonly<Record<string, unknown>>;

export interface OtherClustersOptions {
  readonly cluster: ClusterIdentity;
  /** The `host:port` of the broadcast service. */
  readonly endpoint: string;
  /** See `engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster`; 0 means no limit. */
  readonly rowLimit: number;
  readonly credentials: NodeCredentials;
  /** Returns the current state of this node, for its next announcement. */
  readonly node: () => {
    readonly address: string;
    readonly kernelVersion: string;
    readonly isDraining: boolean;
  };
  readonly log: Logger;
}

/** The rows of a view in the other clusters. */
export interface ViewOfOthers {
  readonly rows: readonly { readonly cluster: ClusterIdentity; readonly row: ClusterRow }[];
  /** Sentences that say which rows are missing and why; empty if none is. */
  readonly warnings: readonly string[];
}

/** The other clusters of this engine that the broadcast service can reach. */
export interface OtherClusters {
  readonly cluster: ClusterIdentity;
  /** Never rejects; missing rows are reported in `warnings`. */
  rowsOf(view: string): Promise<ViewOfOthers>;
  /** Resolves with false if no other cluster that answers runs such a query. */
  cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean>;
  /** Resolves once the service has answered, or failed to answer, for the first time. */
  readonly announced: Promise<void>;
  close(): Promise<void>;
}

type Question = Parameters<RpcClient<typeof BroadcastService>['ask']>[0]['question'];

/** The time limit of the service for collecting the answers of all clusters. */
const ASK_TIMEOUT_MS = 4_000;
const ANNOUNCE_EVERY_MS = ANNOUNCED_FOR_MS / 5;

/** Announces this node until it is closed, and asks the other clusters. */
export function openOtherClusters(options: OtherClustersOptions): OtherClusters {
  const { cluster, endpoint, rowLimit, credentials, log } = options;
  const channel = openRpcChannel({
    ...credentials,
    address: endpoint,
    unanswered: (reason) =>
      TesseraError.of('NODE_LOST', { node: `the broadcast service ${endpoint}`, reason }),
  });
  const service = channel.client(BroadcastService);
  const closing = new AbortController();
  const first = Promise.withResolvers<void>();

  async function announceUntilClosed(): Promise<void> {
    let problem: string | undefined;
    while (!closing.signal.aborted) {
      const failure = await service
        .announce({ cluster, ...options.node() }, { signal: closing.signal, timeoutMs: ASK_TIMEOUT_MS })
        .then(
          () => undefined,
          (error: Error) => error,
        );
      first.resolve();
      if (closing.signal.aborted) return;
      if (failure !== undefined && failure.message !== problem)
        log.warn(
          { endpoint, err: failure },
          'the broadcast service does not take the announcement of this node',
        );
      if (failure === undefined && problem !== undefined)
        log.info({ endpoint }, 'the broadcast service answers again');
      problem = failure?.message;
      await pause(ANNOUNCE_EVERY_MS, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const ask = (question: Question) =>
    service.ask({ from: cluster, question }, { signal: closing.signal, timeoutMs: ASK_TIMEOUT_MS });

  async function rowsOf(view: string): Promise<ViewOfOthers> {
    const rows: { cluster: ClusterIdentity; row: ClusterRow }[] = [];
    const warnings: string[] = [];
    try {
      for await (const reply of ask({ question: { case: 'view', value: { name: view, rowLimit } } })) {
        const from: ClusterIdentity = reply.cluster!;
        if (reply.answer === undefined) {
          warnings.push(
            `The rows of cluster ${from.id} are missing: ${reply.unanswered ?? 'it did not answer'}`,
          );
          continue;
        }
        if (reply.answer.isCut) {
          warnings.push(
            `Cluster ${from.id} returned only its latest rows (engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster)`,
          );
        }
        const sent = JSON.parse(Buffer.from(reply.answer.rows).toString('utf8')) as ClusterRow[];
        for (const row of sent) rows.push({ cluster: from, row });
      }
    } catch (error) {
      warnings.push(`The rows of other clusters may be missing: ${(error as Error).message}`);
    }
    return { rows, warnings };
  }

  async function cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean> {
    const value = { queryId, reason, ...(ofUser !== undefined && { ofUser }) };
    try {
      for await (const { answer } of ask({ question: { case: 'cancel', value } }))
        if (answer?.found) return true;
    } catch (error) {
      log.warn({ endpoint, queryId, err: error }, 'other clusters could not be asked to cancel a query');
    }
    return false;
  }

  const ended = announceUntilClosed();
  return {
    cluster,
    rowsOf,
    cancelQuery,
    announced: first.promise,
    close: async () => {
      closing.abort();
      await ended;
      channel.close();
    },
  };
}
