import { fail, TesseraError } from '@tessera/common';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import { decodeLz4 } from './lz4.ts';
import { decodeSnappy } from './snappy.ts';
import { decodeXz } from './xz.ts';
import { decodeBrotli, decodeDeflate, decodeGzip, decodeZstd } from './zlib.ts';

/** Every value of Content-Encoding that is taken, lower case. */
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

/** Decoders that read what they gave out again, as the history of their format. */
const KEEPS_HISTORY: ReadonlySet<Decoder> = new Set([decodeLz4, decodeSnappy, decodeXz]);

/** Whether the content of a part passes through a decoder that is done with a chunk when it asks for the next. */
export function decodesChunkByChunk({ contentEncoding, name }: EncodedPart): boolean {
  const decoder = DECODERS.get(parseContentEncoding(contentEncoding, name) ?? '');
  return decoder !== undefined && !KEEPS_HISTORY.has(decoder);
}

/** Whether nobody but the consumer of `decodeContent` reads the memory of its chunks. */
export const givesChunksAway = (part: EncodedPart): boolean =>
  parseContentEncoding(part.contentEncoding, part.name) === undefined || decodesChunkByChunk(part);

interface EncodedPart {
  readonly name: string;
  readonly contentEncoding: string | undefined;
}

/** Whose Content-Encoding it is, as it appears in errors: the name of a part, or undefined for the whole body. */
type Owner = string | undefined;

/**
 * The decoded content of a part. A part takes one coding (or `identity`); UNSUPPORTED_CODING for unknown ones,
 * BAD_UPLOAD for several, and, while reading, for content that is not a whole stream of its coding.
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
