import { type FileBounds, fileFilter } from '@tessera/tablet';
import type { TableColumn } from '../file-scan.ts';
import type { ChosenFiles, DataFile, Filters } from './file-table.ts';

const NULLS: FileBounds = { someNull: true, allNull: true };

/** The bounds of a column that has the same value in all rows. */
export const constantBounds = (text: string | null): FileBounds =>
  text === null ? NULLS : { min: text, max: text, someNull: false, allNull: false };

/** Chooses the files that may contain rows for one of the filters. */
export function chooseFiles(
  columns: readonly TableColumn[],
  files: readonly DataFile[],
  filters: Filters,
): ChosenFiles {
  const passes = fileFilter(columns, filters);
  const constantOf = ({ constants }: DataFile, column: string) =>
    Object.hasOwn(constants, column) ? constantBounds(constants[column]!) : undefined;
  const inPartitions = files.filter((file) => passes((column) => constantOf(file, column)));
  const chosen = inPartitions.filter((file) =>
    passes((column) => constantOf(file, column) ?? file.bounds?.[column]),
  );
  return {
    files: chosen,
    total: files.length,
    prunedByPartition: files.length - inPartitions.length,
    prunedByRange: inPartitions.length - chosen.length,
    foldersSkipped: 0,
  };
}
