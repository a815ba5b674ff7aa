import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type FaultRule, FaultRules } from './fault-rules.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Idle connections stay open for longer than clients pause, so that no client sends a request into a connection
 * that is being closed.
 */
const KEEP_ALIVE = { keepAliveTimeout: 75_000 };

/**
 * A proxy in front of an object store that injects faults into its HTTP traffic by rules. The Host header is
 * forwarded unchanged, so that signatures remain valid: clients sign for the address of the proxy.
 */
export class FaultProxy implements AsyncDisposable {
  readonly rules: FaultRules;
  readonly #target: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer(KEEP_ALIVE, (incoming, response) => {
    this.#serve(incoming, response).catch(() => response.destroy());
  });

  constructor(target: string, seed = 1) {
    this.#target = new URL(target);
    this.rules = new FaultRules(seed);
  }

  /** Returns the endpoint. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.destroy();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await collect(incoming);
    const fault = this.rules.catch(incoming.method ?? '', incoming.url ?? '');
    switch (fault?.kind) {
      case 'silence':
        return;
      case 'answer':
        if (fault.passOn) await this.#pass(incoming, body);
        return refuse(response, fault);
      case 'reset':
        if (fault.passOn) await this.#pass(incoming, body);
        response.socket?.resetAndDestroy();
        return;
      case 'delay':
        await sleep(fault.ms);
        break;
      case 'hold':
        if (!fault.passOn) await this.rules.replaced();
        break;
    }
    const replaced = this.rules.replaced();
    const answer = await this.#pass(incoming, body);
    if (fault?.kind === 'hold' && fault.passOn) await replaced;
    send(response, answer, fault, incoming.method === 'HEAD');
  }

  async #pass(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const headers = { ...incoming.headers };
    // These headers are already satisfied, because the body has been read.
    delete headers.expect;
    const outgoing = request({
      host: this.#target.hostname,
      port: this.#target.port,
      method: incoming.method,
      path: incoming.url,
      headers,
      agent: this.#agent,
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await collect(answer) };
  }
}

function send(response: ServerResponse, answer: Answer, fault: Fault | undefined, bodiless: boolean): void {
  const { status, headers } = answer;
  const body = Buffer.from(answer.body);
  if (fault?.kind === 'flip' && body.length > 0) {
    const at = Math.min(Math.floor(body.length * fault.share), body.length - 1);
    body[at] = body[at]! ^ 1;
  }
  if (fault?.kind === 'truncate' && body.length > 0) {
    const part = body.subarray(0, Math.floor(body.length * fault.share));
    if (fault.honestLength) {
      response.writeHead(status, { ...headers, 'content-length': part.length }).end(part);
    } else {
      response.writeHead(status, headers);
      response.write(part, () => response.socket?.destroy());
    }
    return;
  }
  // A body that was received in chunks is sent with its length.
  const { 'transfer-encoding': _, ...rest } = headers;
  const length = bodiless || status === 204 || status === 304 ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...rest, ...length }).end(body);
}

function refuse(response: ServerResponse, { status, code }: { status: number; code: string }): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>injected</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

async function collect(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Rules over HTTP: `PUT /rules` with a JSON array replaces them, `GET /rules` returns them with what they have caught. */
export async function startControl(rules: FaultRules): Promise<{ url: string; close: () => void }> {
  const server = createServer(KEEP_ALIVE, async (incoming, response) => {
    try {
      const body = await collect(incoming);
      if (incoming.method === 'PUT') rules.set(JSON.parse(body.toString()) as FaultRule[]);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rules.states()));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rules`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
