import { Agent, type Dispatcher, request } from 'undici';
import manifest from '../../../package.json' with { type: 'json' };
import { CommandFailure, EXIT } from '../exit-code.ts';

/** Where queries go: `http://host:port`, `https://…`, or `unix:/path/of/socket`. */
export interface Server {
  readonly url: string;
  readonly token: string | undefined;
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

/** A connection that waits for the server as long as the query takes: limits on time are the server's. */
export class Connection {
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #agent: Agent;
  readonly #shown: string;

  constructor(server: Server) {
    const socket = /^unix:(.+)$/.exec(server.url)?.[1];
    this.#shown = server.url;
    this.#base = socket === undefined ? httpUrl(server.url) : new URL('http://localhost/');
    this.#token = server.token;
    this.#agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: socket === undefined ? { timeout: 10_000 } : { socketPath: socket },
    });
  }

  async post({ path, parameters, headers = {}, body, signal }: Post): Promise<Answer> {
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    try {
      return await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: { 'user-agent': `tessera/${manifest.version}`, ...authorization, ...headers },
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

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return 'nothing listens there (is `tessera serve` running?)';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is not known';
  return message || String(code ?? error);
}
