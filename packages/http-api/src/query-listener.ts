import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { keepsAnswers } from './connection-endings.ts';
import { MAX_HEAD_BYTES, refuseExpectation } from './request/malformed-request.ts';

/** PEM texts: a certificate with its chain, and its key. */
export interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

const OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEAD_BYTES,
  // A request without Host is refused in the shape of all errors (`checkHead`).
  requireHostHeader: false,
  headersTimeout: 60_000,
  // An upload may take hours; the time between two bytes is what has a limit, where the body is read.
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
};

const awaited = new WeakSet<ServerResponse>();

/**
 * The server under the query API. A client that asks first whether to send its body (`Expect: 100-continue`) is told so by
 * `continueRequest` alone: who is refused has sent nothing then.
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
  keepsAnswers(server);
  return server;
}

/** Whether the client sends no body before it is told to. */
export const holdsBodyBack = (response: ServerResponse): boolean => awaited.has(response);

/** Has a client that waits for it send the body. */
export function continueRequest(response: ServerResponse): void {
  if (awaited.delete(response)) response.writeContinue();
}
