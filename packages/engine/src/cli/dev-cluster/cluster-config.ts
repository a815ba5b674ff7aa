import type { ClusterIdentity, ClusterLogin } from './identity.ts';
import type { ClusterPorts, NodePorts } from './ports.ts';

/** The fraction of the machine's memory for all processes of the cluster. */
const MEMORY_RATIO = 0.8;
/** The environment variable with the administrator's password. */
export const PASSWORD_VARIABLE = 'TESSERA_DEV_CLUSTER_PASSWORD';

/** The configuration of all nodes, in the format of `tessera serve --config`. */
export const clusterConfig = (
  { instanceId }: ClusterIdentity,
  { nodes }: ClusterPorts,
  storeEndpoint: string,
  login: ClusterLogin | undefined,
): object => ({
  schema_version: '1.0',
  instance: { id: instanceId },
  ...(login && { auth: nativeAuth(login) }),
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

const nativeAuth = ({ user, signingKeyPath }: ClusterLogin): object => ({
  mode: 'native',
  native: {
    initial_user: { name: user, password: `\${env:${PASSWORD_VARIABLE}}` },
    signing_algorithm: 'ES256',
    signing_keys: [{ id: 'dev-cluster', private_key_path: signingKeyPath }],
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
