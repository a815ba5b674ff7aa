import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
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

/** The sizes of the blocks say where each frame ends, so nothing is decompressed. The kernel compares the checksums. */
async function requireFrames({ path, label }: SourceFile, signal: AbortSignal): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  const read = windowOf(file);
  const cutShort = (): never => fail('BAD_FILE', { name: label, reason: 'its zstd data is cut short' });
  for (let at = 0; at < size; ) {
    const header = await read(at, HEADER_BYTES);
    if (header.length < 8) cutShort();
    const magic = header.readUInt32LE(0);
    if (magic >>> 4 === SKIPPABLE_FRAME) {
      at += 8 + header.readUInt32LE(4);
    } else if (magic === FRAME) {
      const descriptor = header[4]!;
      at += frameHeaderBytes(descriptor);
      for (let isLast = false; !isLast; ) {
        if (signal.aborted) throw cancellation(signal);
        const block = await read(at, 3);
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
}

/** The size of the header of a frame with its magic number, by the byte that describes it. */
function frameHeaderBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const content = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  return 5 + (isSingleSegment ? 0 : 1) + dictionary + content;
}

/** Reads a few bytes of a file at a position, fewer at its end; positions that follow each other share a read. */
function windowOf(file: FileHandle): (at: number, bytes: number) => Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let [from, length] = [0, 0];
  return async (at, bytes) => {
    if (at < from || at + bytes > from + length) {
      from = at;
      length = (await file.read(buffer, 0, buffer.length, at)).bytesRead;
    }
    return buffer.subarray(at - from, Math.min(at - from + bytes, length));
  };
}
