import { type Logger, pause, type QueryId, TesseraError } from '@tessera/common';
import {
  BroadcastService,
  type NodeCredentials,
  openRpcChannel,
  type RpcChannel,
  type RpcClient,
} from '@tessera/rpc';
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
export const openOtherClusters = (options: OtherClustersOptions): OtherClusters =>
  new ConnectedClusters(options);

class ConnectedClusters implements OtherClusters {
  readonly #options: OtherClustersOptions;
  readonly #channel: RpcChannel;
  readonly #service: RpcClient<typeof BroadcastService>;
  readonly #closing = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  constructor(options: OtherClustersOptions) {
    const { credentials, endpoint } = options;
    this.#options = options;
    this.#channel = openRpcChannel({
      ...credentials,
      address: endpoint,
      unanswered: (reason) =>
        TesseraError.of('NODE_LOST', { node: `the broadcast service ${endpoint}`, reason }),
    });
    this.#service = this.#channel.client(BroadcastService);
    this.#ended = this.#announceUntilClosed();
  }

  get cluster(): ClusterIdentity {
    return this.#options.cluster;
  }

  get announced(): Promise<void> {
    return this.#first.promise;
  }

  async rowsOf(view: string): Promise<ViewOfOthers> {
    const { rowLimit } = this.#options;
    const rows: { cluster: ClusterIdentity; row: ClusterRow }[] = [];
    const warnings: string[] = [];
    try {
      for await (const { cluster, answer, unanswered } of this.#ask({
        question: { case: 'view', value: { name: view, rowLimit } },
      })) {
        const from: ClusterIdentity = cluster!;
        if (answer === undefined) {
          warnings.push(`The rows of cluster ${from.id} are missing: ${unanswered ?? 'it did not answer'}`);
          continue;
        }
        if (answer.isCut) {
          warnings.push(
            `Cluster ${from.id} returned only its latest rows (engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster)`,
          );
        }
        const sent = JSON.parse(Buffer.from(answer.rows).toString('utf8')) as ClusterRow[];
        for (const row of sent) rows.push({ cluster: from, row });
      }
    } catch (error) {
      warnings.push(`The rows of other clusters may be missing: ${(error as Error).message}`);
    }
    return { rows, warnings };
  }

  async cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean> {
    const { endpoint, log } = this.#options;
    const value = { queryId, reason, ...(ofUser !== undefined && { ofUser }) };
    try {
      for await (const { answer } of this.#ask({ question: { case: 'cancel', value } }))
        if (answer?.found) return true;
    } catch (error) {
      log.warn({ endpoint, queryId, err: error }, 'other clusters could not be asked to cancel a query');
    }
    return false;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
    this.#channel.close();
  }

  #ask(question: Question) {
    const { signal } = this.#closing;
    return this.#service.ask(
      { from: this.#options.cluster, question },
      { signal, timeoutMs: ASK_TIMEOUT_MS },
    );
  }

  async #announceUntilClosed(): Promise<void> {
    const { endpoint, log } = this.#options;
    const { signal } = this.#closing;
    let problem: string | undefined;
    while (!signal.aborted) {
      const failure = await this.#announce();
      this.#first.resolve();
      if (signal.aborted) return;
      if (failure !== undefined && failure.message !== problem)
        log.warn(
          { endpoint, err: failure },
          'the broadcast service does not take the announcement of this node',
        );
      if (failure === undefined && problem !== undefined)
        log.info({ endpoint }, 'the broadcast service answers again');
      problem = failure?.message;
      await pause(ANNOUNCE_EVERY_MS, { signal }).catch(() => undefined);
    }
  }

  /** Returns the reason why the service did not take the announcement; undefined if it did. */
  #announce(): Promise<Error | undefined> {
    const { cluster, node } = this.#options;
    return this.#service
      .announce({ cluster, ...node() }, { signal: this.#closing.signal, timeoutMs: ASK_TIMEOUT_MS })
      .then(
        () => undefined,
        (error: Error) => error,
      );
  }
}
