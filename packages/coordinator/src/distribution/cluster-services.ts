import type { OtherClusters } from '@tessera/broadcast';
import type { DistExec } from '@tessera/distexec';
import type { SharedFiles } from '@tessera/file-scan';
import type { Cluster } from '@tessera/scheduler';

/** The services that let queries run on several nodes, and be seen and cancelled from all of them. */
export interface ClusterServices {
  readonly cluster: Cluster;
  /** The task executor of this node. */
  readonly distExec: DistExec;
  /** The files of this node that other nodes read in parts. */
  readonly sharedFiles: SharedFiles;
  /** The other clusters of the engine; undefined if it has only one. */
  readonly otherClusters?: OtherClusters | undefined;
  /** If false, every query runs on the node that received it. */
  readonly distributes: boolean;
}
