import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logging } from '@tessera/common';
import { type EngineConfig, engineNodes, type MemoryShares, storageIsLocal } from '@tessera/config';
import type { HistoryPlace, TableServices } from '@tessera/coordinator';
import { type Kernel, startKernel } from '@tessera/kernel';
import { type ObjectStore, openObjectStore } from '@tessera/object-store';
import { mirrorBootstrap } from '@tessera/planner';
import type { NodeCredentials } from '@tessera/rpc';
import { kernelBootstrap } from '@tessera/sql';
import { locationCredentials, openStorageManager, type ServedStorageManager } from '@tessera/storage-manager';
import type { ServeOptions } from './serve-options.ts';

export interface TableDirectories {
  /** The files of tablets; losing them costs only another fetch. */
  readonly tablets: string;
  /** Tablets that are written but not uploaded yet; emptied at every start. */
  readonly staging: string;
}

/** Creates the directories in which a node keeps data of its tables. */
export async function tableDirectories(dataDirectory: string): Promise<TableDirectories> {
  const tablets = join(dataDirectory, 'tablets');
  const staging = join(dataDirectory, 'staging');
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await mkdir(tablets, { recursive: true, mode: 0o700 });
  return { tablets, staging };
}

export interface Catalog {
  readonly store: ObjectStore;
  readonly manager: ServedStorageManager;
  close(): Promise<void>;
}

/** Opens the object store and reads the catalog in it. */
export async function openCatalog(
  options: ServeOptions,
  credentials: NodeCredentials,
  logging: Logging,
): Promise<Catalog> {
  const { config, dataDirectory, node, storageManagerPort: port } = options;
  const log = logging.logger('storage-manager');
  // Nodes of a cluster find each other by `engine.nodes`, whatever port this process uses.
  const { host } = engineNodes(config)[node]!;
  const address = config.engine.nodes == null && port !== undefined ? `${host}:${port}` : undefined;
  let manager: ServedStorageManager | undefined;
  const store = await openObjectStore(config, {
    dataDirectory,
    locations: locationCredentials(() => manager),
  });
  try {
    const opened = await openStorageManager({
      store,
      config,
      node,
      exclusive: storageIsLocal(config),
      ...(address !== undefined && { address }),
      ...credentials,
      log,
    });
    manager = opened;
    const close = async () => {
      await opened.close();
      await store.close();
    };
    return { store, manager, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Starts the kernel that only plans and never sees rows. */
export const startMirror = (
  { dataDirectory }: ServeOptions,
  memory: Pick<MemoryShares, 'mirrorBytes' | 'mirrorCeilingBytes'>,
  logging: Logging,
): Promise<Kernel> =>
  startKernel({
    directory: join(dataDirectory, 'mirror'),
    readableDirectories: [],
    memoryLimitBytes: memory.mirrorBytes,
    ceilingBytes: memory.mirrorCeilingBytes,
    threads: 1,
    bootstrap: [...kernelBootstrap, ...mirrorBootstrap],
    definesRelations: true,
    log: logging.logger('mirror'),
  });

export const headerOptions = ({ execution }: EngineConfig): TableServices['header'] => ({
  formatVersion: execution.hybrid_headers_format_version as 1 | 2 | 3,
  compression: execution.hybrid_headers_primary_index_compression_method,
  compressionLevel: execution.hybrid_headers_primary_index_compression_level,
  minBytesForWide: execution.min_bytes_for_wide_part,
});

export const storageOptions = ({ storage }: EngineConfig): TableServices['storage'] => ({
  enableManagedLocation: storage.enable_managed_location,
  allowCollectGarbage: storage.allow_collect_garbage,
  collectGarbageLimit: storage.collect_garbage_limit_per_query,
});

/** The histories of a cluster stand beside the log, apart from those of other engines and clusters on the same store. */
export function historyPlace(
  { engine }: EngineConfig,
  node: number,
  store: ObjectStore,
  logging: Logging,
): HistoryPlace {
  const cluster = [engine.id, engine.cluster_id ?? 'cluster'].map(encodeURIComponent).join('/');
  return { store, prefix: `history/${cluster}/`, node, log: logging.logger('maintenance') };
}
