import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logging } from '@tessera/common';
import { type EngineConfig, storageIsLocal } from '@tessera/config';
import type { TableServices } from '@tessera/coordinator';
import { type Kernel, startKernel } from '@tessera/kernel';
import { openObjectStore } from '@tessera/object-store';
import { mirrorBootstrap } from '@tessera/planner';
import { kernelBootstrap } from '@tessera/sql';
import { openStorageAgent } from '@tessera/storage-agent';
import { openStorageManager } from '@tessera/storage-manager';
import type { ServeOptions } from './serve-options.ts';

/** The planning kernel sees no rows. */
const MIRROR_MEMORY_BYTES = 256 << 20;

/** Where a node keeps what belongs to its tables, in its data directory. */
export const tableDirectories = (dataDirectory: string) => ({
  /** Files of tablets; losing them costs a fetch. */
  tablets: join(dataDirectory, 'tablets'),
  /** Tablets that are written and not uploaded yet; emptied at every start. */
  staging: join(dataDirectory, 'staging'),
});

/** Opens catalog, object store, storage agent and planning kernel; `resources` closes them again. */
export async function openTables(
  options: ServeOptions,
  kernel: Kernel,
  logging: Logging,
  resources: AsyncDisposableStack,
): Promise<TableServices> {
  const { config, dataDirectory } = options;
  const { tablets, staging } = tableDirectories(dataDirectory);
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await mkdir(tablets, { recursive: true, mode: 0o700 });

  const store = await openObjectStore(config, { dataDirectory });
  resources.defer(() => store.close());
  const manager = await openStorageManager({
    store,
    config,
    node: options.node,
    exclusive: storageIsLocal(config),
    log: logging.logger('storage-manager'),
  });
  resources.defer(() => manager.close());
  const agent = await openStorageAgent({ store, kernel, directory: tablets });
  resources.defer(() => agent.close());
  const mirror = await startKernel({
    directory: join(dataDirectory, 'mirror'),
    readableDirectories: [],
    memoryLimitBytes: MIRROR_MEMORY_BYTES,
    threads: 1,
    bootstrap: [...kernelBootstrap, ...mirrorBootstrap],
    log: logging.logger('mirror'),
  });
  resources.defer(() => mirror.close());
  return {
    manager,
    agent,
    store,
    mirror,
    stagingRoot: staging,
    header: headerOptions(config),
    storage: storageOptions(config),
  };
}

function headerOptions({ execution }: EngineConfig): TableServices['header'] {
  return {
    formatVersion: execution.hybrid_headers_format_version as 1 | 2 | 3,
    compression: execution.hybrid_headers_primary_index_compression_method,
    compressionLevel: execution.hybrid_headers_primary_index_compression_level,
    minBytesForWide: execution.min_bytes_for_wide_part,
  };
}

const storageOptions = ({ storage }: EngineConfig): TableServices['storage'] => ({
  enableManagedLocation: storage.enable_managed_location,
  allowCollectGarbage: storage.allow_collect_garbage,
  collectGarbageLimit: storage.collect_garbage_limit_per_query,
});
