export { type CopiedTexts, copyBatches, copySchema } from './copy-text/copy-batches.ts';
export type { CopyTextFormat } from './copy-text/copy-format.ts';
export { type LoadOptions, loadArrow, loadAvro } from './load-files.ts';
export type { SourceFile } from './thread/decoding.ts';
