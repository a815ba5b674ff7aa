import { statfs } from 'node:fs/promises';
import type { Coordinator } from '@tessera/coordinator';
import type { Kernel } from '@tessera/kernel';
import type { AgentMetrics } from '@tessera/storage-agent';
import type { LogStatus } from '@tessera/storage-manager';
import type { MetricSet, Samples } from './metric-set.ts';

/** What of a node is asked for its state when it is scraped. */
export interface MetricsSources {
  readonly version: string;
  readonly kernelVersion: string;
  readonly coordinator: Coordinator;
  /** By what they are for. */
  readonly kernels: Readonly<Record<'queries' | 'plans', Kernel>>;
  readonly agent: () => AgentMetrics;
  /** Where the agent keeps tablets. */
  readonly tabletDirectory: string;
  readonly log: () => LogStatus;
  readonly cluster: () => ClusterState;
  readonly connections: () => Promise<Samples<'endpoint'>>;
  /** When the certificates expire, by who is shown them. */
  readonly certificates: () => Samples<'shown_to'>;
}

/** What the nodes of the engine do for each other, seen from this one. */
export interface ClusterState {
  readonly nodesConfigured: number;
  readonly nodesLiving: number;
  /** Those that wait among them. */
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
    'Version of the program and of its kernel; always 1',
    ['version', 'kernel'],
    () => [[{ version, kernel }, 1]],
  );
  set.gauge('tessera_ready', '1 while the node takes statements', () => Number(coordinator.ready));
  set.gauge('tessera_draining', '1 once the node was told to stop', () => Number(coordinator.draining));
  set.gauges(
    'tessera_open_connections',
    'Connections of clients, idle ones too',
    ['endpoint'],
    sources.connections,
  );
  set.gauges(
    'tessera_certificate_expiry_timestamp_seconds',
    'When the certificate that clients or nodes are shown expires, in seconds since 1970; none where there is no TLS',
    ['shown_to'],
    sources.certificates,
  );
}

function queryGauges(set: MetricSet, coordinator: Coordinator, kernel: Kernel): void {
  set.gauge('tessera_running_queries', 'Queries in the engine now', () => coordinator.running.size);
  set.gauge(
    'tessera_queued_queries',
    'Of those, the ones that wait to be admitted; 0 without execution.admission_controller',
    () => coordinator.queuedQueries,
  );
  set.gauge(
    'tessera_quarantined_queries',
    'Queries that get their second attempt alone, one after another: the one that runs and those that wait',
    () => kernel.quarantined,
  );
  set.gauge(
    'tessera_open_transactions',
    'Transactions that were begun here and have not ended',
    () => coordinator.transactions?.list().length ?? 0,
  );
  set.total(
    'tessera_statement_retries_total',
    'Further attempts at statements that met a conflict, or lost their kernel',
    () => coordinator.retries,
  );
  set.total(
    'tessera_unplanned_queries_total',
    'Queries on tables that were read whole because their plan was not understood',
    () => coordinator.unplannedQueries,
  );
  set.total(
    'tessera_undistributed_queries_total',
    'Queries on large tables that ran on one node because their plan could not be told in stages',
    () => coordinator.undistributedQueries,
  );
  set.total(
    'tessera_gathering_queries_total',
    'Queries of which inputs without a bound were gathered on one node',
    () => coordinator.gatheringQueries,
  );
  set.gauge(
    'tessera_vacuum_waiting_tables',
    'Tables that wait to be looked at whether tablets of theirs are to be merged',
    () => coordinator.tablesToMerge,
  );
}

/** A kernel that does not answer at once, as while it starts, is left out. */
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
    '1 while the kernel process serves',
    labels,
    each((kernel) => Number(kernel.ready)),
  );
  set.totals(
    'tessera_kernel_restarts_total',
    'Kernel processes that were replaced',
    labels,
    each((kernel) => kernel.status().restarts),
  );
  set.gauges(
    'tessera_kernel_sessions',
    'Sessions that are open in the kernel',
    labels,
    each((kernel) => kernel.status().sessions),
  );
  set.gauges(
    'tessera_kernel_memory_bytes',
    'Memory that the kernel has taken, tablets in memory among it',
    labels,
    used('usedBytes'),
  );
  set.gauges(
    'tessera_kernel_memory_limit_bytes',
    'Memory that the kernel may take',
    labels,
    used('limitBytes'),
  );
  set.gauges(
    'tessera_kernel_spilled_bytes',
    'Bytes that the kernel has on disk now because they do not fit in its memory',
    labels,
    used('spilledBytes'),
  );
}

type Memory = Awaited<ReturnType<Kernel['memory']>>;

/** One question to each kernel for the metrics of one scrape, which ask at the same time. */
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
  set.gauge(`${prefix}_hot_bytes`, 'Bytes of memory that tablets take', () => agent().bytesHot);
  set.gauge(`${prefix}_disk_tablets`, 'Tablets on local disk, whole or in part', () => agent().tabletsOnDisk);
  set.gauge(`${prefix}_disk_bytes`, 'Bytes of local disk that tablets take', () => agent().bytesOnDisk);
  set.gauge(
    `${prefix}_promotions_pending`,
    'Tables that are being loaded into memory or wait for it',
    () => agent().promotionsPending,
  );
  set.total(
    `${prefix}_fetched_bytes_total`,
    'Bytes of tablets fetched from the object store',
    () => agent().bytesFetched,
  );
  set.total(
    `${prefix}_hits_total`,
    'Requests for tablets that needed nothing from the object store',
    () => agent().hits,
  );
  set.total(
    `${prefix}_misses_total`,
    'Requests for tablets that needed something from the object store',
    () => agent().misses,
  );
  set.total(
    `${prefix}_corrupt_refetches_total`,
    'Damaged answers of the object store that were asked for again',
    () => agent().corruptRefetches,
  );
  const disk = () => statfs(tabletDirectory);
  set.gauge('tessera_disk_free_bytes', 'Free bytes of the disk that holds the data directory', async () => {
    const { bavail, bsize } = await disk();
    return bavail * bsize;
  });
  set.gauge('tessera_disk_size_bytes', 'Bytes of that disk', async () => {
    const { blocks, bsize } = await disk();
    return blocks * bsize;
  });
}

export function logGauges(set: MetricSet, log: () => LogStatus): void {
  set.gauges(
    'tessera_metadata_role',
    '1 for what the node is to the metadata log, 0 for what it is not',
    ['role'],
    () => {
      const { role: is } = log();
      return ROLES.map((role) => [{ role }, Number(role === is)]);
    },
  );
  set.gauge(
    'tessera_metadata_may_lead',
    '1 where it is for the node to lead when nobody does; 0 with a metadata service, or where its log is broken',
    () => Number(log().mayLead),
  );
  set.gauge(
    'tessera_metadata_version',
    'Newest version of the catalog that the node has',
    () => log().version,
  );
  set.gauge('tessera_metadata_epoch', 'Number of the leader that wrote it, counted up', () => log().epoch);
  set.gauge(
    'tessera_metadata_read_age_seconds',
    'Since the node last knew which version is newest; 0 while it leads',
    () => log().readAgeSeconds,
  );
  set.gauge(
    'tessera_metadata_waiting_commits',
    'Commits that wait to be appended or are being; of the leader',
    () => log().waitingCommits,
  );
  set.gauge(
    'tessera_metadata_entries_since_checkpoint',
    'Entries of the log that a node which starts has to read; told by the leader',
    () => log().entriesSinceCheckpoint,
  );
  set.gauge(
    'tessera_metadata_checkpoint_bytes',
    'Size of the newest checkpoint; told by the leader',
    () => log().checkpointBytes,
  );
  set.gauge(
    'tessera_garbage_objects',
    'Objects of the store that the catalog needs no more and that have not been deleted yet',
    () => log().garbageObjects,
  );
}

function clusterGauges(set: MetricSet, cluster: () => ClusterState): void {
  const prefix = 'tessera_cluster';
  set.gauge(
    `${prefix}_nodes_configured`,
    'Nodes that the configuration names',
    () => cluster().nodesConfigured,
  );
  set.gauge(
    `${prefix}_nodes_living`,
    'Nodes that answer this one, itself among them',
    () => cluster().nodesLiving,
  );
  set.gauge(
    `${prefix}_running_tasks`,
    'Tasks of queries that run on this node or wait for their turn',
    () => cluster().runningTasks,
  );
  set.gauge(`${prefix}_waiting_tasks`, 'Of those, the ones that wait', () => cluster().waitingTasks);
  set.gauge(
    `${prefix}_exchange_bytes`,
    'Bytes that tasks of this node keep for others',
    () => cluster().exchangeBytes,
  );
}
