import { join } from 'node:path';
import { freePort, type Logger, TesseraError } from '@tessera/common';
import {
  type EngineConfig,
  engineNodes,
  LEAST_KEPT_LIMIT_BYTES,
  type MemoryShares,
  machineMemoryBytes,
  memoryLimitBytes,
  memoryShares,
  storageIsLocal,
} from '@tessera/config';
import { sharedTablesBootstrap } from '@tessera/coordinator';
import { type Kernel, startKernel } from '@tessera/kernel';
import { ExternalSources, type ObjectStore, schemeOverride } from '@tessera/object-store';
import type { NodeCredentials } from '@tessera/rpc';
import { kernelBootstrap } from '@tessera/sql';
import { agentBootstrap, openStorageAgent, type StorageAgent } from '@tessera/storage-agent';
import type { ServedStorageManager } from '@tessera/storage-manager';
import { exchangeBufferBytes } from './exchange-buffer-bytes.ts';
import type { NodeProcess } from './node-process.ts';
import type { ServeOptions } from './serve-options.ts';
import { openCatalog, startMirror, type TableDirectories, tableDirectories } from './tables.ts';

/** The kernel cannot start with less memory. */
const MIN_MEMORY_BYTES = 128 << 20;

/** The kernels of a node, and the data that they read. */
export interface NodeData {
  readonly memory: MemoryShares;
  readonly external: ExternalSources;
  readonly directories: TableDirectories;
  readonly kernel: Kernel;
  /** The kernel that only plans. */
  readonly mirror: Kernel;
  readonly store: ObjectStore;
  readonly manager: ServedStorageManager;
  readonly agent: StorageAgent;
  /** The port at which the storage manager will listen. */
  readonly storageManagerPort: number;
}

interface NodeDataParts {
  readonly host: NodeProcess;
  readonly credentials: NodeCredentials;
}

/** Starts the kernels and opens the tables and the storage agent. `resources` closes them. */
export async function openNodeData(
  options: ServeOptions,
  { host: { log, logging, uploadRoot }, credentials }: NodeDataParts,
  resources: AsyncDisposableStack,
): Promise<NodeData> {
  const { config } = options;
  const memory = memoryShares(memoryLimit(config, log));
  const external = new ExternalSources({
    directories: options.allowRead,
    urlPrefixes: options.allowUrl,
    writable: options.allowWrite,
    s3Endpoint: config.storage.default_s3_endpoint_override ?? undefined,
    schemeOverride: schemeOverride(config),
  });
  resources.defer(() => external.close());
  const directories = await tableDirectories(options.dataDirectory);
  const managerPort = await storageManagerPort(options);
  const [kernel, mirror, { store, manager }] = await openedTogether(resources, [
    startKernel({
      directory: join(options.dataDirectory, 'kernel'),
      readableDirectories: [uploadRoot, ...Object.values(directories), ...external.directories],
      memoryLimitBytes: memory.kernelBytes,
      ceilingBytes: memory.kernelCeilingBytes,
      nodeBytes: memory.processBytes,
      registeredBytes: exchangeBufferBytes(options),
      threads: config.execution.max_threads,
      bootstrap: [...kernelBootstrap, ...agentBootstrap, sharedTablesBootstrap],
      log: logging.logger('kernel'),
    }),
    startMirror(options, memory, logging),
    openCatalog({ ...options, storageManagerPort: managerPort }, credentials, logging),
  ]);
  const agent = await openStorageAgent({
    store,
    kernel,
    directory: directories.tablets,
    eviction: config.engine.eviction,
    log: logging.logger('storage-agent'),
  });
  resources.defer(() => agent.close());
  return {
    memory,
    external,
    directories,
    kernel,
    mirror,
    store,
    manager,
    agent,
    storageManagerPort: managerPort,
  };
}

/**
 * The port of the storage manager. Other nodes learn it from the store before this node listens there, so if
 * any port will do, it is chosen now.
 */
async function storageManagerPort({
  config,
  node,
  storageManagerPort: wanted,
}: ServeOptions): Promise<number> {
  const { host, storage_manager_port: configured } = engineNodes(config)[node]!;
  const port = wanted ?? configured;
  return port === 0 && !storageIsLocal(config) ? freePort(host) : port;
}

function memoryLimit(config: EngineConfig, log: Logger): number {
  const limitBytes = memoryLimitBytes(config, machineMemoryBytes());
  if (limitBytes < MIN_MEMORY_BYTES) {
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `The memory left to the engine is ${limitBytes} bytes; it needs at least ${MIN_MEMORY_BYTES} (engine.max_server_memory_usage and its relatives)`,
    });
  }
  if (limitBytes < LEAST_KEPT_LIMIT_BYTES) {
    log.warn(
      { limitBytes, leastBytes: LEAST_KEPT_LIMIT_BYTES },
      'engine.max_server_memory_usage is too small: the processes of this node may use more',
    );
  }
  return limitBytes;
}

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Waits for all of them and fails with the first failure; `resources` closes those that opened, so that
 * nothing stays open.
 */
async function openedTogether<T extends readonly Closable[]>(
  resources: AsyncDisposableStack,
  opening: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const settled = await Promise.allSettled<Closable>(opening);
  for (const one of settled)
    if (one.status === 'fulfilled') resources.defer(async () => void (await one.value.close()));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<Closable>).value) as unknown as T;
}
