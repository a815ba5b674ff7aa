import type { CopyTextFormat } from './copy-format.ts';

/** Where the cells of a row go. */
export interface CellSink {
  add(column: number, source: Buffer, start: number, end: number): void;
  addNull(column: number): void;
}

/** A row that is not of the format; the message is PostgreSQL's. */
export class CopyRowError extends Error {}

/** Finds rows in a text and the cells in them. */
export interface RowParser {
  /** Where the row at `start` ends, without its newline; -1 where its end is not in `bytes`. */
  rowEnd(bytes: Buffer, start: number): number;
  /** @throws CopyRowError */
  parse(bytes: Buffer, start: number, end: number, sink: CellSink): void;
  /** @throws CopyRowError for a last row that is cut off */
  checkLast(bytes: Buffer, start: number): void;
}

export interface RowShape {
  readonly columns: readonly string[];
  readonly format: CopyTextFormat;
}

export const LF = 0x0a;
export const CR = 0x0d;

/** Refuses a cell behind the last column, or a row that ended before it. */
export function checkCount(columns: readonly string[], count: number): void {
  if (count < columns.length) throw new CopyRowError(`missing data for column "${columns[count]}"`);
}

export const tooMany = (): CopyRowError => new CopyRowError('extra data after last expected column');
