import zlib from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { Compressor, compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { bodyOf, failureOf, filePart, receive, sqlPart } from './multipart-fixture.ts';

const MB = 1_000_000;

describe('decompression bombs stop at the limit, in flat memory', () => {
  const zeros = Buffer.alloc(64 * MB);
  const framed = async () => {
    const compressor = new Compressor();
    return Buffer.concat([compressor.update(zeros), await compressor.finish()]);
  };
  const xz = () => Buffer.concat(Array(150).fill(Buffer.from(XZ_OF_ZEROS, 'base64')));

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['gzip', () => Buffer.concat(Array(10).fill(zlib.gzipSync(zeros)))],
    ['deflate', () => zlib.deflateSync(Buffer.concat(Array(5).fill(zeros)))],
    [
      'br',
      () =>
        zlib.brotliCompressSync(Buffer.concat(Array(5).fill(zeros)), {
          params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 },
        }),
    ],
    ['zstd', () => Buffer.concat(Array(10).fill(zlib.zstdCompressSync(zeros)))],
    ['lz4', () => Buffer.concat(Array(10).fill(compressFrameSync(zeros)))],
    ['snappy', async () => Buffer.concat(Array(5).fill(await framed()))],
    ['snappy', () => compressSync(Buffer.concat(Array(5).fill(zeros)))],
    ['xz', xz],
  ])('%s', async (coding, bomb) => {
    const body = bodyOf(filePart('bomb', await bomb(), `Content-Encoding: ${coding}`), sqlPart('1'));
    const before = process.memoryUsage.rss();
    let peak = before;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const failure = await failureOf(receive(body, { limits: { fileBytes: 200 * MB } }));
    clearInterval(sampler);
    expect(failure).toBe(
      'UPLOAD_TOO_LARGE: Part "bomb": the decoded size of all files exceeds the limit of 200000000 bytes',
    );
    expect(peak - before).toBeLessThan(180 * MB);
  });
});

/** 4,000,000 zero bytes, compressed by `xz -9`. */
const XZ_OF_ZEROS =
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM//8RAWxdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvEgn5lidCe0BEQDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ5Z9yRQAAAG8OvNbpr82UAAGfBYCS9AGxMZzzscRn+wIAAAAABFla';

/** The first bytes of valid streams. */
