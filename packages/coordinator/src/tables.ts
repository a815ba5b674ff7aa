import type { Kernel } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import type { StorageAgent } from '@tessera/storage-agent';
import type { StorageManager } from '@tessera/storage-manager';
import type { HeaderOptions } from '@tessera/tablet';
import type { HistoryPlace } from './history/stored-history.ts';

/** The services that statements on managed tables need. */
export interface TableServices {
  readonly manager: StorageManager;
  readonly agent: StorageAgent;
  readonly store: ObjectStore;
  /** The id of the store, which names its folders at the locations of tables. */
  readonly storeId: string;
  /**
   * A kernel that only plans: it has all tables by name, without rows, with optimiser settings under which
   * `json_serialize_plan` works.
   */
  readonly mirror: Kernel;
  /** A directory that the kernel can write to; tablets are kept there until they are uploaded. */
  readonly stagingRoot: string;
  readonly header: HeaderOptions;
  /** If undefined, the histories of queries and metrics end with the process. */
  readonly historyPlace?: HistoryPlace | undefined;
  /** How deleted rows change the partial rows of aggregating indexes: `execution.ai_mutations_mode`. */
  readonly indexMutations: 'native_only' | 'reevaluate' | 'hybrid';
  readonly storage: {
    readonly enableManagedLocation: boolean;
    readonly allowCollectGarbage: boolean;
    readonly collectGarbageLimit: number;
  };
}
