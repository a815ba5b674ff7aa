import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CompressedCsv, CsvBytes, ReadRange, ScannedFile } from '../file-scan.ts';
import { QuoteState } from './quote-state.ts';

/** The number of bytes that are read from a file to see its first records. */
export const HEAD_BYTES = 1 << 20;

export const isByte = (text: string): boolean => text.length === 1 && text.charCodeAt(0) < 128;

/**
 * The complete records in the beginning of a file, as a file of their own.
 * @throws TesseraError EXTERNAL_READ_FAILED
 */
export async function csvHead(file: ScannedFile, shape: CompressedCsv, read: ReadRange): Promise<Buffer> {
  const { compression } = shape;
  const start = await decompressedHead(file, HEAD_BYTES, compression, read);
  if (file.bytes <= HEAD_BYTES) return compressed(start, compression);
  const hasQuotes = isByte(shape.quote) && (shape.escape === '' || isByte(shape.escape));
  const head = wholeRecords(start, hasQuotes ? shape : { ...shape, quote: '' });
  return compressed(head?.bytes ?? start, compression);
}

/** The decompressed beginning of a file. */
export async function decompressedHead(
  file: ScannedFile,
  bytes: number,
  compression: CompressedCsv['compression'],
  read: ReadRange,
): Promise<Buffer> {
  const packed = await read(file, 0, Math.min(file.bytes, bytes));
  const head = Buffer.from(packed);
  if (compression === 'gzip') return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  if (compression === 'zstd') return zstdDecompressSync(head, { finishFlush: constants.ZSTD_e_flush });
  return head;
}

export const compressed = (bytes: Buffer, compression: CompressedCsv['compression']): Buffer =>
  compression === 'gzip' ? gzipSync(bytes) : compression === 'zstd' ? zstdCompressSync(bytes) : bytes;

interface Head {
  readonly bytes: Buffer;
  readonly records: number;
  /** The position after the first record. */
  readonly firstEnd: number;
}

/**
 * The complete records in the beginning of a file; undefined if there is none, or if lines do not end with a
 * line feed.
 */
export function wholeRecords(start: Buffer, shape: CsvBytes): Head | undefined {
  const quotes = new QuoteState(shape);
  let [records, firstEnd, end] = [0, 0, 0];
  for (let from = 0; ; ) {
    const at = start.indexOf(10, from);
    if (at < 0) break;
    quotes.push(start.subarray(from, at + 1));
    from = at + 1;
    if (quotes.isQuoted) continue;
    records += 1;
    end = from;
    if (records === 1) firstEnd = end;
  }
  return records === 0 ? undefined : { bytes: start.subarray(0, end), records, firstEnd };
}
