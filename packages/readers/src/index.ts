export { type LoadOptions, loadArrow, loadAvro } from './load-files.ts';
export type { SourceFile } from './thread/decoding.ts';
