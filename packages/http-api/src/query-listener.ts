import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { keepsAnswers } from './connection-endings.ts';
import { MAX_HEAD_BYTES, refuseExpectation, refuseTunnel } from './request/malformed-request.ts';

/** The certificate chain and the key, as PEM texts. */
export interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

const OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEAD_BYTES,
  // A request without Host is refused in the API's error format (`checkHead`).
  requireHostHeader: false,
  headersTimeout: 60_000,
  // An upload may take hours. The limit is on the time between two bytes, and applies where the body is read.
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
};

const awaited = new WeakSet<ServerResponse>();

/**
 * The server of the query API. A client that sends `Expect: 100-continue` is only told to continue by
 * `continueRequest`, so a refused client has not sent its body.
 */
export function queryListener(handler: RequestListener, tls: TlsKeyPair | undefined): Server {
  const server =
    tls === undefined
      ? createServer(OPTIONS, handler)
      : createTlsServer({ ...OPTIONS, ...tls, minVersion: 'TLSv1.2' }, handler);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaited.add(response);
    handler(request, response);
  });
  server.on('checkExpectation', refuseExpectation);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseTunnel(socket));
  keepsAnswers(server);
  return server;
}

/** Whether the client waits for permission before it sends its body. */
export const holdsBodyBack = (response: ServerResponse): boolean => awaited.has(response);

/** Tells a waiting client to send its body. */
export function continueRequest(response: ServerResponse): void {
  if (awaited.delete(response)) response.writeContinue();
}
