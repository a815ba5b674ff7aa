import { fail } from '@tessera/common';
import { FooterDocument, MalformedThrift } from '@tessera/tablet';
import type { ReadRange, ScannedFile } from '../file-scan.ts';

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
