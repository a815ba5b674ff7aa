import { type Logging, TesseraError } from '@tessera/common';
import { engineNodes } from '@tessera/config';
import { type RpcServer, type ServedService, startRpcServer } from '@tessera/rpc';
import { checkProtected } from './cluster-protection.ts';
import type { ServeOptions } from './serve-options.ts';

/** What other nodes ask of this one, each at a port of its own. */
export interface NodeServices {
  readonly storageManager: ServedService;
  readonly storageAgent: ServedService;
}

/**
 * Opens the ports between nodes, on the node's own `host`.
 * @throws TesseraError INVALID_ARGUMENT naming a port that cannot be had, or where the cluster token is missing
 */
export async function openNodeServices(
  options: ServeOptions,
  services: NodeServices,
  token: string | undefined,
  logging: Logging,
): Promise<readonly { readonly purpose: string; readonly address: string; readonly server: RpcServer }[]> {
  const node = engineNodes(options.config)[options.node]!;
  checkProtected(node.host, 'node', { token, insecure: options.insecureCluster });
  const places = [
    {
      purpose: 'storage-manager',
      port: options.storageManagerPort ?? node.storage_manager_port,
      service: services.storageManager,
    },
    {
      purpose: 'storage-agent',
      port: options.storageAgentPort ?? node.storage_agent_port,
      service: services.storageAgent,
    },
  ];
  const opened: { purpose: string; address: string; server: RpcServer }[] = [];
  try {
    for (const { purpose, port, service } of places) {
      const log = logging.logger(purpose);
      const server = await startRpcServer({
        host: node.host,
        port,
        services: [service],
        clusterToken: token,
        log,
      });
      opened.push({ purpose, address: `grpc://${node.host}:${server.port}`, server });
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map(({ server }) => server.close()));
    if (error instanceof TesseraError) throw error;
    const { purpose, port } = places[opened.length]!;
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `Cannot listen on ${node.host}:${port} for ${purpose}: ${(error as Error).message}`,
    });
  }
}
