import { BytesBuilder } from '../columns/bytes-builder.ts';
import { type ColumnData, type ColumnType, DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { ColumnBuilder } from '../columns/column-builder.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { BooleanBuilder, FixedWidthBuilder } from '../columns/scalar-builders.ts';
import { isSet } from './bits.ts';

/** The dictionaries read so far; a delta appends to one. */
export class Dictionaries {
  readonly #parts = new Map<number, readonly ColumnData[]>();

  set(id: number, values: ColumnData, isDelta: boolean): void {
    this.#parts.set(id, isDelta ? [...this.get(id), values] : [values]);
  }

  get(id: number): readonly ColumnData[] {
    const parts = this.#parts.get(id);
    if (parts === undefined) throw new DecodeError(`dictionary ${id} is used before it is defined`);
    return parts;
  }
}

export interface DictionaryIndices {
  readonly indices: Uint8Array<ArrayBuffer>;
  /** The width of an index in bytes: 1, 2, 4 or 8. */
  readonly bytes: number;
  readonly isSigned: boolean;
  readonly validity: Uint8Array | undefined;
}

/** Replaces indices by the values that they refer to. */
export function gather(
  type: ColumnType,
  parts: readonly ColumnData[],
  from: DictionaryIndices,
  budget: MemoryBudget,
): ColumnData {
  const { builder, append } = appender(type, budget);
  const indexAt = indexReader(from);
  const count = from.indices.length / from.bytes;
  for (let i = 0; i < count; i++) {
    if (!isSet(from.validity, i)) {
      builder.appendNull();
      continue;
    }
    let index = indexAt(i);
    let part = 0;
    while (part < parts.length && index >= parts[part]!.length) index -= parts[part++]!.length;
    const values = parts[part];
    if (index < 0 || values === undefined) throw new DecodeError('an index lies outside of its dictionary');
    if (isSet(values.validity, index)) append(values, index);
    else builder.appendNull();
  }
  return builder.finish();
}

function appender(
  type: ColumnType,
  budget: MemoryBudget,
): { builder: ColumnBuilder; append: (values: ColumnData, index: number) => void } {
  switch (type.kind) {
    case 'text':
    case 'binary': {
      const builder = new BytesBuilder(type.kind, budget);
      const append = ({ values, offsets }: ColumnData, index: number) =>
        builder.append(values!, offsets![index]!, offsets![index + 1]! - offsets![index]!);
      return { builder, append };
    }
    case 'boolean': {
      const builder = new BooleanBuilder(budget);
      return { builder, append: ({ values }, index) => builder.append(isSet(values, index)) };
    }
    case 'list':
    case 'struct':
      throw new UnsupportedError('An Arrow dictionary of lists or structs');
    default: {
      const width = FIXED_WIDTHS[type.kind];
      const builder = new FixedWidthBuilder(type, width, budget);
      return { builder, append: ({ values }, index) => builder.appendBytes(values!, index * width) };
    }
  }
}

const FIXED_WIDTHS = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  date: 4,
  int64: 8,
  uint64: 8,
  float64: 8,
  time: 8,
  timestamp: 8,
  timestamptz: 8,
  decimal: 16,
  interval: 16,
} as const;

function indexReader({ indices, bytes, isSigned }: DictionaryIndices): (at: number) => number {
  const view = new DataView(indices.buffer);
  switch (bytes) {
    case 1:
      return isSigned ? (at) => view.getInt8(at) : (at) => view.getUint8(at);
    case 2:
      return isSigned ? (at) => view.getInt16(at * 2, true) : (at) => view.getUint16(at * 2, true);
    case 4:
      return isSigned ? (at) => view.getInt32(at * 4, true) : (at) => view.getUint32(at * 4, true);
    default:
      return (at) => Number(view.getBigInt64(at * 8, true));
  }
}
