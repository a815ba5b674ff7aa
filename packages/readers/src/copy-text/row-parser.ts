import type { CopyTextFormat } from '@tessera/common';

/** Receives the cells of a row. */
export interface CellSink {
  add(column: number, source: Buffer, start: number, end: number): void;
  addNull(column: number): void;
}

/** Thrown for a malformed row; the message is PostgreSQL's. */
export class CopyRowError extends Error {}

/** Finds the rows of a text and their cells. */
export interface RowParser {
  /** The end of the row at `start`, without its newline; -1 if its end is not in `bytes`. */
  rowEnd(bytes: Buffer, start: number): number;
  /** @throws CopyRowError */
  parse(bytes: Buffer, start: number, end: number, sink: CellSink): void;
  /** @throws CopyRowError if the last row is truncated */
  checkLast(bytes: Buffer, start: number): void;
}

export interface RowShape {
  readonly columns: readonly string[];
  readonly format: CopyTextFormat;
}

export const LF = 0x0a;
export const CR = 0x0d;

/** Refuses a row with too many or too few cells. */
export function checkCount(columns: readonly string[], count: number): void {
  if (count < columns.length) throw new CopyRowError(`missing data for column "${columns[count]}"`);
}

export const tooMany = (): CopyRowError => new CopyRowError('extra data after last expected column');

export const isForced = (forced: readonly string[] | '*', column: string): boolean =>
  forced === '*' || forced.includes(column);

export const byteOf = (text: string): number => Buffer.from(text)[0] ?? -1;
