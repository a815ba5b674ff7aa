import { join } from 'node:path';
import { makeCredential } from '@tessera/auth';
import type { OtherClusters } from '@tessera/broadcast';
import { autoVacuum, engineNodes } from '@tessera/config';
import { type AdmissionOptions, type ClusterServices, Coordinator } from '@tessera/coordinator';
import type { NodeCredentials } from '@tessera/rpc';
import { registerExchangeBuffers } from '@tessera/shuffle';
import type { TabletStore } from '@tessera/storage-agent';
import { admissionOptions } from './admission-options.ts';
import { kernelVersion } from './cluster/kernel-version.ts';
import { type MultiNode, openMultiNode } from './cluster/open-multi-node.ts';
import { openClusters } from './cluster/other-clusters.ts';
import { exchangeBufferBytes } from './exchange-buffer-bytes.ts';
import type { NodeData } from './node-data.ts';
import type { NodeProcess } from './node-process.ts';
import type { ServeOptions } from './serve-options.ts';
import { headerOptions, historyPlace, storageOptions } from './tables.ts';

/**
 * The fraction of the memory of the node's own process that outputs of tasks may use; the rest goes to disk.
 */
const EXCHANGE_SHARE = 1 / 8;
/** The fraction of that which may be registered: other batches of the kernel use the registered memory, too. */
const REGISTERED_SHARE = 1 / 2;
/** The fraction of it that long statements may use; when it is used, the next ones wait. */
const LONG_STATEMENT_SHARE = 1 / 4;

/** The share of it for results that later queries reuse. */
const RESULT_CACHE_SHARE = 1 / 8;

/** The share of the kernel's memory for rows of parts of queries that later queries reuse. */
const SUBRESULT_CACHE_SHARE = 1 / 32;

/** The services that bind, distribute and run the statements of a node. */
export interface QueryServices {
  readonly coordinator: Coordinator;
  readonly multiNode: MultiNode;
  readonly otherClusters: OtherClusters | undefined;
  readonly kernelVersion: string;
  /** The credentials of the services that know the store of the tables. */
  readonly withStore: NodeCredentials;
  /** The credentials of the services that also must run the same engine and kernel. */
  readonly withKernel: NodeCredentials;
}

interface QueryServicesParts {
  readonly host: NodeProcess;
  readonly data: NodeData;
  readonly credentials: NodeCredentials;
  readonly isDraining: () => boolean;
}

/** Opens the services that answer statements; `resources` closes them. */
export async function openQueryServices(
  options: ServeOptions,
  { host, data, credentials, isDraining }: QueryServicesParts,
  resources: AsyncDisposableStack,
): Promise<QueryServices> {
  const { config } = options;
  const { logging, uploadRoot } = host;
  const { kernel, agent, store, manager, memory, external } = data;
  const ofKernel = await kernelVersion(kernel);
  const withStore = { ...credentials, tableStore: manager.store };
  const withKernel = {
    ...withStore,
    engine: `${config.instance.id}/${config.engine.id}`,
    kernelVersion: ofKernel,
  };
  if (!config.execution.enable_shuffle && engineNodes(config).length > 1)
    logging
      .logger('shuffle')
      .warn({}, 'execution.enable_shuffle is false: each query runs on the node that receives it');
  const exchangeBytes = Math.floor(memory.processBytes * EXCHANGE_SHARE);
  const registeredBytes = Math.min(
    exchangeBufferBytes(options),
    Math.floor(exchangeBytes * REGISTERED_SHARE),
  );
  const buffers = await registerExchangeBuffers(logging.logger('shuffle'), registeredBytes);
  resources.defer(() => buffers?.close());
  const written = {
    store,
    storeId: manager.store.id,
    stagingRoot: data.directories.staging,
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
      memoryBytes: exchangeBytes - (buffers?.bytes ?? 0),
    },
    isDraining,
    admission: admission?.places,
    credentials: withKernel,
    logging,
  });
  resources.defer(() => multiNode.close());
  const otherClusters = openClusters({
    config,
    self: () => multiNode.cluster.self,
    nodeNames: multiNode.cluster.members().map(({ name }) => name),
    credentials: withKernel,
    log: logging.logger('broadcast'),
  });
  resources.defer(async () => otherClusters?.close());
  const coordinator = openCoordinator(options, {
    host,
    data,
    written,
    admission,
    cluster: { ...multiNode, otherClusters, distributes: config.execution.enable_shuffle },
  });
  resources.defer(() => coordinator.close());
  return { coordinator, multiNode, otherClusters, kernelVersion: ofKernel, withStore, withKernel };
}

interface CoordinatorParts extends Pick<QueryServicesParts, 'host' | 'data'> {
  /** Where the node stores tablets that it writes. */
  readonly written: Omit<TabletStore, 'agent'>;
  readonly admission: AdmissionOptions | undefined;
  readonly cluster: ClusterServices;
}

function openCoordinator(
  options: ServeOptions,
  { host, data, written, admission, cluster }: CoordinatorParts,
): Coordinator {
  const { config } = options;
  const { kernel, external, memory, manager, agent, mirror, store } = data;
  const ofResults = options.resultCacheBytes ?? Math.floor(memory.processBytes * RESULT_CACHE_SHARE);
  const ofParts = ofResults === 0 ? 0 : Math.floor(memory.kernelBytes * SUBRESULT_CACHE_SHARE);
  return new Coordinator({
    kernel,
    external,
    engineId: config.engine.id,
    configuration: options.configuration,
    metricsPerMinute: config.engine.metrics_collection_frequency_per_minute,
    checksPrivileges: config.auth.mode !== 'disabled',
    makeCredential,
    longStatementBytes: Math.floor(memory.processBytes * LONG_STATEMENT_SHARE),
    resultCacheBytes: ofResults,
    subresultCacheBytes: options.subresultCacheBytes ?? ofParts,
    regexpCacheMaxKeys: config.execution.regexp_cache_max_keys,
    columnStatisticsBytes: config.planner.automated_column_statistics.cache_max_size_bytes,
    admission,
    cluster,
    tables: {
      manager,
      agent,
      ...written,
      indexMutations: config.execution.ai_mutations_mode,
      mirror,
      storage: storageOptions(config),
      historyPlace: historyPlace(config, options.node, store, host.logging),
    },
    maintenance: {
      autoVacuum: autoVacuum(config),
      mergeCommittedTablets: config.execution.merge_committed_tablets,
      memoryLimitBytes: memory.kernelBytes,
      log: host.logging.logger('maintenance'),
    },
  });
}
