import type { DistExec } from '@tessera/distexec';
import type { Cluster } from '@tessera/scheduler';

/** What queries need to run on several nodes. */
export interface ClusterServices {
  readonly cluster: Cluster;
  /** Of this node. */
  readonly distExec: DistExec;
}
