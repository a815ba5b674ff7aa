import { type Logger, newUlid } from '@tessera/common';
import { type EngineConfig, engineNodes } from '@tessera/config';
import { type ObjectStore, probeConditionalWrites } from '@tessera/object-store';
import { type ClusterTls, clusterToken } from '@tessera/rpc';
import { ClusteredStorageManager } from './clustered-storage-manager.ts';
import { LeaderChannels } from './leader-channels.ts';
import { LOG_NODE_DEFAULTS, type LogNodeOptions } from './log-node/options.ts';
import { LogNodeDriver } from './log-node-driver.ts';
import type { ServedStorageManager } from './served-storage-manager.ts';
import { storeIdentity } from './store-identity.ts';
import { STORAGE_MANAGER_TIMES, type StorageManagerTimes } from './times.ts';

export interface StorageManagerOptions {
  readonly store: ObjectStore;
  readonly config: EngineConfig;
  /** Index of this node in `engine.nodes`; the first leads. Default 0. */
  readonly node?: number;
  /**
   * This process alone can use the store, because it holds a lock on its directory: then no request is spent on proving
   * that nobody else leads. Default false.
   */
  readonly exclusive?: boolean;
  /** Where other nodes reach this node's service, `host:port`; by default as `engine.nodes` says. */
  readonly address?: string;
  /** This is the external metadata service of a `multi_engine` instance: it leads. Default false. */
  readonly metadataService?: boolean;
  /** By default that of the environment. */
  readonly clusterToken?: string | undefined;
  readonly tls?: ClusterTls | undefined;
  readonly log: Logger;
  /** For tests and special stores. */
  readonly times?: Partial<StorageManagerTimes>;
  readonly tuning?: Partial<LogNodeOptions>;
}

/**
 * Reads the catalog and, where this node is to lead, begins to lead it.
 * @throws TesseraError STORAGE_UNAVAILABLE when the store does not answer; STORE_MISMATCH when the leader has another store;
 * METADATA_UNAVAILABLE when the log cannot be read or, where only this node can lead, written, and when the leader has another
 * cluster token;
 * STORAGE_UNSUITABLE when other nodes may lead too and the store's conditional writes are not conditional
 */
export async function openStorageManager(options: StorageManagerOptions): Promise<ServedStorageManager> {
  const { store, config, log } = options;
  const times = { ...STORAGE_MANAGER_TIMES, ...options.times };
  const node = logNodeOptions(options);
  const external =
    options.metadataService !== true && config.instance.type === 'multi_engine'
      ? config.instance.multi_engine?.metadata_endpoint
      : undefined;
  const rivals = node.candidate && (options.metadataService === true || engineNodes(config).length > 1);
  if (rivals && !node.exclusive) await probeConditionalWrites(store);
  const id = await storeIdentity(store, times.readTimeoutMs);
  const identity = { instance: config.instance.id, id, url: store.url };
  const driver = new LogNodeDriver({ store, node, log });
  const leaders = node.exclusive
    ? undefined
    : new LeaderChannels({
        store,
        endpoint: external,
        ownAddress: node.address,
        clusterToken: 'clusterToken' in options ? options.clusterToken : clusterToken(),
        tls: options.tls,
        identity,
      });
  const readAnew =
    config.execution.storage_manager_cache_tablets_on_proxy || node.exclusive
      ? undefined
      : () => readStateAnew(options, node, times);
  const manager = new ClusteredStorageManager({
    driver,
    leaders,
    store: identity,
    incarnation: node.incarnation,
    candidateAddress: node.candidate && node.address !== '' ? node.address : undefined,
    times,
    readAnew,
    probe: rivals && !node.exclusive ? () => probeConditionalWrites(store) : undefined,
    log,
  });
  driver.start();
  try {
    if (node.exclusive) await driver.until(({ role }) => role.kind !== 'candidate', times.readTimeoutMs);
    await manager.latest();
    await manager.reportPins();
    return manager;
  } catch (error) {
    await manager.close();
    throw error;
  }
}

function logNodeOptions(options: StorageManagerOptions) {
  const { config, node = 0, exclusive = false, metadataService = false, tuning } = options;
  const nodes = engineNodes(config);
  const { host, storage_manager_port: port } = nodes[node]!;
  const external = config.instance.type === 'multi_engine' && !metadataService;
  const alone = exclusive && !external && (metadataService || nodes.length === 1);
  return {
    ...LOG_NODE_DEFAULTS,
    incarnation: newUlid(),
    address: options.address ?? `${host}:${port}`,
    candidate: !external,
    preferred: metadataService || node === 0,
    gcTtlMs: config.storage.gc_ttl_seconds * 1_000,
    // Nobody else reads the log: nobody can be behind.
    ...(alone && !metadataService ? { logRetentionMs: 0 } : {}),
    exclusive: alone,
    ...tuning,
  } satisfies LogNodeOptions;
}

/** For nodes that must keep nothing: the newest checkpoint and the entries behind it, read and forgotten. */
async function readStateAnew(
  { store, log }: StorageManagerOptions,
  node: LogNodeOptions,
  times: StorageManagerTimes,
) {
  const reader = new LogNodeDriver({ store, log, node: { ...node, candidate: false, exclusive: false } });
  try {
    reader.start();
    return await reader.latest(times.readTimeoutMs);
  } finally {
    await reader.close(0);
  }
}
