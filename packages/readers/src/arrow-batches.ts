import * as arrow from 'apache-arrow';
import type { ColumnBatch, ColumnData, ColumnField, ColumnType, ScalarKind } from './columns/column-batch.ts';

const SCALARS: Readonly<Record<ScalarKind, () => arrow.DataType>> = {
  boolean: () => new arrow.Bool(),
  int8: () => new arrow.Int8(),
  int16: () => new arrow.Int16(),
  int32: () => new arrow.Int32(),
  int64: () => new arrow.Int64(),
  uint8: () => new arrow.Uint8(),
  uint16: () => new arrow.Uint16(),
  uint32: () => new arrow.Uint32(),
  uint64: () => new arrow.Uint64(),
  float32: () => new arrow.Float32(),
  float64: () => new arrow.Float64(),
  text: () => new arrow.Utf8(),
  binary: () => new arrow.Binary(),
  date: () => new arrow.DateDay(),
  time: () => new arrow.TimeMicrosecond(),
  timestamp: () => new arrow.TimestampMicrosecond(),
  timestamptz: () => new arrow.TimestampMicrosecond('UTC'),
  interval: () => new arrow.IntervalMonthDayNano(),
};

/** The Arrow schema of decoded columns; every column is nullable. */
export function toArrowSchema(fields: readonly ColumnField[]): arrow.Schema {
  return new arrow.Schema(fields.map(toField));
}

/** The batch as an Arrow record batch over the same memory. */
export function toRecordBatch(schema: arrow.Schema, batch: ColumnBatch): arrow.RecordBatch {
  const children = batch.columns.map((column, index) => toData(schema.fields[index]!.type, column));
  const type = new arrow.Struct(schema.fields);
  return new arrow.RecordBatch(schema, arrow.makeData({ type, length: batch.rows, nullCount: 0, children }));
}

function toField(field: ColumnField): arrow.Field {
  return new arrow.Field(field.name, toType(field.type), true);
}

function toType(type: ColumnType): arrow.DataType {
  switch (type.kind) {
    case 'decimal':
      return new arrow.Decimal(type.scale, type.precision, 128);
    case 'list':
      return new arrow.List(toField({ name: 'item', type: type.item }));
    case 'struct':
      return new arrow.Struct(type.fields.map(toField));
    default:
      return SCALARS[type.kind]();
  }
}

function toData(type: arrow.DataType, column: ColumnData): arrow.Data {
  const { offsets, values, validity } = column;
  const children = column.children.map((child, index) => toData(childType(type, index), child));
  // The order is that of Arrow's BufferType; Arrow's type declarations do not allow absent buffers.
  const buffers = [offsets, values && typedValues(type, values), validity] as unknown as arrow.Data;
  return new arrow.Data(type, 0, column.length, column.nullCount, buffers, children);
}

function typedValues(type: arrow.DataType, values: Uint8Array): ArrayLike<unknown> {
  const size = values.byteLength / type.ArrayType.BYTES_PER_ELEMENT;
  return new type.ArrayType(values.buffer, values.byteOffset, size);
}

function childType(type: arrow.DataType, index: number): arrow.DataType {
  return type.children[index]!.type;
}
