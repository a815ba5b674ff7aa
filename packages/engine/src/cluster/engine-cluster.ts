import { type Logger, type NodeProcess, nodeProcess, type QueryId } from '@tessera/common';
import type { SharedPlaces } from '@tessera/coordinator';
import type { DistExec, Task, TaskOutcome } from '@tessera/distexec';
import type { NodeCredentials } from '@tessera/rpc';
import type {
  Cluster,
  ClusterMember,
  ClusterNode,
  ReleaseScope,
  RemoteTaskOptions,
} from '@tessera/scheduler';
import { Peer } from './peer.ts';
import type { PeerPlace } from './pinger.ts';

export interface EngineClusterOptions {
  /** The current state of this node; called whenever it is sent to others. */
  readonly self: () => ClusterNode;
  /** All nodes of `engine.nodes`, including this one. */
  readonly places: readonly PeerPlace[];
  readonly distExec: DistExec;
  readonly credentials: NodeCredentials;
  /** The places of this node's admission control, which nodes lend each other with their pings. */
  readonly admission?: SharedPlaces | undefined;
  readonly log: Logger;
}

/** Best effort calls do not wait longer. */
const ASK_TIMEOUT_MS = 3_000;

type LossListener = (node: ClusterNode, reason: string) => void;

/** The nodes of `engine.nodes`, each of which is pinged twice a second, or less often in clusters of more than 26 nodes. */
export class EngineCluster implements Cluster {
  readonly #options: EngineClusterOptions;
  readonly #peers: ReadonlyMap<number, Peer>;
  readonly #listeners = new Set<LossListener>();
  readonly #process: NodeProcess;

  constructor(options: EngineClusterOptions) {
    this.#options = options;
    const self = options.self();
    this.#process = nodeProcess(self.name, self.incarnation);
    const onLost: LossListener = (node, reason) => {
      for (const listener of [...this.#listeners]) listener(node, reason);
    };
    const { credentials, log, admission } = options;
    const others = options.places.filter((place) => place.index !== self.index);
    this.#peers = new Map(
      others.map((place) => [
        place.index,
        new Peer({
          place,
          peers: others.length,
          from: this.#process,
          credentials,
          places: admission,
          onLost,
          log,
        }),
      ]),
    );
    const nodes = new Map(others.map(({ index, name }) => [name, this.#peers.get(index)]));
    admission?.askThrough((name) => {
      for (const peer of name === undefined ? nodes.values() : [nodes.get(name)]) peer?.pingNow();
    });
  }

  get self(): ClusterNode {
    return this.#options.self();
  }

  get size(): number {
    return this.#options.places.length;
  }

  /** Resolves once every other node has answered or failed to answer. */
  async firstRound(): Promise<void> {
    await Promise.all([...this.#peers.values()].map(({ asked }) => asked));
  }

  members(): readonly ClusterMember[] {
    const { self } = this;
    return this.#options.places.map(
      ({ index, name }) => this.#peers.get(index)?.member ?? { index, name, status: self.status, node: self },
    );
  }

  living(): readonly ClusterNode[] {
    return this.#options.places.flatMap(({ index }) => {
      const peer = this.#peers.get(index);
      return (peer === undefined ? this.self : peer.living) ?? [];
    });
  }

  onLost(listener: LossListener): () => void {
    // A separate function per call, because the same listener may be added twice.
    const own: LossListener = (node, reason) => listener(node, reason);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async runTask(node: ClusterNode, task: Task, options: RemoteTaskOptions): Promise<TaskOutcome> {
    const { distExec } = this.#options;
    const peer = this.#peers.get(node.index);
    if (peer === undefined) return distExec.runTask(task, options);
    const { incarnation } = node;
    const signal = AbortSignal.any([options.signal, peer.lifeOf(node)]);
    return peer.tasks.runTask(task, { ...options, incarnation, coordinator: this.#process, signal });
  }

  async release(
    node: ClusterNode,
    queryId: QueryId,
    { isSmall = false, ...which }: ReleaseScope = {},
  ): Promise<void> {
    const peer = this.#peers.get(node.index);
    if (peer === undefined) return this.#options.distExec.release(queryId, which);
    if (isSmall) peer.releaseSoon(node, { queryId, ...which });
    else await peer.release(node, { queryId, ...which });
  }

  async listQueries(node: ClusterNode): Promise<readonly Record<string, unknown>[]> {
    return this.#other(node).tasks.listQueries(ASK_TIMEOUT_MS);
  }

  async cancelQuery(node: ClusterNode, queryId: QueryId, reason: string, ofUser?: string): Promise<boolean> {
    return this.#other(node).tasks.cancelQuery(queryId, { reason, ofUser }, ASK_TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#peers.values()].map((peer) => peer.close()));
  }

  #other({ index, name }: ClusterNode): Peer {
    const peer = this.#peers.get(index);
    if (peer === undefined) throw new Error(`${name} is this node`);
    return peer;
  }
}
