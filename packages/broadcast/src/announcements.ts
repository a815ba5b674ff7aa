import { TesseraError } from '@tessera/common';

/** A cluster of nodes of an engine. */
export interface ClusterIdentity {
  /** The engine: `<instance id>/<engine id>`. */
  readonly engine: string;
  /** `engine.cluster_id` */
  readonly id: string;
  /** `engine.cluster_ordinal` */
  readonly ordinal: number;
}

/** A node as it announces itself. */
export interface AnnouncedNode {
  /** The `host:port` of its distexec service. */
  readonly address: string;
  readonly kernelVersion: string;
  readonly isDraining: boolean;
}

export interface AnnouncedCluster {
  readonly cluster: ClusterIdentity;
  /** The nodes in the order in which they should be asked. */
  readonly nodes: readonly AnnouncedNode[];
}

interface Announcement {
  readonly cluster: ClusterIdentity;
  readonly node: AnnouncedNode;
  readonly atMs: number;
}

/** The time for which an announcement is valid. Nodes repeat theirs several times within it. */
export const ANNOUNCED_FOR_MS = 10_000;

/** The clusters whose nodes have announced themselves recently. */
export class Announcements {
  readonly #now: () => number;
  /** The latest announcement by engine and address. */
  readonly #latest = new Map<string, Announcement>();

  /** @param now a clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @throws TesseraError INVALID_ARGUMENT if another cluster of the engine has the same ordinal, or the same id with
   * another ordinal
   */
  add(cluster: ClusterIdentity, node: AnnouncedNode): void {
    const contrary = this.#current().find(
      (other) =>
        other.cluster.engine === cluster.engine &&
        other.node.address !== node.address &&
        (other.cluster.id === cluster.id) !== (other.cluster.ordinal === cluster.ordinal),
    );
    if (contrary !== undefined) {
      const { id, ordinal } = contrary.cluster;
      throw TesseraError.of('INVALID_ARGUMENT', {
        message: `Cluster ${cluster.id} with ordinal ${cluster.ordinal} contradicts cluster ${id} with ordinal ${ordinal} (node ${contrary.node.address}): every cluster of an engine needs an engine.cluster_id and an engine.cluster_ordinal of its own`,
      });
    }
    this.#latest.set(`${cluster.engine} ${node.address}`, { cluster, node, atMs: this.#now() });
  }

  /** The other clusters of the engine, by ordinal. */
  others({ engine, id }: Pick<ClusterIdentity, 'engine' | 'id'>): readonly AnnouncedCluster[] {
    const ofEngine = this.#current().filter(({ cluster }) => cluster.engine === engine && cluster.id !== id);
    const clusters = [...Map.groupBy(ofEngine, ({ cluster }) => cluster.id).values()];
    return clusters
      .map((announcements) => ({
        cluster: announcements[0]!.cluster,
        nodes: announcements
          .map(({ node }) => node)
          .sort((a, b) => Number(a.isDraining) - Number(b.isDraining)),
      }))
      .sort((a, b) => a.cluster.ordinal - b.cluster.ordinal);
  }

  #current(): Announcement[] {
    const since = this.#now() - ANNOUNCED_FOR_MS;
    for (const [key, { atMs }] of this.#latest) if (atMs < since) this.#latest.delete(key);
    return [...this.#latest.values()];
  }
}
