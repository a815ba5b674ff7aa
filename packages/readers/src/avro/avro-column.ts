import type { ColumnBuilder } from '../columns/column-builder.ts';
import type { Cursor } from './cursor.ts';

/** How one Avro type is read into a column. */
export interface AvroColumn {
  readonly builder: ColumnBuilder;
  /** The minimum number of bytes that a value occupies in the file. */
  readonly minBytes: number;
  read(cursor: Cursor): void;
}
