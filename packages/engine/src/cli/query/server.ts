import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';
import manifest from '../../../package.json' with { type: 'json' };
import { CommandFailure, EXIT } from '../exit-code.ts';
import { tokenForm, tokenOf } from './log-in.ts';

/** The address for queries: `http://host:port`, `https://…`, or `unix:/path/of/socket`. */
export interface Server {
  readonly url: string;
  readonly token?: string | undefined;
  /** Credentials instead of a token: the connection requests a token itself. */
  readonly login?: Login | undefined;
  /** A PEM certificate of an additional trusted authority. */
  readonly ca?: string | undefined;
  /** With this key, the server reads files of this machine in place: see `multipartBody`. */
  readonly localFileKey?: string | undefined;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Dispatcher.ResponseData['body'];
}

interface Post {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers?: Record<string, string>;
  readonly body?: Dispatcher.DispatchOptions['body'];
  readonly signal: AbortSignal;
}

/** A connection that waits as long as the query takes: time limits are the server's. */
export class Connection {
  readonly localFileKey: string | undefined;
  readonly #base: URL;
  readonly #login: Login | undefined;
  #token: string | undefined;
  readonly #agent: Agent;
  readonly #shown: string;

  constructor(server: Server) {
    const socket = /^unix:(.+)$/.exec(server.url)?.[1];
    this.#shown = server.url;
    this.localFileKey = server.localFileKey;
    this.#base = socket === undefined ? httpUrl(server.url) : new URL('http://localhost/');
    this.#token = server.token;
    this.#login = server.login;
    const ca = server.ca === undefined ? {} : { ca: [...rootCertificates, server.ca] };
    this.#agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: socket === undefined ? { timeout: 10_000, ...ca } : { socketPath: socket },
    });
  }

  async post(post: Post): Promise<Answer> {
    if (this.#token === undefined && this.#login !== undefined)
      this.#token = await this.#logIn(this.#login, post.signal);
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    return this.#send({ ...post, headers: { ...authorization, ...post.headers } });
  }

  async #logIn(login: Login, signal: AbortSignal): Promise<string> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = tokenForm(login);
    const answer = await this.#send({ path: '/oauth/token', parameters: {}, headers, body, signal });
    return tokenOf(answer.statusCode, await answer.body.text(), login.user);
  }

  async #send({ path, parameters, headers = {}, body, signal }: Post): Promise<Answer> {
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    try {
      return await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: { 'user-agent': `tessera/${manifest.version}`, ...headers },
        body: body ?? null,
        signal,
      });
    } catch (error) {
      if (signal.aborted || error instanceof CommandFailure) throw error;
      throw new CommandFailure(EXIT.connection, `error: ${this.#shown}: ${reason(error)}`);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CommandFailure(
    EXIT.usage,
    `error: --url ${text}: expected http://host:port, https://host:port or unix:/path/of/socket`,
  );
}

/** Errors of certificates that no known authority has signed. */
const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return 'nothing listens there (is `tessera serve` running?)';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is not known';
  if (code !== undefined && UNTRUSTED.has(code))
    return `the certificate is not trusted (${message}): name its authority with --tls-ca`;
  if (code === 'UND_ERR_SOCKET') return `${message} (does the server ask for https?)`;
  return message || String(code ?? error);
}
