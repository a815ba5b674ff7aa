import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** A field of a table's schema. */
export const column = (name: string, type: unknown, metadata: object = {}) => ({
  name,
  type,
  nullable: true,
  metadata,
});

/** The action that declares the schema. */
export const metaData = (
  fields: readonly object[],
  partitionColumns: readonly string[],
  configuration: object = {},
) => ({
  metaData: {
    id: 'af23c9d7',
    format: { provider: 'parquet', options: {} },
    schemaString: JSON.stringify({ type: 'struct', fields }),
    partitionColumns,
    configuration,
  },
});

/** The action that adds a file of the table in `folder`; `path` is encoded as in the log. */
export const addFile = async (folder: string, path: string, partitionValues: object, more: object = {}) => ({
  add: {
    path,
    partitionValues,
    size: (await stat(join(folder, decodeURIComponent(path)))).size,
    modificationTime: FIRST_DAY,
    dataChange: true,
    ...more,
  },
});

/** Writes one commit of the table in `folder`; its time is `version` days after the first of January 2024. */
export async function commit(folder: string, version: number, actions: readonly object[]): Promise<void> {
  const log = join(folder, '_delta_log');
  await mkdir(log, { recursive: true });
  const path = join(log, `${String(version).padStart(20, '0')}.json`);
  await writeFile(path, actions.map((action) => `${JSON.stringify(action)}\n`).join(''));
  const time = new Date(FIRST_DAY + version * DAY_MS);
  await utimes(path, time, time);
}

/** Statistics of a file with these values of `id`, as further fields of its action. */
export const stats = (rows: number, low: number, high: number) => ({
  stats: JSON.stringify({
    numRecords: rows,
    minValues: { id: low },
    maxValues: { id: high },
    nullCount: { id: 0 },
  }),
});

/** A roaring bitmap with one container, laid out by hand as in the specification of its portable format. */
export function deletionVector(positions: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 8 + 4 + 16 + 2 * positions.length);
  bytes.writeUInt32LE(1_681_511_377, 0);
  bytes.writeBigUInt64LE(1n, 4);
  bytes.writeUInt32LE(12_346, 16);
  bytes.writeUInt32LE(1, 20);
  bytes.writeUInt16LE(positions.length - 1, 26);
  bytes.writeUInt32LE(16, 28);
  for (const [i, position] of positions.entries()) bytes.writeUInt16LE(position, 32 + 2 * i);
  return bytes;
}

const Z85 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

/** The vector as the log has it inline. */
export function encoded(vector: Buffer): string {
  const bytes = Buffer.concat([vector, Buffer.alloc((4 - (vector.length % 4)) % 4)]);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4)
    for (let power = 4; power >= 0; power--)
      text += Z85[Math.floor(bytes.readUInt32BE(at) / 85 ** power) % 85];
  return text;
}

/** The vector with its length and its checksum, as in files. */
export function framed(vector: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(vector.length);
  checksum.writeUInt32BE(crc32(vector));
  return Buffer.concat([length, vector, checksum]);
}
