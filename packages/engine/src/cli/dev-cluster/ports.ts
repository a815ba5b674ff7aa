import { freePort, isFree, TesseraError } from '@tessera/common';
import { DEFAULT_HTTP_PORT } from '../../serve-options.ts';

/** The ports of one node of a dev cluster, all on the loopback interface. */
export interface NodePorts {
  readonly http: number;
  readonly health: number;
  readonly metrics: number;
  readonly storageManager: number;
  readonly storageAgent: number;
  readonly distexec: number;
  readonly shuffle: number;
  readonly postgres: number;
}

export interface ClusterPorts {
  readonly store: number;
  readonly nodes: readonly NodePorts[];
}

const HOST = '127.0.0.1';
const PER_NODE = 10;
const LAST_PORT = 65_535;

/**
 * The ports of a cluster: from `basePort` on, ten for the store and ten per node; or free ones, with the
 * default query port for the first node if it is free.
 * @throws TesseraError INVALID_ARGUMENT if ports from `basePort` on are in use, or if there are not enough
 */
export async function clusterPorts(nodes: number, basePort: number | undefined): Promise<ClusterPorts> {
  if (basePort !== undefined && basePort > 0) return consecutivePorts(nodes, basePort);
  const taken = new Set<number>();
  const store = await freePort(HOST, taken);
  const found: NodePorts[] = [];
  for (let n = 0; n < nodes; n++) found.push(await freeNodePorts(taken));
  if (basePort === undefined && (await isFree(HOST, DEFAULT_HTTP_PORT))) {
    found[0] = { ...found[0]!, http: DEFAULT_HTTP_PORT };
  }
  return { store, nodes: found };
}

async function consecutivePorts(nodes: number, basePort: number): Promise<ClusterPorts> {
  if (basePort + PER_NODE * (nodes + 1) > LAST_PORT) {
    refuse(`--base-port ${basePort}: ${nodes} nodes need ${PER_NODE * (nodes + 1)} ports from there on`);
  }
  const ports = {
    store: basePort,
    nodes: Array.from({ length: nodes }, (_, n) => nodePortsFrom(basePort + PER_NODE * (n + 1))),
  };
  for (const port of [ports.store, ...ports.nodes.flatMap((node) => Object.values(node))]) {
    if (!(await isFree(HOST, port))) refuse(`--base-port ${basePort}: port ${port} is in use`);
  }
  return ports;
}

const nodePortsFrom = (first: number): NodePorts => ({
  http: first,
  health: first + 1,
  metrics: first + 2,
  storageManager: first + 3,
  storageAgent: first + 4,
  distexec: first + 5,
  shuffle: first + 6,
  postgres: first + 7,
});

async function freeNodePorts(taken: Set<number>): Promise<NodePorts> {
  return {
    http: await freePort(HOST, taken),
    health: await freePort(HOST, taken),
    metrics: await freePort(HOST, taken),
    storageManager: await freePort(HOST, taken),
    storageAgent: await freePort(HOST, taken),
    distexec: await freePort(HOST, taken),
    shuffle: await freePort(HOST, taken),
    postgres: await freePort(HOST, taken),
  };
}

function refuse(message: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}
