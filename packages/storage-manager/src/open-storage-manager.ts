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
  /** The index of this node in `engine.nodes`; the first one leads. Default 0. */
  readonly node?: number;
  /**
   * Whether only this process can use the store, because it holds a lock on its directory. No request is then
   * spent on proving that no other node leads. Default false.
   */
  readonly exclusive?: boolean;
  /**
   * The address by which other nodes reach this node's service, `host:port`; by default the one in
   * `engine.nodes`.
   */
  readonly address?: string;
  /**
   * Whether this is the external metadata service of a `multi_engine` instance, which always leads. Default
   * false.
   */
  readonly metadataService?: boolean;
  /** By default the token in the environment. */
  readonly clusterToken?: string | undefined;
  readonly tls?: ClusterTls | undefined;
  readonly log: Logger;
  /** Replaced in tests and for special stores. */
  readonly times?: Partial<StorageManagerTimes>;
  readonly tuning?: Partial<LogNodeOptions>;
}

/**
 * Reads the catalog and, if this node should lead, begins to lead.
 * @throws TesseraError STORAGE_UNAVAILABLE if the store does not answer; STORE_MISMATCH if the leader uses
 * another store; METADATA_UNAVAILABLE if the log cannot be read, or cannot be written although only this node
 * can lead, or if the leader has another cluster token; STORAGE_UNSUITABLE if other nodes may lead too and
 * the store's conditional writes are not conditional
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
  const driver = new LogNodeDriver({ store, node: { ...node, store: identity }, log });
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
    // No other node reads the log, so no node can be behind.
    ...(alone && !metadataService ? { logRetentionMs: 0 } : {}),
    exclusive: alone,
    ...tuning,
  } satisfies LogNodeOptions;
}

/**
 * For nodes that must not keep state: reads the newest checkpoint and the entries after it, and forgets them.
 */
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
