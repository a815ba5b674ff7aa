import { fail } from '@tessera/common';
import { FooterDocument, MalformedThrift } from '@tessera/tablet';
import type { FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { wholeFile } from '../whole-file.ts';

/**
 * The maximum number of footers that are read to find row groups; if there are more large files, each file is
 * one unit.
 */
const MAX_FOOTERS = 64;
const AT_ONCE = 8;

/** Divides files into units; files larger than `unitBytes` are divided into runs of row groups. */
export async function splitParquet(
  files: readonly ScannedFile[],
  unitBytes: number,
  read: ReadRange,
): Promise<readonly FileUnit[]> {
  const large = files.filter(({ bytes }) => bytes > 1.5 * unitBytes);
  if (large.length > MAX_FOOTERS) return files.map(wholeFile);
  const units = await mapInTurns(files, AT_ONCE, async (file) =>
    large.includes(file) ? runsOfRowGroups(file, unitBytes, read) : [wholeFile(file)],
  );
  return units.flat();
}

async function runsOfRowGroups(
  file: ScannedFile,
  unitBytes: number,
  read: ReadRange,
): Promise<readonly FileUnit[]> {
  const { document } = await readFooter(file, read);
  const sizes = document
    .read()
    .rowGroups.map(({ chunks }) => chunks.reduce((sum, { bytes }) => sum + bytes, 0));
  const units: FileUnit[] = [];
  let [from, bytes] = [0, 0];
  for (const [group, size] of sizes.entries()) {
    bytes += size;
    if (bytes < unitBytes && group < sizes.length - 1) continue;
    units.push({ file, part: [from, group + 1], bytes });
    [from, bytes] = [group + 1, 0];
  }
  return units.length > 0 ? units : [wholeFile(file)];
}

/** The number of bytes that are read first from the end of a file; most footers are shorter. */
const TAIL_BYTES = 64 << 10;
const MAGIC = 'PAR1';
/** The size of the footer length and `PAR1`. */
const END_BYTES = 8;

/** The footer of a Parquet file. */
export interface Footer {
  readonly document: FooterDocument;
  /** The offset at which it begins in the file. */
  readonly offset: number;
}

/** @throws TesseraError BAD_FILE for a file that is not Parquet or is encrypted; the errors of reading */
export async function readFooter(file: ScannedFile, read: ReadRange): Promise<Footer> {
  const tail = Buffer.from(await read(file, Math.max(0, file.bytes - TAIL_BYTES), file.bytes));
  if (tail.length < END_BYTES + MAGIC.length || tail.toString('latin1', tail.length - 4) !== MAGIC)
    return refuse(file, 'it does not end with "PAR1", so it is not a Parquet file');
  const bytes = tail.readUInt32LE(tail.length - END_BYTES);
  const offset = file.bytes - END_BYTES - bytes;
  if (offset < MAGIC.length) return refuse(file, 'its footer is longer than the file');
  const known = file.bytes - tail.length;
  const footer =
    offset >= known
      ? tail.subarray(offset - known, tail.length - END_BYTES)
      : await read(file, offset, offset + bytes);
  try {
    return { document: FooterDocument.decode(footer), offset };
  } catch (error) {
    if (!(error instanceof MalformedThrift)) throw error;
    return refuse(file, `its footer cannot be read: ${error.message}`);
  }
}

/** The end of a Parquet file, that is, everything after its pages. */
export function footerBytes(document: FooterDocument): Buffer {
  const footer = document.encode();
  const end = Buffer.alloc(END_BYTES, MAGIC, 'latin1');
  end.writeUInt32LE(footer.length);
  end.write(MAGIC, 4, 'latin1');
  return Buffer.concat([footer, end]);
}

/** A Parquet file with the columns of another one and no rows. */
export const emptyFile = (document: FooterDocument): Buffer =>
  Buffer.concat([Buffer.from(MAGIC, 'latin1'), footerBytes(document.only(0, 0))]);

const refuse = (file: ScannedFile, reason: string): never => fail('BAD_FILE', { name: file.url, reason });
