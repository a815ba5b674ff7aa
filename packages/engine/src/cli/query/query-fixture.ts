import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { QueryRequest } from './run-query.ts';
import type { Streams } from './streams.ts';

export interface Seen {
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that records its requests and answers with `reply`. */
export async function startServer(reply: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://x');
    const one = {
      path: url.pathname,
      parameters: url.searchParams,
      headers: request.headers,
      body: await text(request),
    };
    seen.push(one);
    reply(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Standard streams in memory. */
export function memoryStreams(options: { terminal?: boolean; stdin?: string } = {}) {
  const collect = () => {
    const chunks: Buffer[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
    return {
      stream: Object.assign(stream, { isTTY: options.terminal ?? false }),
      text: () => Buffer.concat(chunks).toString('utf8'),
    };
  };
  const [stdout, stderr] = [collect(), collect()];
  const stdin = new PassThrough();
  stdin.end(options.stdin ?? '');
  const io: Streams = { stdin, stdout: stdout.stream, stderr: stderr.stream };
  return { io, out: stdout.text, err: stderr.text };
}

export const ask = (url: string, sql: string, more: Partial<QueryRequest> = {}): QueryRequest => ({
  server: { url },
  sql,
  files: [],
  format: undefined,
  database: undefined,
  settings: {},
  ...more,
});
