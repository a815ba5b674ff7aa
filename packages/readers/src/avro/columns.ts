import type avsc from 'avsc';
import { BytesBuilder } from '../columns/bytes-builder.ts';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { ListBuilder, StructBuilder } from '../columns/nested-builders.ts';
import { BooleanBuilder, FixedWidthBuilder } from '../columns/scalar-builders.ts';
import { uniqueNames } from '../columns/unique-names.ts';
import type { AvroColumn } from './avro-column.ts';
import type { Cursor } from './cursor.ts';
import { MAX_COLUMNS, MAX_ZERO_WIDTH_VALUES } from './limits.ts';
import { logicalColumn } from './logical-columns.ts';
import { AnnotatedType, decodeName } from './schema.ts';

/**
 * Builds the columns of a schema: a record's fields, or one column `value` for any other schema. The returned
 * `read` reads one row. An empty record has no columns, which a table cannot have; it becomes one text column
 * with the value `{}`.
 */
export function schemaColumns(
  schema: avsc.Type,
  budget: MemoryBudget,
): { names: readonly string[]; columns: readonly AvroColumn[] } {
  const compiler = new ColumnCompiler(budget);
  if (isRecord(schema) && schema.fields.length > 0) {
    return compiler.record(schema);
  }
  return { names: ['value'], columns: [compiler.column(schema)] };
}

class ColumnCompiler {
  readonly #budget: MemoryBudget;
  readonly #open = new Set<avsc.Type>();
  #columns = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  record(type: avsc.types.RecordType): { names: readonly string[]; columns: readonly AvroColumn[] } {
    if (this.#open.has(type)) {
      throw new UnsupportedError(
        `A recursive schema (record ${decodeName(type.name ?? '')} contains itself)`,
      );
    }
    this.#open.add(type);
    const columns = type.fields.map((field) => this.column(field.type));
    this.#open.delete(type);
    return { names: uniqueNames(type.fields.map((field) => decodeName(field.name))), columns };
  }

  column(type: avsc.Type): AvroColumn {
    if (++this.#columns > MAX_COLUMNS) {
      throw new UnsupportedError(`A schema of more than ${MAX_COLUMNS} columns and nested fields`);
    }
    if (type instanceof AnnotatedType) {
      return logicalColumn(type, this.#budget) ?? this.column(type.underlyingType);
    }
    switch (type.typeName) {
      case 'null':
        return this.#null();
      case 'boolean':
        return this.#boolean();
      case 'int':
        return this.#int();
      case 'long':
        return this.#long();
      case 'float':
        return this.#floating('float32', 4);
      case 'double':
        return this.#floating('float64', 8);
      case 'bytes':
        return this.#bytes('binary');
      case 'string':
        return this.#bytes('text');
      case 'fixed':
        return this.#fixed((type as avsc.types.FixedType).size);
      case 'enum':
        return this.#enum((type as avsc.types.EnumType).symbols);
      case 'array':
        return this.#list(this.column((type as avsc.types.ArrayType).itemsType));
      case 'map':
        return this.#map((type as avsc.types.MapType).valuesType);
      case 'union:wrapped':
        return this.#union((type as avsc.types.WrappedUnionType).types);
      default:
        return this.#record(type as avsc.types.RecordType);
    }
  }

  #null(): AvroColumn {
    const builder = new BytesBuilder('text', this.#budget);
    return { builder, minBytes: 0, read: () => builder.appendNull() };
  }

  #boolean(): AvroColumn {
    const builder = new BooleanBuilder(this.#budget);
    return { builder, minBytes: 1, read: (cursor) => builder.append(cursor.readBoolean()) };
  }

  #int(): AvroColumn {
    const builder = new FixedWidthBuilder({ kind: 'int32' }, 4, this.#budget);
    return { builder, minBytes: 1, read: (cursor) => builder.appendInt32(cursor.readInt()) };
  }

  #long(): AvroColumn {
    const builder = new FixedWidthBuilder({ kind: 'int64' }, 8, this.#budget);
    const read = (cursor: Cursor) => {
      cursor.readLong();
      builder.appendInt64(cursor.low, cursor.high);
    };
    return { builder, minBytes: 1, read };
  }

  #floating(kind: 'float32' | 'float64', size: number): AvroColumn {
    const builder = new FixedWidthBuilder({ kind }, size, this.#budget);
    return {
      builder,
      minBytes: size,
      read: (cursor) => builder.appendBytes(cursor.bytes, cursor.skip(size)),
    };
  }

  #bytes(kind: 'text' | 'binary'): AvroColumn {
    const builder = new BytesBuilder(kind, this.#budget);
    const read = (cursor: Cursor) => {
      const size = cursor.readByteLength();
      builder.append(cursor.bytes, cursor.skip(size), size);
    };
    return { builder, minBytes: 1, read };
  }

  #fixed(size: number): AvroColumn {
    const builder = new BytesBuilder('binary', this.#budget);
    const read = (cursor: Cursor) => builder.append(cursor.bytes, cursor.skip(size), size);
    return { builder, minBytes: size, read };
  }

  #enum(symbols: readonly string[]): AvroColumn {
    const builder = new BytesBuilder('text', this.#budget);
    const texts = symbols.map((symbol) => Buffer.from(decodeName(symbol)));
    const read = (cursor: Cursor) => {
      const text = texts[cursor.readLength()];
      if (text === undefined) throw new DecodeError('an enum value is not one of its symbols');
      builder.append(text, 0, text.length);
    };
    return { builder, minBytes: 1, read };
  }

  #list(item: AvroColumn): AvroColumn {
    const builder = new ListBuilder(item.builder, this.#budget);
    const read = (cursor: Cursor) => {
      for (
        let count = itemCount(cursor, item.minBytes);
        count > 0;
        count = itemCount(cursor, item.minBytes)
      ) {
        if (item.builder.length + count > 0x7fffffff) throw new DecodeError('an array is absurdly long');
        for (let i = 0; i < count; i++) item.read(cursor);
        cursor.checkEnd();
      }
      builder.append();
    };
    return { builder, minBytes: 1, read };
  }

  #map(values: avsc.Type): AvroColumn {
    return this.#list(this.#struct(['key', 'value'], [this.#bytes('text'), this.column(values)]));
  }

  #record(type: avsc.types.RecordType): AvroColumn {
    if (type.fields.length > 0) {
      const { names, columns } = this.record(type);
      return this.#struct(names, columns);
    }
    const builder = new BytesBuilder('text', this.#budget);
    const text = Buffer.from('{}');
    return { builder, minBytes: 0, read: () => builder.append(text, 0, text.length) };
  }

  #struct(names: readonly string[], columns: readonly AvroColumn[]): AvroColumn {
    const builder = new StructBuilder(
      names,
      columns.map((column) => column.builder),
      this.#budget,
    );
    const read = (cursor: Cursor) => {
      for (const column of columns) column.read(cursor);
      builder.append();
    };
    return { builder, minBytes: columns.reduce((sum, column) => sum + column.minBytes, 0), read };
  }

  /** Builds a union: `[null, T]` is a nullable T; several types become a struct in which one field is set. */
  #union(branches: readonly avsc.Type[]): AvroColumn {
    const types = branches.filter((branch) => branch.typeName !== 'null');
    const columns = types.length > 0 ? types.map((branch) => this.column(branch)) : [this.#null()];
    const only = columns.length === 1 ? columns[0] : undefined;
    const names = types.map(
      (branch) =>
        decodeName(branch.branchName ?? branch.typeName)
          .split('.')
          .at(-1)!,
    );
    const builder =
      only?.builder ??
      new StructBuilder(
        uniqueNames(names),
        columns.map((column) => column.builder),
        this.#budget,
      );
    const targets = branches.map((branch) => columns[types.indexOf(branch)]);
    const append = only === undefined ? () => (builder as StructBuilder).append() : undefined;
    const read = (cursor: Cursor) => {
      const index = cursor.readLength();
      if (index >= targets.length)
        throw new DecodeError(`branch ${index} of a union of ${targets.length} types`);
      const target = targets[index];
      if (target === undefined) {
        builder.appendNull();
        return;
      }
      target.read(cursor);
      if (append === undefined) return;
      for (const column of columns) if (column !== target) column.builder.appendNull();
      append();
    };
    return { builder, minBytes: 1, read };
  }
}

function isRecord(type: avsc.Type): type is avsc.types.RecordType {
  return type.typeName === 'record' || (type.typeName as string) === 'error';
}

/** Reads the count of the next block of an array or map; 0 ends it. */
function itemCount(cursor: Cursor, minBytes: number): number {
  cursor.readLong();
  let { low, high } = cursor;
  if (high === -1 && low < 0) {
    // A negative count is followed by the size of the block in bytes, so that readers can skip the block.
    low = -low;
    high = 0;
    cursor.readLong();
  }
  const most = minBytes > 0 ? Math.floor(cursor.remaining / minBytes) : MAX_ZERO_WIDTH_VALUES;
  if (high !== 0 || low < 0 || low > most)
    throw new DecodeError('an array or map claims more items than its block holds');
  return low;
}
