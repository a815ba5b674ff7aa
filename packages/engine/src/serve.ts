import type { Authenticator } from '@tessera/auth';
import { clusterFactsService } from '@tessera/broadcast';
import { type Logger, pause, secretKeys, startTimer } from '@tessera/common';
import { engineNodes } from '@tessera/config';
import { consoleFile } from '@tessera/console';
import { type Coordinator, currentContents } from '@tessera/coordinator';
import { fileService } from '@tessera/file-scan';
import {
  createHealthServer,
  createMetricsServer,
  createQueryServer,
  DEFAULT_UPLOAD_LIMITS,
} from '@tessera/http-api';
import { shuffleService } from '@tessera/shuffle';
import { storageAgentService } from '@tessera/storage-agent';
import { storageManagerService } from '@tessera/storage-manager';
import manifest from '../package.json' with { type: 'json' };
import { instanceOf, openAuthenticator } from './authentication.ts';
import { printBanner } from './banner.ts';
import type { MultiNode } from './cluster/open-multi-node.ts';
import { checkProtected, checkShared, hasOthers, opensNodePorts } from './cluster-protection.ts';
import { warnOfOpenListeners, warnOfOpenNodePorts } from './listener-warnings.ts';
import { closeListeners, type Listener, openListeners } from './listeners.ts';
import { certificateExpiries, countOpen } from './metrics/metrics-sources.ts';
import { lonelyCredentials, nodeCredentials } from './node-credentials.ts';
import { type NodeData, openNodeData } from './node-data.ts';
import { type NodeProcess, openNodeProcess } from './node-process.ts';
import { type NodeService, type OpenNodeService, openNodeServices } from './node-services.ts';
import { openQueryServices, type QueryServices } from './query-services.ts';
import type { Serve, ServeOptions } from './serve-options.ts';
import { shutdownSignal } from './shutdown-signal.ts';

/** The longest time in milliseconds for which a client may accept no data of its result. */
const WRITE_IDLE_MS = 300_000;
/** How long the kernel may take after the grace period to stop its running queries, in milliseconds. */
const INTERRUPT_MS = 6_000;

/** Runs a node until it is stopped. Leaves nothing behind, even if it fails to start. */
export const serve: Serve = async (options) => {
  const { config } = options;
  checkShared(config);
  await using resources = new AsyncDisposableStack();
  const host = await openNodeProcess(options, resources);
  const { log, logging, metrics, tls } = host;
  const { configured, credentials } = credentialsOf(options);
  const data = await openNodeData(options, { host, credentials }, resources);
  let isDraining = false;
  const query = await openQueryServices(
    options,
    { host, data, credentials, isDraining: () => isDraining },
    resources,
  );
  const { coordinator, multiNode, otherClusters } = query;
  const authenticator = metrics.counted(
    await openAuthenticator(config, coordinator.users, logging.logger('auth'), configured),
  );
  resources.defer(() => authenticator.close());
  // The signal handler is installed before anyone can know about the node, so that a signal cannot end it at
  // once.
  const stopping = shutdownSignal();
  const nodeServices = await openNodePorts(options, { host, data, query }, resources);
  await multiNode.cluster.firstRound();
  await otherClusters?.announced;
  const listeners = await listen(options, { authenticator, coordinator, host });
  metrics.observe({
    version: manifest.version,
    kernelVersion: query.kernelVersion,
    coordinator,
    kernels: { queries: data.kernel, plans: data.mirror },
    agent: () => data.agent.metrics(),
    tabletDirectory: data.directories.tablets,
    log: () => data.manager.status,
    cluster: () => clusterState(multiNode),
    connections: () => countOpen(listeners),
    certificates: () => certificateExpiries(tls, configured),
  });
  resources.defer(() => closeListeners(listeners));
  warnOfOpenListeners(listeners, authenticator, log);
  if (opensNodePorts(options)) warnOfOpenNodePorts(credentials, authenticator, log);
  log.info(
    { listeners: [...listeners, ...nodeServices].map((l) => `${l.purpose} ${l.address}`) },
    'listening',
  );
  printBanner(listeners, options);
  void data.agent.warmUp(currentContents(data.manager));

  const reason = await stopping;
  isDraining = true;
  await drain(options, { reason, log, data, query, listeners }, resources);
};

/** The credentials in the flags or the environment, and those that the node presents and requires. */
function credentialsOf(options: ServeOptions) {
  const configured = nodeCredentials(options.clusterTls);
  // An unusable key is reported at start-up, not when a location is read.
  secretKeys();
  const { host } = engineNodes(options.config)[options.node]!;
  checkProtected(host, 'node', configured, options.insecureCluster);
  const isAsked = hasOthers(options.config) || options.insecureCluster;
  return { configured, credentials: isAsked ? configured : lonelyCredentials(configured) };
}

interface NodePortsParts {
  readonly host: NodeProcess;
  readonly data: NodeData;
  readonly query: QueryServices;
}

/** Opens the ports for other nodes, unless the node stands alone. */
async function openNodePorts(
  options: ServeOptions,
  { host, data, query }: NodePortsParts,
  resources: AsyncDisposableStack,
): Promise<readonly OpenNodeService[]> {
  const { config } = options;
  const { coordinator, multiNode, withStore, withKernel } = query;
  const node = engineNodes(config)[options.node]!;
  const tasks = multiNode.service(coordinator);
  resources.defer(async () => tasks.close());
  const rowLimit = config.engine.multi_cluster?.broadcast_tuple_limit_per_engine_cluster ?? 0;
  const clusterFacts = clusterFactsService(coordinator.answersForOtherClusters, rowLimit);
  const services: NodeService[] = [
    {
      purpose: 'storage-manager',
      port: data.storageManagerPort,
      services: [storageManagerService(data.manager)],
      credentials: withStore,
    },
    {
      purpose: 'storage-agent',
      port: options.storageAgentPort ?? node.storage_agent_port,
      services: [storageAgentService(data.agent)],
      credentials: withStore,
    },
    {
      purpose: 'distexec',
      port: options.distexecPort ?? node.distexec_port,
      services: [tasks, fileService(multiNode.sharedFiles), clusterFacts],
      credentials: withKernel,
    },
  ];
  if (config.execution.enable_shuffle) {
    services.push({
      purpose: 'shuffle',
      port: options.shufflePort ?? node.shuffle_port,
      services: [shuffleService(multiNode.shuffle)],
      credentials: withKernel,
    });
  }
  const opened = await openNodeServices(node.host, opensNodePorts(options) ? services : [], host.logging);
  resources.defer(async () => void (await Promise.all(opened.map(({ server }) => server.close()))));
  return opened;
}

interface DrainParts {
  /** The signal that stops the node. */
  readonly reason: string;
  readonly log: Logger;
  readonly data: NodeData;
  readonly query: QueryServices;
  readonly listeners: readonly Listener[];
}

/** Sends clients to other nodes, and waits for running work until the end of the grace period. */
async function drain(
  { config, drainDelayMs }: ServeOptions,
  { reason, log, data, query: { coordinator, multiNode }, listeners }: DrainParts,
  resources: AsyncDisposableStack,
): Promise<void> {
  coordinator.markUnready();
  for (const listener of listeners) listener.redirectClients();
  if (drainDelayMs > 0) {
    log.info({ reason, delayMs: drainDelayMs }, 'no longer ready, but still accepting statements');
    await pause(drainDelayMs);
  }
  log.info({ reason, running: coordinator.running.size }, 'draining');
  const graceMs = config.engine.termination_grace_period;
  const ended = startTimer(() => {
    log.warn(
      { running: coordinator.running.size },
      'killing the kernel processes: they could not be interrupted',
    );
    void Promise.all([data.kernel.close(), data.mirror.close()]);
  }, graceMs + INTERRUPT_MS);
  resources.defer(() => ended.clear());
  await Promise.all([
    coordinator.drain(graceMs),
    multiNode.drain(graceMs, drainDelayMs),
    ...listeners.map((listener) => listener.drain(graceMs)),
  ]);
  log.info({}, 'drained');
}

const clusterState = ({ cluster, distExec, shuffle }: MultiNode) => ({
  nodesConfigured: cluster.size,
  nodesLiving: cluster.living().length,
  runningTasks: distExec.runningTasks,
  waitingTasks: distExec.waitingTasks,
  exchangeBytes: shuffle.bytes,
});

interface ListenerParts {
  readonly authenticator: Authenticator;
  readonly coordinator: Coordinator;
  readonly host: NodeProcess;
}

function listen(
  options: ServeOptions,
  { authenticator, coordinator, host: { tls, metrics, uploadRoot, logging } }: ListenerParts,
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
