import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { TesseraError } from '@tessera/common';
import { describe, expect, it } from 'vitest';
import {
  BOUNDARY,
  bodyOf,
  CONTENT_TYPE,
  failureOf,
  filePart,
  part,
  receive,
  sqlPart,
} from './multipart-fixture.ts';

const MB = 1_000_000;

describe('limits', () => {
  it('the decoded size of all files together, to the byte', async () => {
    const limits = { fileBytes: 1000 };
    const body = (last: number) =>
      bodyOf(
        filePart('a', zlib.gzipSync(Buffer.alloc(600)), 'Content-Encoding: gzip'),
        sqlPart('1'),
        filePart('b', Buffer.alloc(last)),
      );
    expect((await receive(body(400), { limits })).files.size).toBe(2);
    expect(await failureOf(receive(body(401), { limits }))).toBe(
      'UPLOAD_TOO_LARGE: Part "b": the decoded size of all files exceeds the limit of 1000 bytes',
    );
  });

  it('the decoded size of the SQL text', async () => {
    const limits = { sqlBytes: 2048 };
    const sql = (bytes: number) =>
      bodyOf(sqlPart(zlib.gzipSync(Buffer.alloc(bytes, 'x')), 'Content-Encoding: gzip'));
    expect((await receive(sql(2048), { limits })).sql).toHaveLength(2048);
    expect(await failureOf(receive(sql(2049), { limits }))).toBe(
      'UPLOAD_TOO_LARGE: Part "sql": the SQL text exceeds the limit of 2 KiB',
    );
  });

  it('the number of parts', async () => {
    const files = Array.from({ length: 3 }, (_, i) => filePart(`f${i}`, ''));
    expect((await receive(bodyOf(...files, sqlPart('1')), { limits: { parts: 4 } })).files.size).toBe(3);
    expect(await failureOf(receive(bodyOf(...files, sqlPart('1')), { limits: { parts: 3 } }))).toBe(
      'UPLOAD_TOO_LARGE: the number of parts exceeds the limit of 3',
    );
  });

  it('the headers of one part and of all', async () => {
    const long = `X-Long: ${'x'.repeat(20_000)}`;
    expect(await failureOf(receive(bodyOf(sqlPart('1', long)), { pieces: 1500 }))).toBe(
      'UPLOAD_TOO_LARGE: the header block of part 1 (it ends with an empty line) exceeds the limit of 16 KiB',
    );
    const files = Array.from({ length: 5 }, (_, i) => filePart(`f${i}`, '', `X: ${'x'.repeat(1000)}`));
    expect(await failureOf(receive(bodyOf(...files, sqlPart('1')), { limits: { headerBytes: 4096 } }))).toBe(
      'UPLOAD_TOO_LARGE: the size of all part headers exceeds the limit of 4 KiB',
    );
  });

  it('compressed content that never decodes to anything', async () => {
    const emptyMembers = Buffer.concat(Array(1000).fill(zlib.gzipSync('')));
    const limits = { fileBytes: 1000, sqlBytes: 1000, headerBytes: 1000 };
    expect(
      await failureOf(
        receive(bodyOf(filePart('a', emptyMembers, 'Content-Encoding: gzip')), { limits, pieces: 500 }),
      ),
    ).toBe('UPLOAD_TOO_LARGE: the request body exceeds the limit of 6000 bytes');
  });

  it('the free space that must remain on the disk', async () => {
    const limits = { diskReserveBytes: Number.MAX_SAFE_INTEGER };
    expect(await failureOf(receive(bodyOf(filePart('a', 'A'), sqlPart('1')), { limits }))).toBe(
      'DISK_FULL: No disk space left for the upload "a"',
    );
  });
});

describe('how a request can end', () => {
  const opening = Buffer.concat([sqlPart('1'), filePart('a', 'A'.repeat(1000))]).subarray(0, -500);

  it('the client falls silent', async () => {
    const body = new PassThrough();
    body.write(opening);
    expect(await failureOf(receive(body, { limits: { idleMs: 50 } }))).toBe(
      'CLIENT_TOO_SLOW: The client sent or accepted no data for 50 ms',
    );
    body.destroy();
  });

  it.each(['zstd', 'xz', 'lz4', 'snappy', 'br'])('the client falls silent inside of %s', async (coding) => {
    const body = new PassThrough();
    body.write(
      part(
        ['Content-Disposition: form-data; name="a"; filename="a"', `Content-Encoding: ${coding}`],
        '',
      ).subarray(0, -2),
    );
    body.write(Buffer.from(STARTS[coding]!, 'hex'));
    expect(await failureOf(receive(body, { limits: { idleMs: 300 } }))).toContain('CLIENT_TOO_SLOW');
    body.destroy();
  });

  it('the request is cancelled', async () => {
    const body = new PassThrough();
    const abort = new AbortController();
    body.write(opening);
    const reading = Promise.withResolvers<number>();
    const failure = failureOf(receive(body, { signal: abort.signal, onProgress: reading.resolve }));
    await reading.promise;
    abort.abort(TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs: 7 }));
    expect(await failure).toBe('STATEMENT_TIMEOUT: Statement timed out after 7 ms');
    expect(await failureOf(receive(Readable.from([opening]), { signal: abort.signal }))).toContain(
      'STATEMENT_TIMEOUT',
    );
    const plain = AbortSignal.abort();
    expect(await failureOf(receive(Readable.from([opening]), { signal: plain }))).toBe(
      'QUERY_CANCELLED: Query cancelled: the request was aborted',
    );
    body.destroy();
  });

  it('the stream of the body fails or is gone already', async () => {
    const body = new PassThrough();
    body.write(opening);
    const reading = Promise.withResolvers<number>();
    const failure = failureOf(receive(body, { onProgress: reading.resolve }));
    expect(await reading.promise).toBe(opening.length);
    body.destroy(new Error('reset'));
    expect(await failure).toBe(
      `BAD_UPLOAD: the client stopped sending after ${opening.length} bytes of the body`,
    );
    expect(await failureOf(receive(body))).toBe(
      'BAD_UPLOAD: the client stopped sending after 0 bytes of the body',
    );
  });

  it('a client of a real server disconnects', async () => {
    await withServer(async (socket, next) => {
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nContent-Type: ${CONTENT_TYPE}\r\n\r\n`,
      );
      socket.write(opening);
      const outcome = failureOf(receive(await next));
      socket.destroy();
      expect(await outcome).toMatch(/^BAD_UPLOAD: the client stopped sending after \d+ bytes of the body$/);
    });
  });

  it('after a failure the rest of the body is left to the caller', async () => {
    const rest = Buffer.alloc(5 * MB, 'x');
    await withServer(async (socket, next) => {
      const body = Buffer.concat([sqlPart('1'), sqlPart('2'), rest]);
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nContent-Type: ${CONTENT_TYPE}\r\n\r\n`,
      );
      socket.write(body);
      const request = await next;
      expect(await failureOf(receive(request))).toContain('more than one part named "sql"');
      expect(request.destroyed).toBe(false);
      request.resume();
      await once(request, 'end');
    });
  });

  it('memory stays flat while a large file streams in', async () => {
    const piece = Buffer.alloc(64 * 1024, 'data,');
    async function* body() {
      yield sqlPart('1');
      yield filePart('a', '').subarray(0, -2);
      for (let i = 0; i < 4000; i++) yield Buffer.from(piece);
      yield Buffer.from(`\r\n--${BOUNDARY}--`);
    }
    const before = process.memoryUsage.rss();
    let peak = before;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const { files } = await receive(Readable.from(body()));
    clearInterval(sampler);
    expect(files.get('a')?.bytes).toBe(4000 * piece.length);
    // A process that kept the file would hold 262 MB; garbage of the pieces may wait for a while.
    expect(peak - before).toBeLessThan(220 * MB);
  });
});

const STARTS: Readonly<Record<string, string>> = {
  zstd: '28b52ffd0458',
  xz: 'fd377a585a000004e6d6b446',
  lz4: '04224d186440a7',
  snappy: 'ff060000734e61507059',
  br: '1b',
};

async function withServer(
  run: (socket: Socket, request: Promise<http.IncomingMessage>) => Promise<void>,
): Promise<void> {
  const request = Promise.withResolvers<http.IncomingMessage>();
  const server = http.createServer((incoming) => request.resolve(incoming));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  try {
    await run(socket, request.promise);
  } finally {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  }
}
