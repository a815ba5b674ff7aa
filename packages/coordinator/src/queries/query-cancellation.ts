import type { Authorizer } from '@tessera/access-control';
import type { OtherClusters } from '@tessera/broadcast';
import { type QueryId, TesseraError } from '@tessera/common';
import type { Cluster } from '@tessera/scheduler';
import type { RunningQueries } from './running-queries.ts';

/** Where else a query may run. */
interface Reachable {
  readonly cluster?: Cluster | undefined;
  readonly otherClusters?: OtherClusters | undefined;
}

/** Cancels queries of this node and, on request of users, those of other nodes. */
export class QueryCancellation {
  readonly #running: RunningQueries;
  readonly #authorizer: Authorizer;
  readonly #cluster: Cluster | undefined;
  readonly #otherClusters: OtherClusters | undefined;

  constructor(running: RunningQueries, authorizer: Authorizer, { cluster, otherClusters }: Reachable = {}) {
    this.#running = running;
    this.#authorizer = authorizer;
    this.#cluster = cluster;
    this.#otherClusters = otherClusters;
  }

  /** If `ofUser` is given, queries of other users are not found. */
  here(queryId: QueryId, reason: string, ofUser?: string): boolean {
    return this.#running.cancel(queryId, TesseraError.of('QUERY_CANCELLED', { reason }), ofUser);
  }

  /**
   * Cancels a query that `user` may cancel, even if another node or cluster coordinates it. Returns false if no node
   * runs such a query, or if it belongs to another user.
   * @throws TesseraError UNAUTHENTICATED for a user who no longer exists
   */
  async anywhere(queryId: QueryId, reason: string, user: string): Promise<boolean> {
    await this.#authorizer.admit({ user });
    const ofUser = this.#authorizer.mayOnEngine(user, 'CANCEL ANY QUERY') ? undefined : user;
    if (await this.inCluster(queryId, reason, ofUser)) return true;
    return (await this.#otherClusters?.cancelQuery(queryId, reason, ofUser)) ?? false;
  }

  /** Cancels a query that any node of this cluster coordinates. */
  async inCluster(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean> {
    if (this.here(queryId, reason, ofUser)) return true;
    const cluster = this.#cluster;
    if (cluster === undefined) return false;
    const others = cluster.living().filter(({ index }) => index !== cluster.self.index);
    const answers = await Promise.allSettled(
      others.map((node) => cluster.cancelQuery(node, queryId, reason, ofUser)),
    );
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value);
  }

  /** @throws TesseraError QUERY_NOT_FOUND, UNAUTHENTICATED */
  async byStatement(queryId: QueryId, user: string): Promise<void> {
    if (await this.anywhere(queryId, 'CANCEL QUERY by a user', user)) return;
    throw TesseraError.of('QUERY_NOT_FOUND', { queryId });
  }
}
