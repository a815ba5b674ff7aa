import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { startTimer } from '@tessera/common';
import { BULK_PROTOCOL, GREETING } from './bulk/frames.ts';
import type { ClusterTls } from './cluster-tls.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls: ClusterTls | undefined;
  /** Serves a gRPC connection. */
  readonly grpc: (socket: Socket) => void;
  /** Serves a bulk connection; `read` are the bytes that were read from it after the greeting. */
  readonly bulk: (socket: Socket, read: Buffer) => void;
}

export interface Listener {
  readonly port: number;
  /** Accepts no more connections, and closes those of which the protocol is not known yet. */
  close(): void;
}

/** The system notices callers that have vanished. */
const SOCKETS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

/** Callers that have not shown their protocol by then are disconnected. */
const PROTOCOL_MS = 10_000;

/**
 * Listens for gRPC and for bulk connections on one port.
 * @throws the error of the operating system if the port is in use
 */
export async function listen({ host, port, tls, grpc, bulk }: ListenerOptions): Promise<Listener> {
  const undecided = new Set<Socket>();
  const choose = (socket: Socket) => chooseByFirstBytes(socket, { grpc, bulk, undecided });
  const server = tls === undefined ? createServer(SOCKETS, choose) : tlsServer(tls, { grpc, choose });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of undecided) socket.destroy();
    },
  };
}

/** Callers must have a certificate of the authority. They name the protocol in the handshake (ALPN). */
function tlsServer(
  { ca, certificate, key }: ClusterTls,
  { grpc, choose }: Record<'grpc' | 'choose', (socket: Socket) => void>,
): Server {
  const authentication = { ca, cert: certificate, key, requestCert: true, rejectUnauthorized: true };
  const protocols = { ALPNProtocols: ['h2', BULK_PROTOCOL], handshakeTimeout: PROTOCOL_MS };
  return createTlsServer({ ...SOCKETS, ...authentication, ...protocols }, (socket) =>
    socket.alpnProtocol === BULK_PROTOCOL ? choose(socket) : grpc(socket),
  );
}

function chooseByFirstBytes(
  socket: Socket,
  { grpc, bulk, undecided }: Pick<ListenerOptions, 'grpc' | 'bulk'> & { readonly undecided: Set<Socket> },
): void {
  const disconnect = startTimer(() => socket.destroy(), PROTOCOL_MS);
  const decided = () => {
    disconnect.clear();
    undecided.delete(socket);
    socket.off('readable', look).off('error', decided).off('close', decided);
  };
  let read: Buffer = Buffer.alloc(0);
  const look = () => {
    for (let more = socket.read(); more !== null; more = socket.read()) read = Buffer.concat([read, more]);
    const first = read.subarray(0, GREETING.length);
    if (!first.equals(GREETING.subarray(0, first.length))) {
      decided();
      socket.unshift(read);
      grpc(socket);
    } else if (first.length === GREETING.length) {
      decided();
      bulk(socket, read.subarray(GREETING.length));
    }
  };
  undecided.add(socket);
  socket.on('readable', look).on('error', decided).on('close', decided);
}
