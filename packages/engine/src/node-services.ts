import { type Logging, TesseraError } from '@tessera/common';
import { type NodeCredentials, type RpcServer, type ServedService, startRpcServer } from '@tessera/rpc';

type NodePurpose = 'storage-manager' | 'storage-agent' | 'distexec' | 'shuffle';

/** A service for other nodes, on a port of its own. */
export interface NodeService {
  /** A description for messages and logs. */
  readonly purpose: NodePurpose;
  readonly port: number;
  readonly services: readonly ServedService[];
  /** The credentials that callers must present. */
  readonly credentials: NodeCredentials;
}

export interface OpenNodeService {
  readonly purpose: NodePurpose;
  /** The address, such as `grpc://10.0.0.1:5678`. */
  readonly address: string;
  readonly server: RpcServer;
}

/**
 * Opens all ports between nodes on the node's own `host`, or none.
 * @throws TesseraError INVALID_ARGUMENT that names the port that is not available
 */
export async function openNodeServices(
  host: string,
  services: readonly NodeService[],
  logging: Logging,
): Promise<readonly OpenNodeService[]> {
  const opened: OpenNodeService[] = [];
  try {
    for (const { purpose, port, services: served, credentials } of services) {
      const log = logging.logger(purpose);
      const server = await startRpcServer({ ...credentials, host, port, services: served, log });
      opened.push({ purpose, address: `grpc://${host}:${server.port}`, server });
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map(({ server }) => server.close()));
    if (error instanceof TesseraError) throw error;
    const { purpose, port } = services[opened.length]!;
    const { message } = error as Error;
    const reason = message.includes('EADDRINUSE')
      ? `it is in use; choose another with --${purpose}-port`
      : message;
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `Cannot listen on ${host}:${port} for ${purpose}: ${reason}`,
    });
  }
}
