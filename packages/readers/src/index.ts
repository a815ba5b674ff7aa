export { type ContainerHead, containerHead } from './avro/container-head.ts';
export { readAvroRecords } from './avro/read-records.ts';
export { requireComplete } from './compressed-file.ts';
export { type CopiedTexts, copyBatches, copySchema } from './copy-text/copy-batches.ts';
export { firstForeignText, firstMixedEnd, firstUnreadable, firstWithCell } from './csv/csv-place.ts';
export type { CsvShape } from './csv/csv-records.ts';
export { type LoadOptions, loadArrow, loadAvro } from './load-files.ts';
export type { SourceFile } from './thread/decoding.ts';
