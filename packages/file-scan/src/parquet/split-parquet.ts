import type { FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { wholeFile } from '../whole-file.ts';
import { readFooter } from './footer.ts';

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
