import { readAvroHead } from '../avro/avro-head.ts';
import { splitAvro } from '../avro/split-avro.ts';
import type { ReadRange, ScannedFile } from '../file-scan.ts';
import type { FormatPlan } from './planned-scan.ts';

/** Estimated for a file whose header fills all bytes that were read. */
const BYTES_PER_ROW = 100;

/**
 * Avro files: the columns are those of the first file, and all others must have the same ones.
 * @throws TesseraError BAD_FILE
 */
export async function planAvro(
  files: readonly ScannedFile[],
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  const [first] = files;
  if (first === undefined || files.some(({ bytes }) => bytes === 0)) return undefined;
  const { header, firstBlock } = await readAvroHead(first, read);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rowsPerByte =
    firstBlock === undefined || firstBlock.rows === 0
      ? 1 / BYTES_PER_ROW
      : firstBlock.rows / Math.max(firstBlock.rows, firstBlock.bytes);
  return {
    standIns: new Map([[0, [{ at: 0, bytes: header }]]]),
    rows: bytes * rowsPerByte,
    format: () => ({ kind: 'avro', header: header.toString('base64') }),
    units: (_, unitBytes, range) => splitAvro(files, unitBytes, range),
  };
}
