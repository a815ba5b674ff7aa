import { type Logger, pause, type QueryId, TesseraError } from '@tessera/common';
import {
  BroadcastService,
  type NodeCredentials,
  openRpcChannel,
  type RpcChannel,
  type RpcClient,
} from '@tessera/rpc';
import {
  ANNOUNCED_FOR_MS,
  type AnnouncedNode,
  type ClusterIdentity,
  type Connected,
} from './announcements.ts';

/** A service that connects this cluster with others. */
export interface BroadcastPlace {
  readonly connected: Connected;
  /** The service in messages, such as `broadcast service`. */
  readonly name: string;
  /** The `host:port` of the service. */
  readonly endpoint: string;
  readonly credentials: NodeCredentials;
}

export interface ConnectionOptions {
  readonly cluster: ClusterIdentity;
  readonly place: BroadcastPlace;
  /** Returns the current state of this node, for its next announcement. */
  readonly node: () => AnnouncedNode;
  readonly log: Logger;
}

/** A row of a view in transit between clusters; times are ISO 8601 texts. */
export type ClusterRow = Readonly<Record<string, unknown>>;

/** The rows of a view in the other clusters. */
export interface ViewOfOthers {
  readonly rows: readonly { readonly cluster: ClusterIdentity; readonly row: ClusterRow }[];
  /** Sentences that say which rows are missing and why; empty if none is. */
  readonly warnings: readonly string[];
}

type Question = Parameters<RpcClient<typeof BroadcastService>['ask']>[0]['question'];

/** The time limit of the service for collecting the answers of all clusters. */
const ASK_TIMEOUT_MS = 4_000;
const ANNOUNCE_EVERY_MS = ANNOUNCED_FOR_MS / 5;

/** Announces this node to one service until it is closed, and asks the clusters that this service knows. */
export class ServiceConnection {
  readonly #options: ConnectionOptions;
  readonly #channel: RpcChannel;
  readonly #service: RpcClient<typeof BroadcastService>;
  readonly #closing = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  constructor(options: ConnectionOptions) {
    const { credentials, endpoint, name } = options.place;
    this.#options = options;
    this.#channel = openRpcChannel({
      ...credentials,
      address: endpoint,
      unanswered: (reason) => TesseraError.of('NODE_LOST', { node: `the ${name} ${endpoint}`, reason }),
    });
    this.#service = this.#channel.client(BroadcastService);
    this.#ended = this.#announceUntilClosed();
  }

  /** See `OtherClusters`. */
  get announced(): Promise<void> {
    return this.#first.promise;
  }

  /** See `OtherClusters`. */
  async rowsOf(view: string, rowLimit: number): Promise<ViewOfOthers> {
    const rows: { cluster: ClusterIdentity; row: ClusterRow }[] = [];
    const warnings: string[] = [];
    try {
      for await (const { cluster, answer, unanswered } of this.#ask({
        question: { case: 'view', value: { name: view, rowLimit } },
      })) {
        const from: ClusterIdentity = cluster!;
        const name = this.#nameOf(from);
        if (answer === undefined) {
          warnings.push(`The rows of ${name} are missing: ${unanswered ?? 'it did not answer'}`);
          continue;
        }
        if (answer.isCut) {
          warnings.push(
            `The ${name} returned only its latest rows (engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster)`,
          );
        }
        const sent = JSON.parse(Buffer.from(answer.rows).toString('utf8')) as ClusterRow[];
        for (const row of sent) rows.push({ cluster: from, row });
      }
    } catch (error) {
      const { connected } = this.#options.place;
      warnings.push(`The rows of other ${connected} may be missing: ${(error as Error).message}`);
    }
    return { rows, warnings };
  }

  /** See `OtherClusters`. */
  async cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean> {
    const { place, log } = this.#options;
    const value = { queryId, reason, ...(ofUser !== undefined && { ofUser }) };
    try {
      for await (const { answer } of this.#ask({ question: { case: 'cancel', value } }))
        if (answer?.found) return true;
    } catch (error) {
      const { endpoint, connected } = place;
      log.warn({ endpoint, queryId, err: error }, `other ${connected} could not be asked to cancel a query`);
    }
    return false;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
    this.#channel.close();
  }

  #nameOf({ engine, id }: ClusterIdentity): string {
    const names = engine === this.#options.cluster.engine ? [] : [`engine ${engineName(engine)}`];
    return [...(id === '' ? [] : [`cluster ${id}`]), ...names].join(' of ');
  }

  #ask(question: Question) {
    const { signal } = this.#closing;
    return this.#service.ask(
      { from: this.#options.cluster, question },
      { signal, timeoutMs: ASK_TIMEOUT_MS },
    );
  }

  async #announceUntilClosed(): Promise<void> {
    const { log, place } = this.#options;
    const { endpoint } = place;
    const { signal } = this.#closing;
    let problem: string | undefined;
    while (!signal.aborted) {
      const failure = await this.#announce();
      this.#first.resolve();
      if (signal.aborted) return;
      if (failure !== undefined && failure.message !== problem)
        log.warn(
          { endpoint, err: failure },
          `the ${place.name} did not accept the announcement of this node`,
        );
      if (failure === undefined && problem !== undefined)
        log.info({ endpoint }, `the ${place.name} accepts the announcements of this node again`);
      problem = failure?.message;
      await pause(ANNOUNCE_EVERY_MS, { signal }).catch(() => undefined);
    }
  }

  /** Returns the reason why the service did not take the announcement; undefined if it did. */
  #announce(): Promise<Error | undefined> {
    const { cluster, node } = this.#options;
    const { clusterNodes, ...announced } = node();
    return this.#service
      .announce(
        { cluster, ...announced, clusterNodes: [...clusterNodes] },
        { signal: this.#closing.signal, timeoutMs: ASK_TIMEOUT_MS },
      )
      .then(
        () => undefined,
        (error: Error) => error,
      );
  }
}

/** The `engine.id` in `<instance id>/<engine id>`. */
export const engineName = (engine: string): string => engine.slice(engine.indexOf('/') + 1);
