import { open } from 'node:fs/promises';
import type { FileUnit, ReadRange } from '../file-scan.ts';
import { copyRange } from '../read-ranges.ts';
import { readAvroHead } from './avro-head.ts';

/**
 * Writes a unit of an Avro file into a new file: the header of the file, and the blocks of the unit. It can only be decoded to its
 * end if the last block ends where the unit does: since the first unit begins behind the header, no unit begins within a block.
 */
export async function fetchAvro({ file, part }: FileUnit, path: string, read: ReadRange): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    if (part === undefined) return await copyRange(file, [0, file.bytes], { read, target, at: 0 });
    const { header } = await readAvroHead(file, read);
    await target.write(header, 0, null, 0);
    await copyRange(file, part, { read, target, at: header.length });
  } finally {
    await target.close();
  }
}
