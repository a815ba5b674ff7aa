import type { ClusterIdentity } from './identity.ts';
import type { ClusterPorts, NodePorts } from './ports.ts';

/** Of all processes of the cluster, of the machine's memory. */
const MEMORY_RATIO = 0.8;

/** What all nodes read: a configuration file as `tessera serve --config` takes it. */
export const clusterConfig = (
  { instanceId }: ClusterIdentity,
  { nodes }: ClusterPorts,
  storeEndpoint: string,
): object => ({
  schema_version: '1.0',
  instance: { id: instanceId },
  storage: { type: 'minio', minio: { endpoint: storeEndpoint } },
  engine: {
    id: 'dev-cluster',
    max_server_memory_usage_to_ram_ratio: Number((MEMORY_RATIO / nodes.length).toFixed(4)),
    termination_grace_period: '10s',
    nodes: nodes.map((ports) => ({
      host: '127.0.0.1',
      storage_manager_port: ports.storageManager,
      storage_agent_port: ports.storageAgent,
      distexec_port: ports.distexec,
      shuffle_port: ports.shuffle,
    })),
  },
});

export const serveArguments = (
  index: number,
  { http, postgres, health, metrics }: NodePorts,
  configPath: string,
  dataDirectory: string,
): readonly string[] => [
  'serve',
  '--config',
  configPath,
  '--node',
  String(index),
  '--data-dir',
  dataDirectory,
  '--http-port',
  String(http),
  '--postgres-port',
  String(postgres),
  '--health-port',
  String(health),
  '--metrics-port',
  String(metrics),
];
