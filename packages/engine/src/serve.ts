import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authenticator, makeCredential } from '@tessera/auth';
import { clusterFactsService } from '@tessera/broadcast';
import {
  createLogging,
  freePort,
  type Logging,
  pause,
  secretKeys,
  startTimer,
  TesseraError,
} from '@tessera/common';
import {
  autoVacuum,
  type EngineConfig,
  type EngineNode,
  engineNodes,
  LEAST_KEPT_LIMIT_BYTES,
  machineMemoryBytes,
  memoryLimitBytes,
  memoryShares,
  storageIsLocal,
} from '@tessera/config';
import { consoleFile } from '@tessera/console';
import { Coordinator, clearRequestDirectories, type TableServices } from '@tessera/coordinator';
import { fileService } from '@tessera/file-scan';
import {
  createHealthServer,
  createMetricsServer,
  createQueryServer,
  DEFAULT_UPLOAD_LIMITS,
} from '@tessera/http-api';
import { startKernel } from '@tessera/kernel';
import { ExternalSources, schemeOverride } from '@tessera/object-store';
import { reportLockedMemory, shuffleService } from '@tessera/shuffle';
import { kernelBootstrap } from '@tessera/sql';
import { agentBootstrap, openStorageAgent, storageAgentService } from '@tessera/storage-agent';
import { storageManagerService } from '@tessera/storage-manager';
import manifest from '../package.json' with { type: 'json' };
import { admissionOptions } from './admission-options.ts';
import { instanceOf, openAuthenticator } from './authentication.ts';
import { printBanner } from './banner.ts';
import { kernelVersion } from './cluster/kernel-version.ts';
import { type MultiNode, openMultiNode } from './cluster/open-multi-node.ts';
import { openClusters } from './cluster/other-clusters.ts';
import { checkProtected } from './cluster-protection.ts';
import { lockDataDirectory } from './data-directory.ts';
import { collectWhenIdle } from './idle-heap.ts';
import { ListenerTls } from './listener-tls.ts';
import { warnOfOpenListeners, warnOfOpenNodePorts } from './listener-warnings.ts';
import { closeListeners, type Listener, openListeners } from './listeners.ts';
import { logEvents } from './logged-events.ts';
import { certificateExpiries, countOpen } from './metrics/metrics-sources.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import { lonelyCredentials, nodeCredentials } from './node-credentials.ts';
import { type NodeService, openNodeServices } from './node-services.ts';
import { openedTogether } from './opened-together.ts';
import type { Serve, ServeOptions } from './serve-options.ts';
import { shutdownSignal } from './shutdown-signal.ts';
import {
  currentContents,
  headerOptions,
  historyPlace,
  openCatalog,
  startMirror,
  storageOptions,
  tableDirectories,
} from './tables.ts';
import { startTracing } from './tracing/start-tracing.ts';

/** The longest time in milliseconds for which a client may accept no data of its result. */
const WRITE_IDLE_MS = 300_000;
/** How long the kernel may take after the grace period to stop its running queries, in milliseconds. */
const INTERRUPT_MS = 6_000;
/** The kernel cannot start with less memory. */
const MIN_MEMORY_BYTES = 128 << 20;

/**
 * The fraction of the memory of the node's own process that outputs of tasks may use; the rest goes to disk.
 */
const EXCHANGE_SHARE = 1 / 8;
/** The fraction of it that long statements may use; when it is used, the next ones wait. */
const LONG_STATEMENT_SHARE = 1 / 4;

/** The share of it for results that later queries reuse. */
const RESULT_CACHE_SHARE = 1 / 8;

/** Runs a node until it is stopped. Leaves nothing behind, even if it fails to start. */
export const serve: Serve = async (options) => {
  const { config } = options;
  checkShared(config);
  await using resources = new AsyncDisposableStack();
  const logging = createLogging(config.logging, {
    colour: process.stderr.isTTY === true,
    fields: { engine: config.engine.id },
  });
  resources.defer(() => logging.close());
  const log = logging.logger('engine');
  const tls = ListenerTls.open(options.tls, log);
  const onHangUp = () => {
    logging.reopen();
    tls?.reload();
  };
  process.on('SIGHUP', onHangUp);
  resources.defer(() => void process.off('SIGHUP', onHangUp));
  if (options.notYetInEffect.length > 0) {
    log.warn(
      { parameters: options.notYetInEffect },
      'the configuration sets parameters that are not yet in effect',
    );
  }
  for (const warning of options.configWarnings) log.warn({ warning }, 'the configuration has a weakness');
  resources.defer(await lockDataDirectory(options.dataDirectory));

  resources.defer(collectWhenIdle());
  resources.defer(logEvents(logging));
  resources.defer(
    startTracing(
      process.env,
      { 'tessera.engine': config.engine.id, 'tessera.node': String(options.node) },
      logging.logger('engine'),
    ),
  );
  const metrics = new NodeMetrics(config.engine.id);
  resources.defer(() => metrics.close());
  const uploadRoot = join(options.dataDirectory, 'uploads');
  await mkdir(uploadRoot, { recursive: true });
  const left = await clearRequestDirectories(uploadRoot);
  if (left > 0) log.info({ directories: left }, 'removed files left behind by a crash');

  const configured = nodeCredentials(options.clusterTls);
  // An unusable key is reported at start-up, not when a location is read.
  secretKeys();
  const node = engineNodes(config)[options.node]!;
  checkProtected(node.host, 'node', configured, options.insecureCluster);
  const isAsked = hasOthers(config) || options.insecureCluster;
  const credentials = isAsked ? configured : lonelyCredentials(configured);
  const limitBytes = memoryLimit(config);
  if (limitBytes < LEAST_KEPT_LIMIT_BYTES) {
    log.warn(
      { limitBytes, leastBytes: LEAST_KEPT_LIMIT_BYTES },
      'engine.max_server_memory_usage is too small: the processes of this node may use more',
    );
  }
  const memory = memoryShares(limitBytes);
  const external = new ExternalSources({
    directories: options.allowRead,
    urlPrefixes: options.allowUrl,
    writable: options.allowWrite,
    s3Endpoint: config.storage.default_s3_endpoint_override ?? undefined,
    schemeOverride: schemeOverride(config),
  });
  resources.defer(() => external.close());
  const directories = await tableDirectories(options.dataDirectory);
  const metadataPort = await storageManagerPort(options, node);
  const [kernel, mirror, catalog] = await openedTogether(resources, [
    startKernel({
      directory: join(options.dataDirectory, 'kernel'),
      readableDirectories: [uploadRoot, ...Object.values(directories), ...external.directories],
      memoryLimitBytes: memory.kernelBytes,
      ceilingBytes: memory.kernelCeilingBytes,
      nodeBytes: memory.processBytes,
      threads: config.execution.max_threads,
      bootstrap: [...kernelBootstrap, ...agentBootstrap],
      log: logging.logger('kernel'),
    }),
    startMirror(options, memory, logging),
    openCatalog({ ...options, storageManagerPort: metadataPort }, credentials, logging),
  ]);
  const { store, manager } = catalog;
  const agent = await openStorageAgent({
    store,
    kernel,
    directory: directories.tablets,
    eviction: config.engine.eviction,
    log: logging.logger('storage-agent'),
  });
  resources.defer(() => agent.close());
  const ofKernel = await kernelVersion(kernel);
  const engine = `${config.instance.id}/${config.engine.id}`;
  const withStore = { ...credentials, tableStore: manager.store };
  const queryCredentials = { ...withStore, engine, kernelVersion: ofKernel };
  let draining = false;
  if (config.execution.enable_shuffle && hasOthers(config)) reportLockedMemory(logging.logger('shuffle'));
  const written = {
    store,
    storeId: manager.store.id,
    stagingRoot: directories.staging,
    header: headerOptions(config),
  };
  const admission = admissionOptions(config, options.node, memory.kernelBytes, logging);
  const multiNode = openMultiNode({
    config,
    node: options.node,
    kernel,
    agent,
    tablets: written,
    external,
    filesDirectory: uploadRoot,
    memoryLimitBytes: memory.kernelBytes,
    exchange: {
      directory: join(options.dataDirectory, 'exchange'),
      memoryBytes: Math.floor(memory.processBytes * EXCHANGE_SHARE),
    },
    isDraining: () => draining,
    admission: admission?.places,
    credentials: queryCredentials,
    logging,
  });
  resources.defer(() => multiNode.close());
  const otherClusters = openClusters({
    config,
    self: () => multiNode.cluster.self,
    credentials: queryCredentials,
    log: logging.logger('broadcast'),
  });
  resources.defer(async () => otherClusters?.close());
  const tables: TableServices = {
    manager,
    agent,
    ...written,
    indexMutations: config.execution.ai_mutations_mode,
    mirror,
    storage: storageOptions(config),
    historyPlace: historyPlace(config, options.node, store, logging),
  };
  const coordinator = new Coordinator({
    kernel,
    external,
    engineId: config.engine.id,
    configuration: options.configuration,
    metricsPerMinute: config.engine.metrics_collection_frequency_per_minute,
    checksPrivileges: config.auth.mode !== 'disabled',
    makeCredential,
    longStatementBytes: Math.floor(memory.processBytes * LONG_STATEMENT_SHARE),
    resultCacheBytes: options.resultCacheBytes ?? Math.floor(memory.processBytes * RESULT_CACHE_SHARE),
    regexpCacheMaxKeys: config.execution.regexp_cache_max_keys,
    columnStatisticsBytes: config.planner.automated_column_statistics.cache_max_size_bytes,
    admission,
    cluster: { ...multiNode, otherClusters, distributes: config.execution.enable_shuffle },
    tables,
    maintenance: {
      autoVacuum: autoVacuum(config),
      mergeCommittedTablets: config.execution.merge_committed_tablets,
      memoryLimitBytes: memory.kernelBytes,
      log: logging.logger('maintenance'),
    },
  });
  resources.defer(() => coordinator.close());
  const authenticator = metrics.counted(
    await openAuthenticator(config, coordinator.users, logging.logger('auth'), configured),
  );
  resources.defer(() => authenticator.close());
  // The signal handler is installed before anyone can know about the node, so that a signal cannot end it at
  // once.
  const stopping = shutdownSignal();
  const tasks = multiNode.service(coordinator);
  const rowLimit = config.engine.multi_cluster?.broadcast_tuple_limit_per_engine_cluster ?? 0;
  const clusterFacts = clusterFactsService(coordinator.answersForOtherClusters, rowLimit);
  resources.defer(async () => tasks.close());
  const hasNodePorts = opensNodePorts(options);
  const services: readonly NodeService[] = [
    {
      purpose: 'storage-manager',
      port: metadataPort,
      services: [storageManagerService(manager)],
      credentials: withStore,
    },
    {
      purpose: 'storage-agent',
      port: options.storageAgentPort ?? node.storage_agent_port,
      services: [storageAgentService(agent)],
      credentials: withStore,
    },
    {
      purpose: 'distexec',
      port: options.distexecPort ?? node.distexec_port,
      services: [tasks, fileService(multiNode.sharedFiles), clusterFacts],
      credentials: queryCredentials,
    },
    ...(config.execution.enable_shuffle
      ? [
          {
            purpose: 'shuffle' as const,
            port: options.shufflePort ?? node.shuffle_port,
            services: [shuffleService(multiNode.shuffle)],
            credentials: queryCredentials,
          },
        ]
      : []),
  ];
  const nodeServices = await openNodeServices(node.host, hasNodePorts ? services : [], logging);
  resources.defer(async () => void (await Promise.all(nodeServices.map(({ server }) => server.close()))));
  await multiNode.cluster.firstRound();
  await otherClusters?.announced;
  const listeners = await listen(options, { authenticator, tls, coordinator, metrics, uploadRoot, logging });
  metrics.observe({
    version: manifest.version,
    kernelVersion: ofKernel,
    coordinator,
    kernels: { queries: kernel, plans: mirror },
    agent: () => agent.metrics(),
    tabletDirectory: directories.tablets,
    log: () => manager.status,
    cluster: () => clusterState(multiNode),
    connections: () => countOpen(listeners),
    certificates: () => certificateExpiries(tls, configured),
  });
  resources.defer(() => closeListeners(listeners));
  warnOfOpenListeners(listeners, authenticator, log);
  if (hasNodePorts) warnOfOpenNodePorts(credentials, authenticator, log);
  log.info(
    { listeners: [...listeners, ...nodeServices].map((l) => `${l.purpose} ${l.address}`) },
    'listening',
  );
  printBanner(listeners, options);
  void agent.warmUp(currentContents(manager));

  const reason = await stopping;
  draining = true;
  coordinator.markUnready();
  for (const listener of listeners) listener.redirectClients();
  if (options.drainDelayMs > 0) {
    log.info({ reason, delayMs: options.drainDelayMs }, 'no longer ready, but still accepting statements');
    await pause(options.drainDelayMs);
  }
  log.info({ reason, running: coordinator.running.size }, 'draining');
  const graceMs = config.engine.termination_grace_period;
  const ended = startTimer(() => {
    log.warn(
      { running: coordinator.running.size },
      'killing the kernel processes: they could not be interrupted',
    );
    void Promise.all([kernel.close(), mirror.close()]);
  }, graceMs + INTERRUPT_MS);
  resources.defer(() => ended.clear());
  await Promise.all([
    coordinator.drain(graceMs),
    multiNode.drain(graceMs, options.drainDelayMs),
    ...listeners.map((listener) => listener.drain(graceMs)),
  ]);
  log.info({}, 'drained');
};

/** Checks that nodes and engines which share tables also share the store of their tablets. */
function checkShared(config: EngineConfig): void {
  if (!storageIsLocal(config)) return;
  if (!hasOthers(config)) return;
  throw TesseraError.of('INVALID_ARGUMENT', {
    message:
      'Several nodes or engines need a storage block: without one each keeps its tables in a directory of its own',
  });
}

/**
 * Whether the node opens the ports for other nodes: it does not if it stands alone, with its tables on its own disk, and no
 * node or port was configured.
 */
function opensNodePorts(options: ServeOptions): boolean {
  const { config, storageManagerPort, storageAgentPort, distexecPort, shufflePort } = options;
  const isConfigured = [storageManagerPort, storageAgentPort, distexecPort, shufflePort].some(
    (port) => port !== undefined,
  );
  return (
    isConfigured ||
    hasOthers(config) ||
    options.insecureCluster ||
    (config.engine.nodes?.length ?? 0) > 0 ||
    !storageIsLocal(config)
  );
}

const hasOthers = (config: EngineConfig): boolean =>
  engineNodes(config).length > 1 ||
  config.instance.type === 'multi_engine' ||
  config.engine.multi_cluster !== null;

/**
 * The port of the storage manager. Other nodes learn it from the store before this node listens there, so if
 * any port will do, it is chosen now.
 */
async function storageManagerPort(
  { config, storageManagerPort: wanted }: ServeOptions,
  { host, storage_manager_port: configured }: EngineNode,
): Promise<number> {
  const port = wanted ?? configured;
  return port === 0 && !storageIsLocal(config) ? freePort(host) : port;
}

function memoryLimit(config: EngineConfig): number {
  const limit = memoryLimitBytes(config, machineMemoryBytes());
  if (limit >= MIN_MEMORY_BYTES) return limit;
  const message = `The memory left to the engine is ${limit} bytes; it needs at least ${MIN_MEMORY_BYTES} (engine.max_server_memory_usage and its relatives)`;
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}

interface Parts {
  readonly authenticator: Authenticator;
  readonly tls: ListenerTls | undefined;
  readonly coordinator: Coordinator;
  readonly metrics: NodeMetrics;
  readonly uploadRoot: string;
  readonly logging: Logging;
}

const clusterState = ({ cluster, distExec, shuffle }: MultiNode) => ({
  nodesConfigured: cluster.size,
  nodesLiving: cluster.living().length,
  runningTasks: distExec.runningTasks,
  waitingTasks: distExec.waitingTasks,
  exchangeBytes: shuffle.bytes,
});

function listen(
  options: ServeOptions,
  { authenticator, tls, coordinator, metrics, uploadRoot, logging }: Parts,
): Promise<Listener[]> {
  return openListeners(options, tls, {
    query: (place) =>
      createQueryServer({
        ...place,
        authenticator,
        coordinator,
        uploadRoot,
        limits: DEFAULT_UPLOAD_LIMITS,
        writeIdleMs: WRITE_IDLE_MS,
        localFileKey: options.localFileKey,
        metrics: metrics.endpoints.http,
        log: logging.logger('http'),
        instance: instanceOf(options.config),
        consoleFiles: consoleFile,
      }),
    postgres: async () => {
      // The module is loaded on demand, because most of a node's start-up time is loading.
      const { createPostgresServer } = await import('@tessera/postgres-api');
      return createPostgresServer({
        coordinator,
        authenticator,
        tls: tls && (() => tls.current),
        requestRoot: uploadRoot,
        metrics: metrics.endpoints.postgres,
        log: logging.logger('postgres'),
      });
    },
    health: () => createHealthServer(() => coordinator.ready),
    metrics: () => createMetricsServer(metrics),
  });
}
