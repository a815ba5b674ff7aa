import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { cancellation, fail, TesseraError } from '@tessera/common';
import type { CsvShape } from './csv/csv-records.ts';
import type { SourceFile } from './thread/decoding.ts';

const CHUNK_BYTES = 1 << 20;

/**
 * Checks that a compressed text file is complete. The kernel reads one that is cut short without an error and returns the rows
 * before the cut, and it does not compare the checksums of gzip.
 * @throws TesseraError BAD_FILE, QUERY_CANCELLED
 */
export async function requireComplete(
  file: SourceFile,
  compression: CsvShape['compression'],
  signal: AbortSignal,
): Promise<void> {
  if (compression === 'gzip') await requireGzip(file, signal);
  else if (compression === 'zstd') await requireFrames(file, signal);
}

/** The format does not say where its data ends, so the file is decompressed. */
async function requireGzip({ path, label }: SourceFile, signal: AbortSignal): Promise<void> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    await pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), discard, { signal });
  } catch (cause) {
    if (signal.aborted) throw cancellation(signal);
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw cause;
    const reason =
      code === 'Z_BUF_ERROR' ? 'its gzip data is cut short' : `its gzip data is corrupt: ${message}`;
    throw TesseraError.of('BAD_FILE', { name: label, reason }, { cause });
  }
}

async function discard(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of chunks);
}

const FRAME = 0xfd2fb528;
const SKIPPABLE_FRAME = 0x184d2a5;
const HEADER_BYTES = 18;
/** A block of this kind stores one byte, whatever its size says. */
const REPEATED_BYTE = 1;

/** The headers that are read before other work gets its turn: a read takes about a microsecond, in another thread twenty. */
const READS_AT_ONCE = 256;

/** The sizes of the blocks say where each frame ends, so nothing is decompressed. The kernel compares the checksums. */
async function requireFrames({ path, label }: SourceFile, signal: AbortSignal): Promise<void> {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(HEADER_BYTES);
  const read = (at: number, bytes: number) => buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
  const cutShort = (): never => fail('BAD_FILE', { name: label, reason: 'its zstd data is cut short' });
  let reads = 0;
  const letOthersRun = async () => {
    if (++reads % READS_AT_ONCE === 0) await setImmediate();
    if (signal.aborted) throw cancellation(signal);
  };
  try {
    const { size } = fstatSync(file);
    for (let at = 0; at < size; ) {
      await letOthersRun();
      const header = read(at, HEADER_BYTES);
      if (header.length < 8) cutShort();
      const magic = header.readUInt32LE(0);
      if (magic >>> 4 === SKIPPABLE_FRAME) {
        at += 8 + header.readUInt32LE(4);
      } else if (magic === FRAME) {
        const descriptor = header[4]!;
        at += frameHeaderBytes(descriptor);
        for (let isLast = false; !isLast; ) {
          await letOthersRun();
          const block = read(at, 3);
          if (block.length < 3) cutShort();
          const bits = block.readUIntLE(0, 3);
          isLast = (bits & 1) === 1;
          at += 3 + (((bits >>> 1) & 3) === REPEATED_BYTE ? 1 : bits >>> 3);
        }
        if ((descriptor & 4) !== 0) at += 4;
      } else {
        fail('BAD_FILE', { name: label, reason: `its zstd data is corrupt: no frame begins at byte ${at}` });
      }
      if (at > size) cutShort();
    }
  } finally {
    closeSync(file);
  }
}

/** The size of the header of a frame with its magic number, by the byte that describes it. */
function frameHeaderBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const content = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  return 5 + (isSingleSegment ? 0 : 1) + dictionary + content;
}
