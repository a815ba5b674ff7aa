import { statfs } from 'node:fs/promises';
import type { Coordinator } from '@tessera/coordinator';
import type { Kernel } from '@tessera/kernel';
import type { AgentMetrics } from '@tessera/storage-agent';
import type { LogStatus } from '@tessera/storage-manager';
import type { MetricSet, Samples } from './metric-set.ts';

/** The parts of a node whose state is read at each scrape. */
export interface MetricsSources {
  readonly version: string;
  readonly kernelVersion: string;
  readonly coordinator: Coordinator;
  /** The kernels, by their purpose. */
  readonly kernels: Readonly<Record<'queries' | 'plans', Kernel>>;
  readonly agent: () => AgentMetrics;
  /** The directory in which the storage agent keeps tablets. */
  readonly tabletDirectory: string;
  readonly log: () => LogStatus;
  readonly cluster: () => ClusterState;
  readonly connections: () => Promise<Samples<'endpoint'>>;
  /** The expiry times of the certificates, by the kind of peer that sees them. */
  readonly certificates: () => Samples<'shown_to'>;
}

/** The state of the cluster as this node sees it. */
interface ClusterState {
  readonly nodesConfigured: number;
  readonly nodesLiving: number;
  /** The number of tasks, including waiting ones. */
  readonly runningTasks: number;
  readonly waitingTasks: number;
  readonly exchangeBytes: number;
}

const ROLES: readonly LogStatus['role'][] = ['follower', 'candidate', 'leader', 'resigned', 'broken'];

export function nodeGauges(set: MetricSet, sources: MetricsSources): void {
  programGauges(set, sources);
  queryGauges(set, sources.coordinator, sources.kernels.queries);
  kernelGauges(set, sources.kernels);
  agentGauges(set, sources);
  logGauges(set, sources.log);
  clusterGauges(set, sources.cluster);
}

function programGauges(set: MetricSet, sources: MetricsSources): void {
  const { version, kernelVersion: kernel, coordinator } = sources;
  set.gauges(
    'tessera_build_info',
    'Version of Tessera and of its kernel, as labels; the value is always 1',
    ['version', 'kernel'],
    () => [[{ version, kernel }, 1]],
  );
  set.gauge('tessera_ready', '1 while the node accepts statements', () => Number(coordinator.ready));
  set.gauge('tessera_draining', '1 once the node has begun to shut down', () => Number(coordinator.draining));
  set.gauges(
    'tessera_open_connections',
    'Open client connections, including idle ones',
    ['endpoint'],
    sources.connections,
  );
  set.gauges(
    'tessera_certificate_expiry_timestamp_seconds',
    'Expiry time of the certificate presented to clients or nodes, in seconds since 1970; absent without TLS',
    ['shown_to'],
    sources.certificates,
  );
}

function queryGauges(set: MetricSet, coordinator: Coordinator, kernel: Kernel): void {
  set.gauge(
    'tessera_running_queries',
    'Queries in progress on this node, including queued ones',
    () => coordinator.running.size,
  );
  set.gauge(
    'tessera_queued_queries',
    'Queries waiting for admission; 0 without execution.admission_controller',
    () => coordinator.queuedQueries,
  );
  set.gauge(
    'tessera_admission_places',
    'Queries that the node may run at once now, with the places that it borrows from other nodes and without those that it lends; +Inf without execution.admission_controller',
    () => coordinator.admissionPlaces,
  );
  set.gauge(
    'tessera_quarantined_queries',
    'Queries being retried, or waiting to be retried, in the quarantine process, one at a time',
    () => kernel.quarantined,
  );
  set.gauge(
    'tessera_open_transactions',
    'Open transactions that were started on this node',
    () => coordinator.transactions?.list().length ?? 0,
  );
  set.total(
    'tessera_statement_retries_total',
    'Retries of statements after a conflict or the loss of a kernel process',
    () => coordinator.retries,
  );
  set.total(
    'tessera_unplanned_queries_total',
    'Queries that scanned whole tables because their plan could not be analysed for pruning',
    () => coordinator.unplannedQueries,
  );
  set.total(
    'tessera_undistributed_queries_total',
    'Queries on large tables that ran on one node because their plan could not be divided into stages',
    () => coordinator.undistributedQueries,
  );
  set.total(
    'tessera_gathering_queries_total',
    'Distributed queries that gathered an input of unbounded size on one node',
    () => coordinator.gatheringQueries,
  );
  resultCacheGauges(set, coordinator);
  set.gauge(
    'tessera_vacuum_waiting_tables',
    'Tables waiting for the check whether their tablets need to be merged',
    () => coordinator.tablesToMerge,
  );
}

function resultCacheGauges(set: MetricSet, coordinator: Coordinator): void {
  set.total(
    'tessera_result_cache_hits_total',
    'Queries that were answered with the result of an earlier query',
    () => coordinator.resultCache.hits,
  );
  set.total(
    'tessera_result_cache_misses_total',
    'Queries that were computed although their result may be reused: it was not kept, or a table had changed',
    () => coordinator.resultCache.misses,
  );
  set.gauge(
    'tessera_result_cache_results',
    'Results that are kept for later queries',
    () => coordinator.resultCache.size,
  );
  set.gauge(
    'tessera_result_cache_bytes',
    'Memory used by results that are kept',
    () => coordinator.resultCache.bytes,
  );
  set.total(
    'tessera_subresult_cache_hits_total',
    'Parts of queries that were read from the rows that an earlier query computed',
    () => coordinator.keptParts.hits,
  );
  set.gauge(
    'tessera_subresult_cache_parts',
    'Parts of queries whose rows are kept for later queries',
    () => coordinator.keptParts.size,
  );
  set.gauge(
    'tessera_subresult_cache_bytes',
    'Estimated memory used by the rows of parts that are kept',
    () => coordinator.keptParts.bytes,
  );
}

/** A kernel that does not answer within this time, for example while it starts, is omitted. */
const MEMORY_WITHIN_MS = 1_000;

function kernelGauges(set: MetricSet, kernels: MetricsSources['kernels']): void {
  const all = () => Object.entries(kernels);
  const each = (value: (kernel: Kernel) => number) => () =>
    all().map(([process, kernel]) => [{ process }, value(kernel)] as const);
  const memory = memoryOf(kernels);
  const used = (field: 'usedBytes' | 'limitBytes' | 'spilledBytes') => async () =>
    [...(await memory())].map(([process, use]) => [{ process }, use[field]] as const);
  const labels = ['process'] as const;
  set.gauges(
    'tessera_kernel_ready',
    '1 while the kernel process is ready',
    labels,
    each((kernel) => Number(kernel.ready)),
  );
  set.totals(
    'tessera_kernel_restarts_total',
    'Restarts of the kernel process',
    labels,
    each((kernel) => kernel.status().restarts),
  );
  set.gauges(
    'tessera_kernel_sessions',
    'Open sessions in the kernel process',
    labels,
    each((kernel) => kernel.status().sessions),
  );
  set.gauges(
    'tessera_kernel_memory_bytes',
    'Memory used by the kernel process, including resident tables',
    labels,
    used('usedBytes'),
  );
  set.gauges(
    'tessera_kernel_memory_limit_bytes',
    'Memory limit of the kernel process',
    labels,
    used('limitBytes'),
  );
  set.gauges(
    'tessera_kernel_spilled_bytes',
    'Bytes currently spilled to disk by the kernel process',
    labels,
    used('spilledBytes'),
  );
}

type Memory = Awaited<ReturnType<Kernel['memory']>>;

/** Asks each kernel once per scrape, although several metrics need the answer. */
function memoryOf(kernels: MetricsSources['kernels']): () => Promise<Map<string, Memory>> {
  let asking: Promise<Map<string, Memory>> | undefined;
  const ask = async () => {
    const late = new Promise<undefined>((resolve) =>
      setTimeout(() => resolve(undefined), MEMORY_WITHIN_MS).unref(),
    );
    const uses = Object.entries(kernels).map(async ([process, kernel]) => {
      const use = await Promise.race([kernel.memory().catch(() => undefined), late]);
      return use === undefined ? [] : [[process, use] as const];
    });
    return new Map((await Promise.all(uses)).flat());
  };
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

function agentGauges(set: MetricSet, { agent, tabletDirectory }: MetricsSources): void {
  const prefix = 'tessera_storage_agent';
  set.gauge(`${prefix}_hot_tablets`, 'Tablets in memory', () => agent().tabletsHot);
  set.gauge(`${prefix}_hot_bytes`, 'Memory used by tablets in memory', () => agent().bytesHot);
  set.gauge(
    `${prefix}_disk_tablets`,
    'Tablets on local disk, complete or partial',
    () => agent().tabletsOnDisk,
  );
  set.gauge(`${prefix}_disk_bytes`, 'Local disk space used by tablets', () => agent().bytesOnDisk);
  set.gauge(
    `${prefix}_promotions_pending`,
    'Tables being loaded into memory, or waiting for it',
    () => agent().promotionsPending,
  );
  set.total(
    `${prefix}_fetched_bytes_total`,
    'Bytes of tablets fetched from the object store',
    () => agent().bytesFetched,
  );
  set.total(
    `${prefix}_peer_bytes_total`,
    'Bytes of tablets fetched from other nodes instead of the object store',
    () => agent().bytesFromPeers,
  );
  set.total(
    `${prefix}_hits_total`,
    'Requests for tablets that were served from this node',
    () => agent().hits,
  );
  set.total(
    `${prefix}_misses_total`,
    'Requests for tablets that fetched data from the object store or another node',
    () => agent().misses,
  );
  set.total(
    `${prefix}_corrupt_refetches_total`,
    'Damaged responses of the object store or another node that were fetched again',
    () => agent().corruptRefetches,
  );
  const disk = () => statfs(tabletDirectory);
  set.gauge('tessera_disk_free_bytes', 'Free bytes on the disk that holds the data directory', async () => {
    const { bavail, bsize } = await disk();
    return bavail * bsize;
  });
  set.gauge(
    'tessera_disk_size_bytes',
    'Size in bytes of the disk that holds the data directory',
    async () => {
      const { blocks, bsize } = await disk();
      return blocks * bsize;
    },
  );
}

export function logGauges(set: MetricSet, log: () => LogStatus): void {
  set.gauges(
    'tessera_metadata_role',
    '1 for the current role of the node in the metadata log, 0 for the others',
    ['role'],
    () => {
      const { role: is } = log();
      return ROLES.map((role) => [{ role }, Number(role === is)]);
    },
  );
  set.gauge(
    'tessera_metadata_may_lead',
    '1 if the node may become leader of the metadata log; 0 with a metadata service, or if its log is damaged',
    () => Number(log().mayLead),
  );
  set.gauge('tessera_metadata_version', 'Newest catalog version known to the node', () => log().version);
  set.gauge(
    'tessera_metadata_epoch',
    'Epoch of the leader that wrote the newest catalog version; it increases with each new leader',
    () => log().epoch,
  );
  set.gauge(
    'tessera_metadata_read_age_seconds',
    'Seconds since the node last confirmed which catalog version is newest; 0 while it leads',
    () => log().readAgeSeconds,
  );
  set.gauge(
    'tessera_metadata_waiting_commits',
    'Commits that the leader is appending or has queued',
    () => log().waitingCommits,
  );
  set.gauge(
    'tessera_metadata_entries_since_checkpoint',
    'Log entries since the last checkpoint, which a starting node must read; reported by the leader',
    () => log().entriesSinceCheckpoint,
  );
  set.gauge(
    'tessera_metadata_checkpoint_bytes',
    'Size of the newest checkpoint in bytes; reported by the leader',
    () => log().checkpointBytes,
  );
  set.gauge(
    'tessera_garbage_objects',
    'Objects in the store that the catalog no longer refers to and that have not been deleted yet',
    () => log().garbageObjects,
  );
}

function clusterGauges(set: MetricSet, cluster: () => ClusterState): void {
  const prefix = 'tessera_cluster';
  set.gauge(
    `${prefix}_nodes_configured`,
    'Nodes listed in the configuration',
    () => cluster().nodesConfigured,
  );
  set.gauge(
    `${prefix}_nodes_living`,
    'Nodes that respond to this one, including itself',
    () => cluster().nodesLiving,
  );
  set.gauge(
    `${prefix}_running_tasks`,
    'Tasks of queries that are running or waiting on this node',
    () => cluster().runningTasks,
  );
  set.gauge(
    `${prefix}_waiting_tasks`,
    'Tasks of queries that are waiting on this node',
    () => cluster().waitingTasks,
  );
  set.gauge(
    `${prefix}_exchange_bytes`,
    'Bytes of task output that this node holds for other nodes',
    () => cluster().exchangeBytes,
  );
}
