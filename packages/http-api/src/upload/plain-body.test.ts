import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import zlib from 'node:zlib';
import { TesseraError } from '@tessera/common';
import { expect, it } from 'vitest';
import { DEFAULT_UPLOAD_LIMITS } from './limits.ts';
import { failureOf } from './multipart-fixture.ts';
import { decodePlainBody } from './plain-body.ts';

const signal = new AbortController().signal;
const limits = { ...DEFAULT_UPLOAD_LIMITS, sqlBytes: 1024 };
const decode = (content: Buffer | string, coding?: string) =>
  decodePlainBody(Readable.from([Buffer.from(content as string)]), coding, { limits, signal });

it('gives the text of the body, gzipped or not', async () => {
  expect(await decode("SELECT 'ü'")).toBe("SELECT 'ü'");
  expect(await decode("SELECT 'ü'", '')).toBe("SELECT 'ü'");
  expect(await decode(zlib.gzipSync("SELECT 'ü'"), 'gzip')).toBe("SELECT 'ü'");
  expect(await decode('')).toBe('');
});

it.each([
  ['long text', 'x'.repeat(1025), undefined, 'UPLOAD_TOO_LARGE: the SQL text exceeds the limit of 1 KiB'],
  [
    'very long text',
    'x'.repeat(100_000),
    undefined,
    'UPLOAD_TOO_LARGE: the SQL text exceeds the limit of 1 KiB',
  ],
  [
    'long text, gzipped',
    zlib.gzipSync('x'.repeat(1025)),
    'gzip',
    'UPLOAD_TOO_LARGE: the SQL text exceeds the limit of 1 KiB',
  ],
  [
    'bytes that are not UTF-8',
    Buffer.from([0xff]),
    undefined,
    'INVALID_ENCODING: invalid byte sequence for encoding "UTF8": 0xff (in the statement)',
  ],
  ['a wrong coding', 'SELECT 1', 'gzip', 'BAD_UPLOAD: the gzip content is corrupt: incorrect header check'],
  [
    'an unknown coding',
    'SELECT 1',
    'compress',
    'UNSUPPORTED_CODING: unknown Content-Encoding "compress" (supported: gzip, deflate, br, xz, zstd, lz4, snappy)',
  ],
])('refuses %s', async (_what, content, coding, message) => {
  expect(await failureOf(decode(content, coding))).toBe(message);
});

it('takes a body that has arrived whole at once, with the same checks', async () => {
  const arrived = async (content: Buffer | string, stop?: AbortSignal) => {
    const headers = { 'content-length': String(Buffer.byteLength(content)) };
    const body = Object.assign(new PassThrough(), { headers });
    body.write(content);
    const text = await decodePlainBody(body, undefined, { limits, signal: stop ?? signal });
    body.end();
    await finished(body);
    return text;
  };
  expect(await arrived("\ufeffSELECT 'ü'")).toBe("SELECT 'ü'");
  expect(await failureOf(arrived('x'.repeat(1025)))).toContain('UPLOAD_TOO_LARGE: the SQL text exceeds');
  expect(await failureOf(arrived(Buffer.from([0xff])))).toContain('INVALID_ENCODING');
  const reason = TesseraError.of('QUERY_CANCELLED', { reason: 'a test' });
  await expect(arrived('SELECT 1', AbortSignal.abort(reason))).rejects.toBe(reason);
});

it('does not wait for a silent client', async () => {
  const body = new PassThrough();
  body.write('SELECT');
  const impatient = { ...limits, idleMs: 20 };
  expect(await failureOf(decodePlainBody(body, undefined, { limits: impatient, signal }))).toContain(
    'CLIENT_TOO_SLOW',
  );
  body.destroy();
});
