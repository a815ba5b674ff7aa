import * as arrow from 'apache-arrow';
import type { RecordBatch } from 'apache-arrow/ipc/metadata/message';
import {
  type ColumnData,
  type ColumnField,
  type ColumnType,
  DecodeError,
  UnsupportedError,
} from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { uniqueNames } from '../columns/unique-names.ts';
import { countZeros, readBits } from './bits.ts';
import type { Body, BodyBuffer } from './body.ts';
import { type Dictionaries, gather } from './dictionary.ts';
import { convertValues, fixedWidthLayout } from './fixed-width-values.ts';
import { bytesColumn, offsetsOfEqualSizes, readOffsets, textOrBinary } from './variable-width-values.ts';
import { viewColumn } from './view-values.ts';

/** One column of one record batch. */
export interface ColumnReader {
  readonly length: number;
  /** Rows `from` … `to`, in newly allocated memory. Throws DecodeError if the buffers are too short. */
  slice(from: number, to: number): ColumnData;
}

/** The column type for an Arrow type. Throws UnsupportedError. */
function columnType(type: arrow.DataType): ColumnType {
  const fixed = fixedWidthLayout(type);
  if (fixed !== undefined) return fixed.type;
  if (arrow.DataType.isBool(type)) return { kind: 'boolean' };
  if (arrow.DataType.isNull(type)) return { kind: 'text' };
  const bytes = textOrBinary(type);
  if (bytes !== undefined) return { kind: bytes };
  if (arrow.DataType.isDictionary(type)) {
    columnType(type.indices);
    return columnType(type.dictionary);
  }
  if (isList(type)) {
    const item = type.children[0];
    if (item === undefined) throw new DecodeError('a list without a type of its items');
    return { kind: 'list', item: columnType(item.type) };
  }
  if (arrow.DataType.isMap(type)) {
    const [key, value] = mapEntry(type);
    const fields = [
      { name: 'key', type: columnType(key.type) },
      { name: 'value', type: columnType(value.type) },
    ];
    return { kind: 'list', item: { kind: 'struct', fields } };
  }
  if (arrow.DataType.isStruct(type) && type.children.length > 0) {
    return { kind: 'struct', fields: columnFields(type.children) };
  }
  throw new UnsupportedError(`The Arrow type ${type}`);
}

/** Arrow columns may have no name; they become `f0`, `f1`, … by position. */
export function columnFields(fields: readonly arrow.Field[]): ColumnField[] {
  const names = uniqueNames(fields.map((field, index) => field.name || `f${index}`));
  return fields.map((field, index) => {
    try {
      return { name: names[index]!, type: columnType(field.type) };
    } catch (error) {
      if (!(error instanceof UnsupportedError) || / of column /.test(error.message)) throw error;
      throw new UnsupportedError(`${error.message} of column "${field.name}"`);
    }
  });
}

/** Takes nodes and buffers from a record batch in Arrow's order of columns, depth first. */
export class ColumnReaders {
  readonly #batch: RecordBatch;
  readonly #body: Body;
  readonly #dictionaries: Dictionaries;
  readonly #budget: MemoryBudget;
  #nextNode = 0;
  #nextVariadic = 0;

  constructor(batch: RecordBatch, body: Body, dictionaries: Dictionaries, budget: MemoryBudget) {
    this.#batch = batch;
    this.#body = body;
    this.#dictionaries = dictionaries;
    this.#budget = budget;
  }

  take(type: arrow.DataType): ColumnReader {
    const node = this.#batch.nodes[this.#nextNode++];
    if (node === undefined || !(node.length >= 0))
      throw new DecodeError('a record batch lacks a column of its schema');
    const { length } = node;
    if (arrow.DataType.isNull(type)) return checked(length, (from, to) => this.#nulls(to - from));
    const validityBuffer = this.#body.takeBuffer();
    const values = this.#values(type);
    return checked(length, (from, to) => {
      const validity =
        node.nullCount !== 0 && validityBuffer.length > 0 ? readBits(validityBuffer, from, to) : undefined;
      const nullCount = validity === undefined ? 0 : countZeros(validity, to - from);
      return values(from, to, nullCount > 0 ? validity : undefined, nullCount);
    });
  }

  #values(type: arrow.DataType): ValueReader {
    const body = this.#body;
    const fixed = fixedWidthLayout(type);
    if (fixed !== undefined) {
      const buffer = body.takeBuffer();
      return (from, to, validity, nullCount) => {
        const source = buffer.read(from * fixed.sourceBytes, to * fixed.sourceBytes);
        this.#budget.grow((to - from) * fixed.targetBytes);
        const values = convertValues(fixed, source, validity, to - from);
        return { length: to - from, nullCount, validity, offsets: undefined, values, children: [] };
      };
    }
    if (arrow.DataType.isBool(type)) {
      const buffer = body.takeBuffer();
      return (from, to, validity, nullCount) => {
        const values = readBits(buffer, from, to);
        return { length: to - from, nullCount, validity, offsets: undefined, values, children: [] };
      };
    }
    if (arrow.DataType.isDictionary(type)) return this.#dictionary(type);
    const kind = textOrBinary(type);
    if (kind !== undefined) return this.#bytes(type, kind);
    if (arrow.DataType.isStruct(type)) return this.#struct(type.children);
    return this.#list(type);
  }

  #bytes(type: arrow.DataType, kind: 'text' | 'binary'): ValueReader {
    const first = this.#body.takeBuffer();
    if (arrow.DataType.isUtf8View(type) || arrow.DataType.isBinaryView(type)) {
      const count = this.#batch.variadicBufferCounts[this.#nextVariadic++] ?? 0;
      if (!(count >= 0 && count <= this.#batch.buffers.length))
        throw new DecodeError('a count of buffers is wrong');
      const buffers = Array.from({ length: count }, () => this.#body.takeBuffer());
      return (from, to, validity) => viewColumn(kind, first, buffers, from, to, validity, this.#budget);
    }
    if (arrow.DataType.isFixedSizeBinary(type)) {
      const width = type.byteWidth;
      if (!(width >= 0)) throw new DecodeError('a fixed width is negative');
      return (from, to, validity, nullCount) => {
        const values = first.read(from * width, to * width);
        const offsets = offsetsOfEqualSizes(to - from, width, this.#budget);
        return { length: to - from, nullCount, validity, offsets, values, children: [] };
      };
    }
    const data = this.#body.takeBuffer();
    const wide = arrow.DataType.isLargeUtf8(type) || arrow.DataType.isLargeBinary(type);
    return (from, to, validity, nullCount) => {
      const { start, end, offsets } = readOffsets(first, from, to, wide);
      return bytesColumn(kind, data.read(start, end), offsets, validity, nullCount);
    };
  }

  #struct(fields: readonly arrow.Field[]): ValueReader {
    const children = fields.map((field) => this.take(field.type));
    return (from, to, validity, nullCount) => ({
      length: to - from,
      nullCount,
      validity,
      offsets: undefined,
      values: undefined,
      children: children.map((child) => child.slice(from, to)),
    });
  }

  #list(type: arrow.DataType): ValueReader {
    if (arrow.DataType.isFixedSizeList(type)) {
      const size = type.listSize;
      if (!(size >= 0)) throw new DecodeError('a list size is negative');
      const item = this.take(type.children[0]!.type);
      return (from, to, validity, nullCount) => {
        const offsets = offsetsOfEqualSizes(to - from, size, this.#budget);
        const children = [item.slice(from * size, to * size)];
        return { length: to - from, nullCount, validity, offsets, values: undefined, children };
      };
    }
    const buffer: BodyBuffer = this.#body.takeBuffer();
    const item = this.take(type.children[0]!.type);
    return (from, to, validity, nullCount) => {
      const { start, end, offsets } = readOffsets(buffer, from, to, arrow.DataType.isLargeList(type));
      const children = [item.slice(start, end)];
      return { length: to - from, nullCount, validity, offsets, values: undefined, children };
    };
  }

  #dictionary(type: arrow.Dictionary): ValueReader {
    const { bitWidth, isSigned } = type.indices;
    const buffer = this.#body.takeBuffer();
    const bytes = bitWidth / 8;
    return (from, to, validity) => {
      const indices = buffer.read(from * bytes, to * bytes);
      const values = this.#dictionaries.get(type.id);
      return gather(
        columnType(type.dictionary),
        values,
        { indices, bytes, isSigned, validity },
        this.#budget,
      );
    };
  }

  #nulls(count: number): ColumnData {
    this.#budget.grow(count * 4 + (count >> 3));
    return {
      length: count,
      nullCount: count,
      validity: new Uint8Array((count + 7) >> 3),
      offsets: new Int32Array(count + 1),
      values: new Uint8Array(0),
      children: [],
    };
  }
}

type ValueReader = (
  from: number,
  to: number,
  validity: Uint8Array<ArrayBuffer> | undefined,
  nullCount: number,
) => ColumnData;

function checked(length: number, slice: (from: number, to: number) => ColumnData): ColumnReader {
  return {
    length,
    slice: (from, to) => {
      if (from < 0 || to > length) throw new DecodeError('a column is shorter than its record batch needs');
      return slice(from, to);
    },
  };
}

function isList(type: arrow.DataType): boolean {
  return (
    arrow.DataType.isList(type) || arrow.DataType.isLargeList(type) || arrow.DataType.isFixedSizeList(type)
  );
}

function mapEntry(type: arrow.Map_): readonly [arrow.Field, arrow.Field] {
  const [key, value, ...more] = type.children[0]?.type.children ?? [];
  if (key === undefined || value === undefined || more.length > 0) {
    throw new DecodeError('a map whose entries are not a key and a value');
  }
  return [key, value];
}
