import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  asNodeName,
  asQueryId,
  type Logging,
  newIncarnation,
  type QueryId,
  TesseraError,
} from '@tessera/common';
import { type EngineConfig, engineNodes } from '@tessera/config';
import type { SharedPlaces } from '@tessera/coordinator';
import { type DistExec, distExecService, openDistExec, type ServedDistExec } from '@tessera/distexec';
import { FileOpener, SharedFiles } from '@tessera/file-scan';
import type { Kernel } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { type NodeCredentials, openRpcChannel } from '@tessera/rpc';
import type { ClusterNode } from '@tessera/scheduler';
import { openShuffle, type Shuffle, type ShuffleOptions } from '@tessera/shuffle';
import { ClusterTablets, type StorageAgent, type TabletStore } from '@tessera/storage-agent';
import manifest from '../../package.json' with { type: 'json' };
import { EngineCluster } from './engine-cluster.ts';
import { LOST_AFTER_MS } from './peer-state.ts';
import type { PeerPlace } from './pinger.ts';
import { simulatedFaults } from './simulated-faults.ts';

export interface MultiNodeOptions {
  readonly config: EngineConfig;
  /** The index of this node in `engine.nodes`. */
  readonly node: number;
  readonly kernel: Kernel;
  readonly agent: StorageAgent;
  /** Where it stores tablets that it writes for other nodes. */
  readonly tablets: Omit<TabletStore, 'agent'>;
  readonly external: ExternalSources;
  /** The directory in which tasks keep parts of files; the kernel must be able to read it. */
  readonly filesDirectory: string;
  readonly memoryLimitBytes: number;
  /** Where the outputs of tasks are kept. */
  readonly exchange: Pick<ShuffleOptions, 'directory' | 'memoryBytes'>;
  readonly isDraining: () => boolean;
  /** The places of this node's admission control, if it has one. */
  readonly admission: SharedPlaces | undefined;
  readonly credentials: NodeCredentials;
  readonly logging: Logging;
}

/** The queries that this node coordinates. */
interface CoordinatedQueries {
  queryRecords(): Promise<readonly Record<string, unknown>[]>;
  /** The number of queries that the node coordinates. */
  runningQueries(): number;
  cancel(queryId: QueryId, reason: string, ofUser?: string): boolean;
}

/** After this time, every other node has pinged this one and gives it no new tasks. */
const TOLD_AFTER_MS = 1_000;
const DRAIN_CHECK_MS = 20;

/** The services of a node that takes part in distributed queries. */
export interface MultiNode {
  readonly shuffle: Shuffle;
  readonly distExec: DistExec;
  readonly cluster: EngineCluster;
  /** Files that other nodes read in parts. */
  readonly sharedFiles: SharedFiles;
  /** The service that answers other nodes. */
  service(queries: CoordinatedQueries): ServedDistExec;
  /**
   * Waits for the tasks and outputs of other nodes, which were told `toldMs` ago that this node leaves; at
   * most `graceMs`.
   */
  drain(graceMs: number, toldMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the services without answering other nodes, which the caller's ports do. */
export function openMultiNode(options: MultiNodeOptions): MultiNode {
  const { config, node, kernel, agent, tablets, external, admission, credentials, logging } = options;
  const places = placesOf(config);
  const place = places[node]!;
  const shuffle = openNodeShuffle(places, place, options);
  const sharedFiles = new SharedFiles({ address: place.name, credentials });
  const distExec = openDistExec({
    kernel,
    agent,
    files: new FileOpener({ external, shared: sharedFiles, directory: options.filesDirectory }),
    tablets,
    shuffle,
    node: place.name,
    shuffleAddress: place.shuffleAddress,
    log: logging.logger('distexec'),
  });
  const facts = {
    version: manifest.version,
    threads: config.execution.max_threads || availableParallelism(),
    startedAtMs: Date.now() - Math.round(1_000 * process.uptime()),
  };
  const self = (): ClusterNode => ({
    ...place,
    ...facts,
    incarnation: shuffle.incarnation,
    status: options.isDraining() ? 'draining' : 'running',
    memoryLimitBytes: options.memoryLimitBytes,
  });
  const cluster = new EngineCluster({
    self,
    places,
    distExec,
    credentials,
    admission,
    log: logging.logger('cluster'),
  });
  const tabletsOfOthers = new ClusterTablets({
    others: () => otherAgents(cluster, places),
    credentials,
    log: logging.logger('storage-agent'),
  });
  agent.readFrom(tabletsOfOthers);
  const close = async () => {
    tabletsOfOthers.close();
    await cluster.close();
    await distExec.close();
    sharedFiles.close();
    await shuffle.close();
  };
  const service = (queries: CoordinatedQueries) =>
    distExecService(distExec, {
      kernel,
      ...facts,
      heartbeatMs: LOST_AFTER_MS / 2,
      status: () => self().status,
      listQueries: () => queries.queryRecords(),
      runningQueries: () => queries.runningQueries(),
      ...(admission && { lendPlaces: (from, request) => admission.lend(from, request) }),
      cancelQuery: (queryId, { reason, ofUser }) => queries.cancel(asQueryId(queryId), reason, ofUser),
      log: logging.logger('distexec'),
    });
  const drain = async (graceMs: number, toldMs: number) => {
    if (places.length > 1) await idle(() => distExec.runningTasks > 0 || shuffle.bytes > 0, graceMs, toldMs);
  };
  return { shuffle, distExec, cluster, sharedFiles, service, drain, close };
}

/** The addresses of the storage agents of the other nodes that answer. */
const otherAgents = (cluster: EngineCluster, places: readonly PeerPlace[]): readonly string[] =>
  cluster
    .living()
    .filter(({ index }) => index !== cluster.self.index)
    .map(({ index }) => places[index]!.storageAgentAddress);

function openNodeShuffle(
  places: readonly PeerPlace[],
  place: PeerPlace,
  { exchange, credentials, logging }: MultiNodeOptions,
): Shuffle {
  const names = new Map(places.map(({ shuffleAddress, name }) => [shuffleAddress, name]));
  const nodeAt = (address: string) => names.get(address) ?? address;
  return openShuffle({
    ...exchange,
    node: place.name,
    incarnation: newIncarnation(),
    channel: (address) =>
      openRpcChannel({
        ...credentials,
        address,
        unanswered: (reason) => TesseraError.of('NODE_LOST', { node: nodeAt(address), reason }),
      }),
    nodeAt,
    disturbedHash: simulatedFaults().disturbedHash,
    log: logging.logger('shuffle'),
  });
}

/** See `MultiNode.drain`. */
async function idle(isBusy: () => boolean, graceMs: number, toldMs: number): Promise<void> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  while (elapsedMs() < Math.min(TOLD_AFTER_MS - toldMs, graceMs) || (isBusy() && elapsedMs() < graceMs)) {
    await delay(DRAIN_CHECK_MS);
  }
}

const placesOf = (config: EngineConfig): readonly PeerPlace[] =>
  engineNodes(config).map(({ host, distexec_port, shuffle_port, storage_agent_port }, index) => ({
    index,
    name: asNodeName(addressOf(host, distexec_port)),
    shuffleAddress: addressOf(host, shuffle_port),
    storageAgentAddress: addressOf(host, storage_agent_port),
  }));

const addressOf = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
