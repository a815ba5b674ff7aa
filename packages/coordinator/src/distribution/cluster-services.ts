import type { DistExec } from '@tessera/distexec';
import type { SharedFiles } from '@tessera/file-scan';
import type { Cluster } from '@tessera/scheduler';

/** What queries need to run on several nodes, and to be seen and cancelled from all of them. */
export interface ClusterServices {
  readonly cluster: Cluster;
  /** Of this node. */
  readonly distExec: DistExec;
  /** Files of this node that other nodes read parts of. */
  readonly sharedFiles: SharedFiles;
  /** False: every query runs on the node that is asked. */
  readonly distributes: boolean;
}
