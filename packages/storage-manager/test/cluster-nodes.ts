import { createLogging, freePort } from '@tessera/common';
import { type EngineConfig, parseConfig } from '@tessera/config';
import { type ObjectStore, openLocalStore } from '@tessera/object-store';
import { startRpcServer } from '@tessera/rpc';
import { openStorageManager, type ServedStorageManager, storageManagerService } from '../src/index.ts';

export const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: [] }).logger(
  'storage-manager',
);
export const TOKEN = 'a-token-of-the-cluster';
/** A short lease, so that tests need not wait long for a new leader. */
export const LEASE_MS = 1_200;

const FAST = {
  commitTimeoutMs: 10_000,
  askTimeoutMs: 1_000,
  commitAskMs: 1_000,
  pinReportMs: 100,
  closeGraceMs: 100,
  garbageMs: 0,
};

export function clusterConfig(...lines: string[]): EngineConfig {
  return parseConfig(['schema_version: "1.0"', ...lines].join('\n'), 'test').config;
}

export const TWO_NODES = clusterConfig('engine:', '  nodes:', '    - host: node-0', '    - host: node-1');

export interface ClusterNode extends AsyncDisposable {
  readonly manager: ServedStorageManager;
  readonly store: ObjectStore;
  readonly address: string;
}

/** A node of a cluster on one directory: its manager, and the service through which others reach it. */
export async function clusterNode(
  directory: string,
  node: number,
  { config = TWO_NODES, store, port }: { config?: EngineConfig; store?: ObjectStore; port?: number } = {},
): Promise<ClusterNode> {
  const used = store ?? (await openLocalStore(directory, { fsync: false }));
  const address = `127.0.0.1:${port ?? (await freePort('127.0.0.1'))}`;
  const manager = await openStorageManager({
    store: used,
    config,
    node,
    address,
    clusterToken: TOKEN,
    log,
    times: FAST,
    tuning: { leaseMs: LEASE_MS, pinTtlMs: 2_000 },
  });
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: Number(address.split(':')[1]),
    services: [storageManagerService(manager)],
    clusterToken: TOKEN,
    log,
  });
  return {
    manager,
    store: used,
    address,
    [Symbol.asyncDispose]: async () => {
      await server.close(0);
      await manager.close();
      await used.close();
    },
  };
}

interface EngineOptions {
  readonly lines?: readonly string[];
  readonly commitTimeoutMs?: number;
}

/** An engine that only uses the metadata service at `endpoint`, with further lines of its configuration. */
export function engineOf(
  endpoint: string,
  store: ObjectStore,
  { lines = [], commitTimeoutMs = FAST.commitTimeoutMs }: EngineOptions = {},
) {
  const config = clusterConfig(
    'instance:',
    '  type: multi_engine',
    '  multi_engine:',
    `    metadata_endpoint: ${endpoint}`,
    ...lines,
  );
  return openStorageManager({
    store,
    config,
    clusterToken: TOKEN,
    log,
    times: { ...FAST, commitTimeoutMs },
  });
}
