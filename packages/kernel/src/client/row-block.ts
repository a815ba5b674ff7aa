import type { Schema } from 'apache-arrow';
import { DataType } from 'apache-arrow/type';
import type { ArrayData } from '../arrow/array-data.ts';
import { cutRows } from '../arrow/cut-rows.ts';
import { messageOf, readMessage } from '../arrow/ipc.ts';
import { readTrustedArrays } from '../arrow/read-arrays.ts';
import { sqlLiterals } from '../arrow/sql-literals.ts';
import { startsOf } from '../arrow/take-rows.ts';

const schemas = new WeakMap<Uint8Array, Schema>();

/** A batch of result rows that can be read by ranges of rows. */
export class RowBlock {
  readonly rows: number;
  /** Length of the message. */
  readonly bytes: number;
  readonly #schema: Schema;
  readonly #columns: readonly ArrayData[];

  /**
   * @param schemaIpc the schema of the result
   * @param ipc starts with an encapsulated Arrow RecordBatch message, at a multiple of 8 bytes of its buffer
   */
  constructor(schemaIpc: Uint8Array, ipc: Uint8Array) {
    let schema = schemas.get(schemaIpc);
    if (schema === undefined) {
      schema = readMessage(schemaIpc, 0)!.message.header() as Schema;
      schemas.set(schemaIpc, schema);
    }
    const { message, body, end } = readMessage(ipc, 0)!;
    if (!message.isRecordBatch()) throw new Error('Not a record batch');
    const header = message.header();
    this.rows = header.length;
    this.bytes = end;
    this.#schema = schema;
    this.#columns = readTrustedArrays(schema.fields, { header, body });
  }

  /** The values of the last column, a USMALLINT without NULLs. */
  lastColumn(): Uint16Array {
    const [, data] = this.#columns.at(-1)!.buffers as [Uint8Array, Uint8Array];
    return new Uint16Array(data.buffer, data.byteOffset, this.rows);
  }

  /** The values of an integer column, without NULLs; undefined if the column has another type. */
  integers(position: number): readonly (number | bigint)[] | undefined {
    const { type } = this.#schema.fields[position]!;
    if (!DataType.isInt(type)) return undefined;
    const [validity, data] = this.#columns[position]!.buffers as [Uint8Array, Uint8Array];
    const values = [...new type.ArrayType(data.buffer as ArrayBuffer, data.byteOffset, this.rows)];
    if (validity.length === 0) return values;
    return values.filter((_, row) => (validity[row >> 3]! & (1 << (row & 7))) !== 0);
  }

  /** The values of a column as SQL literals; undefined if its type, or a value, has none that is exactly the same. */
  literals(position: number): readonly string[] | undefined {
    return sqlLiterals(this.#schema.fields[position]!, this.#columns[position]!);
  }

  /** Returns the values of a BLOB column without NULLs by row; they are parts of the message. */
  blobs(position: number): (row: number) => Uint8Array {
    const column = this.#columns[position]!;
    const starts = startsOf(column);
    const bytes = column.buffers[2]!;
    return (row) => bytes.subarray(starts[row], starts[row + 1]);
  }

  /** The rows `from` to `to` (exclusive) as the parts of an encapsulated RecordBatch message. */
  cut(from: number, to: number): Uint8Array[] {
    const cut = this.#columns.map((column) => cutRows(column, from, to));
    return messageOf(to - from, cut);
  }
}
