import { type FileHandle, open } from 'node:fs/promises';
import { TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';

/**
 * Refuses files whose columns or fields have names with a NUL character. The kernel's interface ends such a name at the NUL,
 * so that it would be that of another column.
 * @param scan the files as SQL of the kernel
 * @throws TesseraError INVALID_ENCODING
 */
export async function requireValidNames(session: KernelSession, scan: string, url: string): Promise<void> {
  const count = await session.scalar(
    `SELECT count(*) FROM (DESCRIBE SELECT * FROM ${scan}) WHERE contains(column_name || column_type, chr(0))`,
  );
  if (Number(count) === 0) return;
  throw TesseraError.of('INVALID_ENCODING', { what: `the name of a column of ${url}`, bytes: '0x00' });
}

const CHUNK_BYTES = 1 << 20;
/** As much as the kernel looks at for names: the records of a sample, for CSV the first one. */
const HEAD_BYTES: Readonly<Record<'csv' | 'json', number>> = { csv: 1 << 20, json: 64 << 20 };
/** The number of files that the kernel looks at. */
const SAMPLED_FILES: Readonly<Record<'csv' | 'json', number>> = { csv: 1, json: 32 };
const NUL: Readonly<Record<'csv' | 'json', string>> = { csv: '\0', json: '\\u0000' };

/** Whether the first part of uncompressed files contains a NUL character, which may be in a name. */
export async function mayNameNul(format: 'csv' | 'json', paths: readonly string[]): Promise<boolean> {
  for (const path of paths.slice(0, SAMPLED_FILES[format])) {
    const file = await open(path).catch(() => undefined);
    // The kernel reports a file that cannot be opened.
    if (file === undefined) return true;
    try {
      if (await contains(file, NUL[format], HEAD_BYTES[format])) return true;
    } finally {
      await file.close();
    }
  }
  return false;
}

/** Whether the first `limit` bytes of a file contain a text. */
async function contains(file: FileHandle, text: string, limit: number): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let kept = 0;
  for (let at = 0; at < limit; ) {
    const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES - kept, at);
    if (bytesRead === 0) return false;
    const end = kept + bytesRead;
    if (buffer.subarray(0, end).includes(text)) return true;
    // The text may continue in the next chunk.
    kept = Math.min(text.length - 1, end);
    buffer.copyWithin(0, end - kept, end);
    at += bytesRead;
  }
  return false;
}
