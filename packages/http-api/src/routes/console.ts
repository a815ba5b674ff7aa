import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file for browsers, ready to be sent. */
interface ConsoleFile {
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Looks up the file at a path of the query port; undefined if there is none. */
export type ConsoleFiles = (path: string) => Promise<ConsoleFile | undefined>;

/** Sends a file of the web console, compressed if the browser accepts that, or 304 if the browser has it already. */
export async function answerConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  files: ConsoleFiles,
): Promise<FastifyReply> {
  const file = await files(request.url.split('?')[0]!);
  if (file === undefined) {
    reply.callNotFound();
    return reply;
  }
  reply.headers(file.headers).header('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match'] === file.headers.ETag) return reply.code(304).send();
  const compressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  return compressed ? reply.header('Content-Encoding', 'gzip').send(file.gzipped) : reply.send(file.body);
}
