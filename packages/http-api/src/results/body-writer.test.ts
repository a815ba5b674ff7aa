import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BodyWriter, type BodyWriterOptions } from './body-writer.ts';

let server: Server;
let handler: (response: ServerResponse) => Promise<void>;
beforeEach(async () => {
  server = createServer((incoming, response) => {
    incoming.resume();
    void handler(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const get = (): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    request({ port }, resolve).on('error', reject).end();
  });

const writerFor = (response: ServerResponse, options: Partial<BodyWriterOptions> = {}) =>
  new BodyWriter(response, {
    idleMs: 10_000,
    signal: new AbortController().signal,
    compressed: false,
    ...options,
  });

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Writes megabytes until writing fails. */
async function writeUntilItFails(writer: BodyWriter): Promise<unknown> {
  const megabyte = Buffer.alloc(1 << 20);
  try {
    for (;;) await writer.write([megabyte]);
  } catch (error) {
    return error;
  }
}

describe('BodyWriter', () => {
  it('a body that ends after its client has disconnected leaves no timer, which would delay the exit of the node', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const added = new Promise<number>((resolve) => {
      handler = async (response) => {
        await once(response, 'close');
        const before = timers();
        writerFor(response).end('late');
        resolve(timers() - before);
      };
    });
    const { port } = server.address() as AddressInfo;
    const client = request({ port }).on('error', () => {});
    client.end();
    await once(server, 'request');
    client.destroy();
    expect(await added).toBe(0);
  });

  it('a short body has a length, and nothing is sent before its end', async () => {
    handler = async (response) => {
      const writer = writerFor(response);
      await writer.write('a');
      await writer.write([Buffer.from('b')]);
      expect(writer.started).toBe(false);
      await writer.end();
      expect(writer.bytes).toBe(2);
    };
    const answer = await get();
    expect(answer.headers['content-length']).toBe('2');
    expect(String(await bodyOf(answer))).toBe('ab');
  });

  it('a long body is streamed', async () => {
    const piece = Buffer.alloc(300_000, 'x');
    handler = async (response) => {
      const writer = writerFor(response);
      for (let i = 0; i < 10; i++) await writer.write([piece]);
      expect(writer.started).toBe(true);
      await writer.end();
    };
    const answer = await get();
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    expect((await bodyOf(answer)).byteLength).toBe(3_000_000);
  });

  it('a client that reads nothing is disconnected after the idle time', async () => {
    const failed = new Promise((resolve) => {
      handler = async (response) => resolve(await writeUntilItFails(writerFor(response, { idleMs: 50 })));
    });
    const answer = await get();
    expect(await failed).toMatchObject({ name: 'CLIENT_TOO_SLOW' });
    answer.destroy();
  });

  it('a client that disconnects ends the writing', async () => {
    const failed = new Promise((resolve) => {
      handler = async (response) => resolve(await writeUntilItFails(writerFor(response)));
    });
    (await get()).destroy();
    expect(await failed).toMatchObject({ name: 'QUERY_CANCELLED' });
  });

  it('a cancelled query ends the writing with its reason', async () => {
    const query = new AbortController();
    const failed = new Promise((resolve) => {
      handler = async (response) =>
        resolve(await writeUntilItFails(writerFor(response, { signal: query.signal })));
    });
    const answer = await get();
    query.abort('the reason');
    expect(await failed).toBe('the reason');
    answer.destroy();
  });

  it('pieces of one write are sent together, or not at all', async () => {
    const query = new AbortController();
    handler = async (response) => {
      const writer = writerFor(response, { signal: query.signal });
      const pieces = [Buffer.from('['), Buffer.alloc(8 << 20, 'x'), Buffer.from(']')];
      const writing = writer.write(pieces);
      query.abort('the reason');
      await expect(writing).rejects.toBe('the reason');
      await expect(writer.write(pieces)).rejects.toBe('the reason');
      writer.end('end');
    };
    const body = String(await bodyOf(await get()));
    expect(body).toHaveLength((8 << 20) + '[]end'.length);
    expect([body.slice(0, 2), body.slice(-5)]).toEqual(['[x', 'x]end']);
  });

  it('a client that does not read the end is disconnected after the idle time', async () => {
    const closed = new Promise((resolve) => {
      handler = async (response) => {
        response.once('close', () => resolve(response.writableFinished));
        const writer = writerFor(response, { idleMs: 50 });
        void writer.write([Buffer.alloc(64 << 20)]).catch(() => {});
        writer.end();
      };
    });
    const answer = await get();
    expect(await closed).toBe(false);
    answer.destroy();
  });
});
