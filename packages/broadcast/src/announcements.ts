import { TesseraError } from '@tessera/common';

/** A cluster of nodes of an engine. */
export interface ClusterIdentity {
  /** The engine: `<instance id>/<engine id>`. */
  readonly engine: string;
  /** `engine.cluster_id`; empty if the engine has only one cluster. */
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
  /** The addresses of all nodes of its cluster by its configuration. */
  readonly clusterNodes: readonly string[];
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

/** A service connects either the clusters of each engine, or the engines of an instance. */
export type Connected = 'clusters' | 'engines';

/** The time for which an announcement is valid. Nodes repeat theirs several times within it. */
export const ANNOUNCED_FOR_MS = 10_000;

/** The clusters whose nodes have announced themselves recently. */
export class Announcements {
  readonly #connected: Connected;
  readonly #now: () => number;
  /** The latest announcement by engine and address. */
  readonly #latest = new Map<string, Announcement>();

  /** @param now a clock in milliseconds */
  constructor(connected: Connected, now: () => number) {
    this.#connected = connected;
    this.#now = now;
  }

  /**
   * @throws TesseraError INVALID_ARGUMENT if another cluster of the engine has the same ordinal, or the same id with
   * another ordinal, or if two clusters that do not know each other's nodes have the same id
   */
  add(cluster: ClusterIdentity, node: AnnouncedNode): void {
    const ofEngine = this.#current().filter(
      (other) => other.cluster.engine === cluster.engine && other.node.address !== node.address,
    );
    const contrary = ofEngine.find(
      (other) => (other.cluster.id === cluster.id) !== (other.cluster.ordinal === cluster.ordinal),
    );
    if (contrary !== undefined) {
      const { id, ordinal } = contrary.cluster;
      throw TesseraError.of('INVALID_ARGUMENT', {
        message: `Cluster ${cluster.id} with ordinal ${cluster.ordinal} contradicts cluster ${id} with ordinal ${ordinal} (node ${contrary.node.address}): every cluster of an engine needs an engine.cluster_id and an engine.cluster_ordinal of its own`,
      });
    }
    const stranger = ofEngine.find(
      (other) => other.cluster.id === cluster.id && areStrangers(other.node, node),
    );
    if (stranger !== undefined) {
      throw TesseraError.of('INVALID_ARGUMENT', {
        message: `The nodes ${node.address} and ${stranger.node.address} belong to different clusters with the same name: every engine of an instance needs an engine.id of its own, and every cluster of an engine an engine.cluster_id`,
      });
    }
    this.#latest.set(`${cluster.engine} ${node.address}`, { cluster, node, atMs: this.#now() });
  }

  /** The other clusters that the service connects with this one, by engine and ordinal. */
  others({ engine, id }: Pick<ClusterIdentity, 'engine' | 'id'>): readonly AnnouncedCluster[] {
    const isOther = ({ cluster }: Announcement) =>
      this.#connected === 'engines'
        ? cluster.engine !== engine
        : cluster.engine === engine && cluster.id !== id;
    const clusters = [
      ...Map.groupBy(this.#current().filter(isOther), ({ cluster }) => nameOf(cluster)).values(),
    ];
    return clusters
      .map((announcements) => ({
        cluster: announcements[0]!.cluster,
        nodes: announcements
          .map(({ node }) => node)
          .sort((a, b) => Number(a.isDraining) - Number(b.isDraining)),
      }))
      .sort(
        ({ cluster: a }, { cluster: b }) =>
          Number(a.engine > b.engine) - Number(a.engine < b.engine) || a.ordinal - b.ordinal,
      );
  }

  #current(): Announcement[] {
    const since = this.#now() - ANNOUNCED_FOR_MS;
    for (const [key, { atMs }] of this.#latest) if (atMs < since) this.#latest.delete(key);
    return [...this.#latest.values()];
  }
}

const nameOf = ({ engine, id }: ClusterIdentity): string => `${engine} ${id}`;

/** Whether two nodes of one name belong to clusters that do not know each other. Nodes of version 0.2.0 list no nodes. */
const areStrangers = (a: AnnouncedNode, b: AnnouncedNode): boolean =>
  a.clusterNodes.length > 0 &&
  b.clusterNodes.length > 0 &&
  !a.clusterNodes.includes(b.address) &&
  !b.clusterNodes.includes(a.address);
