import type { FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { wholeFile } from '../whole-file.ts';
import { readAvroHead } from './avro-head.ts';

/** Files divided into ranges of blocks; where there are more large files than this, files are units whole. */
const MAX_SPLIT_FILES = 64;
const FILES_AT_ONCE = 8;
/** Bytes that are searched at once for the end of a block. Writers make blocks of 16 KiB to a few MiB. */
const LOOK_BYTES = 256 << 10;

/** Files as units, those that are larger than `unitBytes` in ranges of bytes that begin and end where a block does. */
export async function splitAvro(
  files: readonly ScannedFile[],
  unitBytes: number,
  read: ReadRange,
): Promise<readonly FileUnit[]> {
  const large = new Set(files.filter(({ bytes }) => bytes > 1.5 * unitBytes));
  if (large.size > MAX_SPLIT_FILES) return files.map(wholeFile);
  const units = await mapInTurns(files, FILES_AT_ONCE, async (file) =>
    large.has(file) ? rangesOfBlocks(file, unitBytes, read) : [wholeFile(file)],
  );
  return units.flat();
}

/**
 * The sync marker of the file follows each block. Bytes of a block may look like it, although 16 random bytes hardly ever
 * do: the reader of the range before finds out, because its last block then ends elsewhere.
 */
async function rangesOfBlocks(
  file: ScannedFile,
  unitBytes: number,
  read: ReadRange,
): Promise<readonly FileUnit[]> {
  const { bytes: start, sync } = await readAvroHead(file, read);
  const cuts = [start];
  const count = Math.max(1, Math.round((file.bytes - start) / unitBytes));
  const step = (file.bytes - start) / count;
  for (let i = 1; i < count; i++) {
    const from = Math.floor(start + i * step);
    if (from <= cuts.at(-1)!) continue;
    const cut = await blockEnd(file, from, sync, read);
    if (cut === undefined || cut >= file.bytes) break;
    cuts.push(cut);
  }
  return cuts.map((from, i): FileUnit => {
    const to = cuts[i + 1] ?? file.bytes;
    // The first range counts the header, too.
    return { file, part: [from, to], bytes: i === 0 ? to : to - from };
  });
}

/** Where the first sync marker at `from` or after it ends; undefined where there is none. */
async function blockEnd(
  file: ScannedFile,
  from: number,
  sync: Buffer,
  read: ReadRange,
): Promise<number | undefined> {
  for (let at = from; at + sync.length <= file.bytes; at += LOOK_BYTES) {
    const bytes = Buffer.from(await read(file, at, Math.min(file.bytes, at + LOOK_BYTES + sync.length - 1)));
    const found = bytes.indexOf(sync);
    if (found >= 0) return at + found + sync.length;
  }
  return undefined;
}
