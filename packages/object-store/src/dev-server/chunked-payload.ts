import { S3Failure } from './s3-failure.ts';

/**
 * The payload of a body in the framing `aws-chunked`: `<length in hex>[;chunk-signature=…]\r\n<bytes>\r\n`, ended by a chunk
 * of length 0 and trailers. Signatures and checksums are passed over.
 */
export async function* chunkedPayload(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  let buffered = Buffer.alloc(0);
  const more = async () => {
    const next = await source.next();
    if (next.done) throw new S3Failure('InvalidArgument', 'The body ends inside a chunk');
    buffered = Buffer.concat([buffered, next.value]);
  };
  for (;;) {
    let lineEnd = buffered.indexOf('\r\n');
    while (lineEnd < 0) {
      await more();
      lineEnd = buffered.indexOf('\r\n');
    }
    const length = Number.parseInt(buffered.toString('latin1', 0, lineEnd), 16);
    if (!Number.isSafeInteger(length)) {
      throw new S3Failure('InvalidArgument', 'A chunk of the body has no length');
    }
    buffered = buffered.subarray(lineEnd + 2);
    if (length === 0) break;
    let left = length;
    while (left > 0) {
      if (buffered.length === 0) await more();
      const part = buffered.subarray(0, left);
      left -= part.length;
      buffered = buffered.subarray(part.length);
      yield part;
    }
    while (buffered.length < 2) await more();
    buffered = buffered.subarray(2);
  }
  // Trailers: the connection is of use again only when they are read.
  while (!(await source.next()).done);
}
