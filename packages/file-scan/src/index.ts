export { deltaTable } from './delta/delta-table.ts';
export type {
  CompressedCsv,
  FileColumn,
  FileScan,
  FileSource,
  FileUnit,
  ReadRange,
  ScannedFile,
  TableColumn,
} from './file-scan.ts';
export { type HiveCall, hiveTable, mayBeHive } from './hive/hive-table.ts';
export { icebergTable } from './iceberg/iceberg-table.ts';
export { FileOpener, type FileOpenerOptions, type InSession } from './open/file-opener.ts';
export { readTable } from './open/open-table.ts';
export type { CsvInference, CsvOptions } from './plan/plan-csv.ts';
export { type FilesToPlan, planFiles, writeStandIn } from './plan/plan-files.ts';
export { planTable } from './plan/plan-table.ts';
export type { PlannedScan, WantedUnits } from './plan/planned-scan.ts';
export type { RangeServices } from './read-ranges.ts';
export { fileService } from './shared/file-service.ts';
export { SharedFiles } from './shared/shared-files.ts';
export { decodeFileSource, encodeFileSource } from './source-codec.ts';
export type { ChosenFiles, FileTable, Filters } from './table/file-table.ts';
