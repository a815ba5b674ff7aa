export type { FileScan, FileSource, FileUnit, ReadRange, ScannedFile } from './file-scan.ts';
export { FileOpener, type FileOpenerOptions, type InSession } from './open/file-opener.ts';
export type { CsvOptions } from './plan/plan-csv.ts';
export { type FilesToPlan, planFiles, writeStandIn } from './plan/plan-files.ts';
export type { PlannedScan } from './plan/planned-scan.ts';
export type { RangeServices } from './read-ranges.ts';
export { fileService } from './shared/file-service.ts';
export { SharedFiles } from './shared/shared-files.ts';
export { decodeFileSource, encodeFileSource } from './source-codec.ts';
