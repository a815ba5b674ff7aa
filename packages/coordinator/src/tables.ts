import type { Kernel } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import type { StorageAgent } from '@tessera/storage-agent';
import type { StorageManager } from '@tessera/storage-manager';
import type { HeaderOptions } from '@tessera/tablet';

/** What statements on managed tables need. */
export interface TableServices {
  readonly manager: StorageManager;
  readonly agent: StorageAgent;
  readonly store: ObjectStore;
  /**
   * A kernel of its own that only plans: tables are there by name and empty, with the optimiser set so that
   * `json_serialize_plan` works.
   */
  readonly mirror: Kernel;
  /** Writable by the kernel; tablets stand here until they are uploaded. */
  readonly stagingRoot: string;
  readonly header: HeaderOptions;
  readonly storage: {
    readonly enableManagedLocation: boolean;
    readonly allowCollectGarbage: boolean;
    readonly collectGarbageLimit: number;
  };
}
