import { fail, TesseraError } from '@tessera/common';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import { decodeXz } from './xz.ts';
import { decodeBrotli, decodeDeflate, decodeGzip, decodeZstd } from './zlib.ts';

/** The decoder in a file that is loaded with its first use, because its libraries take 2 to 4 MB. */
const onDemand = (load: () => Promise<Decoder>): Decoder =>
  async function* (source) {
    yield* (await load())(source);
  };

const decodeLz4 = onDemand(async () => (await import('./lz4.ts')).decodeLz4);
const decodeSnappy = onDemand(async () => (await import('./snappy.ts')).decodeSnappy);

/** Every accepted value of Content-Encoding, in lower case. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['deflate', decodeDeflate],
  ['br', decodeBrotli],
  ['xz', decodeXz],
  ['zstd', decodeZstd],
  ['lz4', decodeLz4],
  ['snappy', decodeSnappy],
]);

/** Decoders that read their own output again, as the history of their format. */
const KEEPS_HISTORY: ReadonlySet<Decoder> = new Set([decodeLz4, decodeSnappy, decodeXz]);

/** Whether a part is decoded by a decoder that no longer uses a chunk once it requests the next one. */
export function decodesChunkByChunk({ contentEncoding, name }: EncodedPart): boolean {
  const decoder = DECODERS.get(parseContentEncoding(contentEncoding, name) ?? '');
  return decoder !== undefined && !KEEPS_HISTORY.has(decoder);
}

/** Whether only the consumer of `decodeContent` uses the memory of its chunks. */
export const givesChunksAway = (part: EncodedPart): boolean =>
  parseContentEncoding(part.contentEncoding, part.name) === undefined || decodesChunkByChunk(part);

interface EncodedPart {
  readonly name: string;
  readonly contentEncoding: string | undefined;
}

/**
 * The owner of a Content-Encoding for error messages: the name of a part, or undefined for the whole body.
 */
type Owner = string | undefined;

/**
 * The decoded content of a part. A part has at most one coding (or `identity`). Throws UNSUPPORTED_CODING for
 * an unknown one, BAD_UPLOAD for several, and while reading also for content that is not a complete stream of
 * its coding.
 */
export function decodeContent(
  content: AsyncIterable<Buffer>,
  contentEncoding: string | undefined,
  owner: Owner,
): AsyncIterable<Buffer> {
  const coding = parseContentEncoding(contentEncoding, owner);
  if (coding === undefined) return content;
  const decoder = DECODERS.get(coding) ?? fail('UNSUPPORTED_CODING', { part: owner, coding });
  return nameFailures(decoder(content), coding, owner);
}

function parseContentEncoding(header: string | undefined, owner: Owner): string | undefined {
  const codings = (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 1)
    fail('BAD_UPLOAD', {
      part: owner,
      reason: `Content-Encoding "${header}" names several codings; one is allowed`,
    });
  return codings[0];
}

async function* nameFailures(
  decoded: AsyncIterable<Buffer>,
  coding: string,
  owner: Owner,
): AsyncGenerator<Buffer, void> {
  try {
    yield* decoded;
  } catch (error) {
    if (!(error instanceof CorruptStream)) throw error;
    throw TesseraError.of(
      'BAD_UPLOAD',
      { part: owner, reason: `the ${coding} content is corrupt: ${error.message}` },
      { cause: error },
    );
  }
}
