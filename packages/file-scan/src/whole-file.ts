import type { FileUnit, ScannedFile } from './file-scan.ts';

/** A file that one task reads as a whole. */
export const wholeFile = (file: ScannedFile): FileUnit => ({ file, bytes: file.bytes });
