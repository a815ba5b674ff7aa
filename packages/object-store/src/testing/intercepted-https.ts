import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

/** A request that the proxy received in place of the host. */
export interface InterceptedRequest {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface InterceptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * An HTTPS proxy that terminates TLS and answers in place of every host, so that a test sees which cloud
 * services a client calls, and with which identity. Clients must not verify certificates
 * (`NODE_TLS_REJECT_UNAUTHORIZED=0`).
 */
export class InterceptedHttps implements AsyncDisposable {
  readonly requests: InterceptedRequest[] = [];
  readonly #answer: (request: InterceptedRequest) => InterceptedAnswer;
  readonly #proxy: Server = createServer();
  readonly #inside: Server;
  readonly #certificate = selfSigned();

  constructor(answer: (request: InterceptedRequest) => InterceptedAnswer) {
    this.#answer = answer;
    this.#inside = createServer((request, response) => {
      void this.#received(request).then(({ status, headers, body }) =>
        response.writeHead(status, headers).end(body),
      );
    });
    this.#proxy.on('connect', (_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const secured = new TLSSocket(socket as never, { isServer: true, ...this.#certificate });
      secured.on('error', () => {});
      this.#inside.emit('connection', secured);
    });
  }

  /** Returns the value for `HTTPS_PROXY`. */
  async start(): Promise<string> {
    this.#proxy.listen(0, '127.0.0.1');
    await once(this.#proxy, 'listening');
    return `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#inside.closeAllConnections();
    this.#proxy.closeAllConnections();
    this.#proxy.close();
  }

  async #received(request: IncomingMessage): Promise<InterceptedAnswer> {
    let body = '';
    for await (const part of request) body += String(part);
    const received = {
      host: request.headers.host!.replace(/:443$/, ''),
      method: request.method!,
      path: request.url!,
      authorization: request.headers.authorization,
      body,
    };
    this.requests.push(received);
    return this.#answer(received);
  }
}

function selfSigned(): { readonly key: string; readonly cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-intercepted-'));
  try {
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-subj',
        '/CN=*',
        ...files,
      ],
      { cwd: directory, stdio: 'pipe' },
    );
    const read = (name: string) => readFileSync(join(directory, name), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
