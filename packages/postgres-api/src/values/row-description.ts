import { type OutputColumn, type ValueFormat, valueFormat } from '@tessera/sql';
import { type WireType, wireType } from './type-oids.ts';

/** A field of a RowDescription message. */
export interface RowField extends WireType {
  readonly name: string;
  readonly format: ValueFormat;
}

/** The fields of a result. Until a Bind message selects formats, all are text. */
export const rowFields = (
  columns: readonly OutputColumn[],
  formats: readonly ValueFormat[] = [],
): readonly RowField[] =>
  columns.map(({ name, type }, i) => ({ ...wireType(type), name, format: valueFormat(formats, i) }));
