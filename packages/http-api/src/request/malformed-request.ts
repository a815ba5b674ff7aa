import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TesseraError } from '@tessera/common';
import { errorBody } from '../results/error-body.ts';

/** The limit for the URL and all headers together: `query_parameters` may carry long values in the URL. */
export const MAX_HEAD_BYTES = 512 * 1024;
/** The limit for the headers alone. */
const MAX_HEADER_BYTES = 64 * 1024;
/** The time that a refused client gets to read the error; its further input is discarded meanwhile. */
const LINGER_MS = 5_000;

/** @throws TesseraError HEADERS_TOO_LARGE, BAD_REQUEST for a request without `Host` */
export function checkHead({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (bytes > MAX_HEADER_BYTES) {
    throw TesseraError.of('HEADERS_TOO_LARGE', { what: 'The headers', limit: MAX_HEADER_BYTES });
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw TesseraError.of('BAD_REQUEST', { message: 'The request has no Host header' });
  }
}

const refused = new WeakSet<Socket>();

/** Answers input that is not valid HTTP in the API's error format and closes the connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (refused.has(socket)) return;
  const { _httpMessage: begun } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  // A finished answer stays on the socket for a moment, and on a busy machine the next request may arrive
  // before it is removed.
  const isAnswering = begun?.headersSent === true && !begun.writableEnded;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  endWith(socket, malformed(error));
}

/** The answer to CONNECT, which asks for a tunnel to another host. */
export function refuseTunnel(socket: Duplex): void {
  const error = TesseraError.of('BAD_REQUEST', {
    message: 'CONNECT is not served here: send queries by POST',
  });
  endWith(socket, { body: errorBody(error, undefined), status: 405 });
}

interface Refusal {
  readonly body: string;
  readonly status: number;
}

function endWith(socket: Duplex, { body, status }: Refusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function malformed({ code, message }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const what = 'The URL and the headers';
    const error = TesseraError.of('HEADERS_TOO_LARGE', { what, limit: MAX_HEAD_BYTES });
    return { body: errorBody(error, undefined), status: error.httpStatus };
  }
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const text = isLate ? 'The request took too long to arrive' : `The request is not HTTP: ${message}`;
  const error = TesseraError.of('BAD_REQUEST', { message: text });
  return { body: errorBody(error, undefined), status: isLate ? 408 : error.httpStatus };
}

/** The answer to an `Expect` header other than `100-continue`. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = `Expect: ${request.headers.expect} is not supported`;
  const body = errorBody(TesseraError.of('BAD_REQUEST', { message }), undefined);
  response.writeHead(417, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}
