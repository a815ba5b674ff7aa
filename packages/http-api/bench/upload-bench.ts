/**
 * Measures speed and memory of uploads: one process sends over loopback HTTP, this one receives to files.
 *   node packages/http-api/bench/upload-bench.ts [--mb 500] [--only plain,gzip] [--directory DIR]
 * Prints MB/s of decoded bytes and the growth of resident memory. For comparison, it also prints the speed at
 * which the same server reads and discards a body of the same size.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { LazyRequestDirectory } from '@tessera/coordinator';
import { compressFrameSync } from 'lz4-napi';
import { Compressor } from 'snappy';
import { DEFAULT_UPLOAD_LIMITS, receiveUpload } from '../src/upload/index.ts';

const MB = 1_000_000;
const PIECE_ROWS = 40_000;

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '500' },
    only: { type: 'string', default: 'plain,gzip,deflate,br,zstd,lz4,snappy,xz' },
    directory: { type: 'string', default: join(tmpdir(), 'tessera-upload-bench') },
    send: { type: 'string' },
    coding: { type: 'string' },
    port: { type: 'string' },
    repeat: { type: 'string' },
  },
});

if (values.send === undefined) await measure();
else await send(values.send, Number(values.port), values.coding!, Number(values.repeat));

async function measure(): Promise<void> {
  const bytes = Number(values.mb) * MB;
  const work = new LazyRequestDirectory(values.directory);
  const workPath = await work.open();
  try {
    const piece = csvPiece();
    const idleRss = process.memoryUsage.rss();
    for (const coding of ['drop', ...values.only.split(',')]) {
      const file = join(workPath, coding);
      const encoded = await encode(piece, coding);
      await writeFile(file, encoded);
      const repeat = Math.ceil(bytes / piece.length);
      const result = await receiveOne(coding, file, repeat, workPath);
      const mbPerSecond = (repeat * piece.length) / 1e3 / result.ms;
      const growth = (result.peakRss - idleRss) / MB;
      process.stdout.write(
        `${coding.padEnd(8)} ${mbPerSecond.toFixed(0).padStart(5)} MB/s decoded, ` +
          `${((repeat * encoded.length) / MB).toFixed(0).padStart(5)} MB sent, ` +
          `${result.cpuMs.toFixed(0).padStart(5)} ms of CPU, memory +${growth.toFixed(0)} MB, event loop held ${result.longestTurnMs.toFixed(0)} ms at most\n`,
      );
    }
  } finally {
    await work.remove();
  }
}

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakRss: number;
  readonly longestTurnMs: number;
}

async function receiveOne(coding: string, file: string, repeat: number, root: string): Promise<Measured> {
  const requests = Promise.withResolvers<http.IncomingMessage>();
  const server = http.createServer((request, response) => {
    request.once('close', () => response.end());
    requests.resolve(request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const args = ['--send', file, '--port', String(port), '--coding', coding, '--repeat', String(repeat)];
  const sender = spawn(process.execPath, [import.meta.filename, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });

  const request = await requests.promise;
  const watch = watchProcess();
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  if (coding === 'drop') for await (const _ of request);
  else {
    const directory = new LazyRequestDirectory(root);
    await receiveUpload(request, request.headers['content-type']!, {
      directory: await directory.open(),
      limits: { ...DEFAULT_UPLOAD_LIMITS, fileBytes: 20_000 * MB },
      signal: new AbortController().signal,
    });
    await directory.remove();
  }
  const ms = performance.now() - start;
  const cpu = process.cpuUsage(cpuStart);
  const { peakRss, longestTurnMs } = watch.stop();
  sender.kill();
  server.closeAllConnections();
  server.close();
  await delay(200);
  return { ms, cpuMs: (cpu.user + cpu.system) / 1000, peakRss, longestTurnMs };
}

function watchProcess(): { stop(): { peakRss: number; longestTurnMs: number } } {
  let peakRss = 0;
  let longestTurnMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longestTurnMs = Math.max(longestTurnMs, now - last - 5);
    last = now;
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return { peakRss, longestTurnMs };
    },
  };
}

function csvPiece(): Buffer {
  const rows = Array.from(
    { length: PIECE_ROWS },
    (_, i) =>
      `${i},${(i * 7919) % 100_003},customer#${i % 977},${((i * 31) % 10_007) / 100},2024-0${1 + (i % 9)}-1${i % 9}\n`,
  );
  return Buffer.from(rows.join(''));
}

/**
 * Returns complete streams, so that their repetition is valid if the coding allows concatenation; for other
 * codings the whole content is encoded at once.
 */
async function encode(piece: Buffer, coding: string): Promise<Buffer> {
  switch (coding) {
    case 'gzip':
      return zlib.gzipSync(piece, { level: 6 });
    case 'zstd':
      return zlib.zstdCompressSync(piece);
    case 'lz4':
      return compressFrameSync(piece);
    case 'snappy': {
      const compressor = new Compressor();
      return Buffer.concat([compressor.update(piece), await compressor.finish()]);
    }
    case 'xz':
      return await xz(piece);
    default:
      return piece;
  }
}

async function xz(piece: Buffer): Promise<Buffer> {
  const child = spawn('xz', ['-c'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(piece);
  return Buffer.concat(await child.stdout.toArray());
}

/**
 * The client: sends the file repeatedly as one part, through a streaming encoder if streams cannot be
 * concatenated.
 */
async function send(file: string, port: number, coding: string, repeat: number): Promise<void> {
  const { size } = await stat(file);
  const piece = Buffer.concat(await createReadStream(file).toArray());
  const headers = coding === 'plain' || coding === 'drop' ? '' : `Content-Encoding: ${coding}\r\n`;
  const head = `--bench-boundary-0123456789\r\nContent-Disposition: form-data; name="sql"\r\n\r\nSELECT 1\r\n--bench-boundary-0123456789\r\nContent-Disposition: form-data; name="data"; filename="data"\r\n${headers}\r\n`;
  const tail = '\r\n--bench-boundary-0123456789--\r\n';
  const request =
    'POST / HTTP/1.1\r\nHost: bench\r\nContent-Type: multipart/form-data; boundary=bench-boundary-0123456789\r\n';
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => process.exit());
  const write = (data: Buffer | string): Promise<void> =>
    new Promise((resolve) => {
      if (socket.write(data)) resolve();
      else socket.once('drain', resolve);
    });
  const whole = {
    deflate: zlib.createDeflate({ level: 1 }),
    br: zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  }[coding];
  if (whole === undefined) {
    await write(`${request}Content-Length: ${head.length + repeat * size + tail.length}\r\n\r\n${head}`);
    for (let i = 0; i < repeat; i++) await write(piece);
    await write(tail);
    return;
  }
  const chunk = (data: Buffer | string) =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')]);
  await write(`${request}Transfer-Encoding: chunked\r\n\r\n`);
  await write(chunk(head));
  const compressed = (async () => {
    for await (const data of whole) await write(chunk(data));
  })();
  for (let i = 0; i < repeat; i++) await new Promise((resolve) => whole.write(piece, resolve));
  whole.end();
  await compressed;
  await write(chunk(tail));
  await write('0\r\n\r\n');
}
