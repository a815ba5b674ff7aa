import type { ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { emptyFile, type Footer, footerBytes, readFooter } from '../parquet/footer.ts';
import { splitParquet } from '../parquet/split-parquet.ts';
import type { FormatPlan, StandIn } from './planned-scan.ts';

const AT_ONCE = 16;
/** With more different schemas than this, files are not read in parts. */
const MAX_SCHEMAS = 64;

/**
 * Plans Parquet files. The columns are those of the first file, or with `unionByName` those of all files.
 * @throws TesseraError BAD_FILE
 */
export async function planParquet(
  files: readonly ScannedFile[],
  unionByName: boolean,
  read: ReadRange,
): Promise<FormatPlan | undefined> {
  const looked = unionByName ? files : files.slice(0, 1);
  const footers = await mapInTurns(looked, AT_ONCE, (file) => readFooter(file, read));
  const schemas = [...new Set(footers.map(({ document }) => emptyFile(document).toString('base64')))];
  if (schemas.length > MAX_SCHEMAS) return undefined;
  const rowsOf = (list: readonly Footer[]) =>
    list.reduce((sum, { document }) => sum + document.read().rows, 0);
  const bytesOf = (list: readonly ScannedFile[]) => list.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    standIns: new Map(footers.map((footer, i): [number, StandIn] => [i, standIn(footer)])),
    rows: (rowsOf(footers) * bytesOf(files)) / Math.max(1, bytesOf(looked)),
    format: (_, counted) => ({
      kind: 'parquet',
      schemas,
      unionByName,
      counted: counted && [...counted],
    }),
    units: (_, unitBytes, range) => splitParquet(files, unitBytes, range),
  };
}

/** A placeholder with the footer of another file, from which the kernel reads the columns. */
const standIn = ({ document, offset }: Footer): StandIn => [
  { at: 0, bytes: Buffer.from('PAR1', 'latin1') },
  { at: offset, bytes: footerBytes(document) },
];
