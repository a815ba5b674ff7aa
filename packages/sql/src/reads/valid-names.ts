import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, gunzip, zstdDecompress } from 'node:zlib';
import { fail } from '@tessera/common';
import type { BindingSession } from '@tessera/kernel';

/**
 * Refuses files whose columns or fields have names with a NUL character. The kernel's interface ends such a name at the NUL,
 * so that it would be that of another column.
 * @param scan the files as SQL of the kernel
 * @throws TesseraError INVALID_ENCODING
 */
export async function requireValidNames(session: BindingSession, scan: string, url: string): Promise<void> {
  const count = await session.scalar(
    `SELECT count(*) FROM (DESCRIBE SELECT * FROM ${scan}) WHERE contains(column_name || column_type, chr(0))`,
  );
  if (Number(count) > 0) refuseName(url);
}

/**
 * The names of the columns of a scan and their types in the kernel's SQL.
 * @throws TesseraError INVALID_ENCODING as `requireValidNames`
 */
export async function describedColumns(
  session: BindingSession,
  scan: string,
  url: string,
): Promise<readonly (readonly [name: string, type: string])[]> {
  const described = await session.scalar(
    `SELECT to_json(list([column_name, column_type]))::VARCHAR FROM (DESCRIBE SELECT * FROM ${scan})`,
  );
  const columns = JSON.parse(String(described)) as readonly (readonly [string, string])[];
  if (columns.flat().some((text) => text.includes('\0'))) refuseName(url);
  return columns;
}

export const refuseName = (url: string): never =>
  fail('INVALID_ENCODING', { what: `the name of a column of ${url}`, bytes: '0x00' });

/** The part of a file that is searched here. */
const HEAD_BYTES = 1 << 20;
const MAX_DECOMPRESSED_BYTES = 64 << 20;
const gunzipped = promisify(gunzip);
const unzstd = promisify(zstdDecompress);

/**
 * Whether the first of several CSV files may have a NUL character in a name, so that the kernel must be asked, which takes as
 * long as inferring the columns: if the first part of the file contains one.
 * @param codec the compression of the file
 */
export async function mayNameNul(path: string, codec: string | undefined): Promise<boolean> {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  const length = await readHead(path, head);
  if (length === undefined) return true;
  const text = await decompressed(head.subarray(0, length), codec);
  return text === undefined || text.includes('\0');
}

/** Undefined for data that cannot be decompressed, which the kernel reports. */
async function decompressed(head: Buffer, codec: string | undefined): Promise<Buffer | undefined> {
  const limit = { maxOutputLength: MAX_DECOMPRESSED_BYTES };
  try {
    if (codec === 'gzip') return await gunzipped(head, { ...limit, finishFlush: constants.Z_SYNC_FLUSH });
    if (codec === 'zstd') return await unzstd(head, { ...limit, finishFlush: constants.ZSTD_e_flush });
    return codec === undefined || codec === 'none' ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The number of bytes read; undefined for a file that cannot be read, which the kernel reports. */
async function readHead(path: string, head: Buffer): Promise<number | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await file.read(head, 0, head.length, 0)).bytesRead;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
