import { setImmediate } from 'node:timers/promises';
import { integerSize, longReader, putHex, putInteger } from '@tessera/common';
import type { Pointer } from '../native/libc.ts';
import { duckdb, memcpy } from '../native/library.ts';
import { allocate, copyOut } from '../native/memory.ts';
import { INLINE_BYTES } from '../native/scalar-value.ts';
import type { CellForm, CellText, RowText } from '../protocol/row-text.ts';

const ENTRY_BYTES = 16;
/** The most digits of an integer, with its sign. */
const INTEGER_BYTES = 20;
const [POINT, ZERO, QUOTE] = [...Buffer.from('.0"')] as [number, number, number];

/** Some values of `duckdb_type` in the C API. */
const TypeId = { boolean: 1, tinyint: 2, smallint: 3, integer: 4, bigint: 5, varchar: 17, blob: 18 } as const;

/** Escapes by byte. */
type Escapes = readonly (Buffer | undefined)[];

const escapesOf = (texts: Readonly<Record<string, string>>): Escapes =>
  Array.from({ length: 256 }, (_, byte) => {
    const text = texts[String.fromCharCode(byte)];
    return text === undefined ? undefined : Buffer.from(text);
  });

const TSV_ESCAPES = escapesOf({ '\\': '\\\\', '\t': '\\t', '\n': '\\n' });
const JSON_ESCAPES = escapesOf({
  ...Object.fromEntries(
    Array.from({ length: 0x20 }, (_, byte) => {
      const digits = byte.toString(16).toUpperCase().padStart(4, '0');
      return [String.fromCharCode(byte), `\\u${digits}`];
    }),
  ),
  ...{ '"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' },
});
const CSV_ESCAPES = escapesOf({ '"': '""' });
/** A text with one of these bytes is written in quotes. */
const CSV_SPECIAL = escapesOf({ '"': '', ',': '', '\n': '', '\r': '' });

/** Memory that most results fit in, for one turn of the event loop. */
const shared = allocate(32 * 1024);

/** Longer texts are made by the kernel on all of its threads, and sent in parts. */
const MAX_BYTES = 8 * 2 ** 20;

/** The rows need more than the bytes of one answer. */
export class TooLong extends Error {}

/** Bytes that are written one after the other. */
class Output {
  bytes: Buffer = shared;
  length = 0;

  /** Makes room for more bytes and returns where they begin. @throws TooLong */
  room(size: number): number {
    const needed = this.length + size;
    if (needed > this.bytes.length) {
      if (needed > MAX_BYTES) throw new TooLong();
      const larger = allocate(2 * needed);
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    return this.length;
  }

  /** Keeps what was written for longer than this turn of the event loop. */
  keep(): void {
    if (this.bytes === shared) this.bytes = Buffer.from(shared.subarray(0, this.length));
  }

  put(text: Buffer): void {
    const at = this.room(text.length);
    for (let i = 0; i < text.length; i += 1) this.bytes[at + i] = text[i]!;
    this.length = at + text.length;
  }

  /** Replaces what was written from `start` on by its escaped form. */
  escape(start: number, escapes: Escapes): void {
    const first = this.firstEscaped(start, escapes);
    if (first === undefined) return;
    const raw = Buffer.from(this.bytes.subarray(first, this.length));
    this.length = first;
    for (const byte of raw) {
      const escaped = escapes[byte];
      if (escaped !== undefined) this.put(escaped);
      else {
        const at = this.room(1);
        this.bytes[at] = byte;
        this.length = at + 1;
      }
    }
  }

  firstEscaped(start: number, escapes: Escapes): number | undefined {
    for (let at = start; at < this.length; at += 1) if (escapes[this.bytes[at]!] !== undefined) return at;
    return undefined;
  }
}

/** Appends the value of a row, which is not NULL. */
type PutValue = (out: Output, row: number) => void;

const LETTERS = [Buffer.from('f'), Buffer.from('t')];
const WORDS = [Buffer.from('false'), Buffer.from('true')];

/** After this many milliseconds, other sessions have a turn. */
const TURN_MS = 5;

/** Writes rows of the kernel as text. */
export class RowWriter {
  readonly #cells: readonly WrittenCell[];
  readonly #start: Buffer;
  readonly #end: Buffer;
  readonly #out = new Output();

  /** @param typeIds the types of the columns, by their numbers in the library */
  constructor(typeIds: readonly number[], { start, cells, end }: RowText) {
    this.#start = Buffer.from(start);
    this.#cells = cells.map((cell, i) => new WrittenCell(cell, typeIds[i]!));
    this.#end = Buffer.from(end);
  }

  /** Writes the rows of a chunk, which must not be destroyed before. @throws TooLong */
  async add(chunk: Pointer): Promise<void> {
    const rows = Number(duckdb.chunkSize(chunk));
    const out = this.#out;
    for (const [i, cell] of this.#cells.entries()) cell.read(duckdb.chunkVector(chunk, i), rows);
    let startedAt = performance.now();
    for (let row = 0; row < rows; row += 1) {
      out.put(this.#start);
      for (const cell of this.#cells) cell.write(out, row);
      out.put(this.#end);
      if (performance.now() - startedAt < TURN_MS) continue;
      out.keep();
      await setImmediate();
      startedAt = performance.now();
    }
    out.keep();
  }

  /** The bytes written so far. */
  get bytes(): Buffer {
    return this.#out.bytes.subarray(0, this.#out.length);
  }
}

class WrittenCell {
  readonly #form: CellForm;
  readonly #typeId: number;
  readonly #open: Buffer;
  readonly #close: Buffer;
  readonly #null: Buffer;
  #validity: Uint8Array | undefined;
  #put!: PutValue;

  constructor({ form, before, ifNull, open, close }: CellText, typeId: number) {
    this.#form = form;
    this.#typeId = typeId;
    this.#open = Buffer.from(before + open);
    this.#close = Buffer.from(close);
    this.#null = Buffer.from(before + ifNull);
  }

  /** Reads the values of a vector. */
  read(vector: Pointer, rows: number): void {
    const validity = duckdb.vectorValidity(vector);
    this.#validity = validity ? copyOut(validity, 8 * Math.ceil(rows / 64)) : undefined;
    this.#put = putterOf(this.#form, { address: vector, typeId: this.#typeId, rows });
  }

  write(out: Output, row: number): void {
    if (this.#validity !== undefined && ((this.#validity[row >> 3]! >> (row & 7)) & 1) === 0) {
      out.put(this.#null);
      return;
    }
    out.put(this.#open);
    this.#put(out, row);
    out.put(this.#close);
  }
}

interface Vector {
  readonly address: Pointer;
  readonly typeId: number;
  readonly rows: number;
}

function putterOf(form: CellForm, vector: Vector): PutValue {
  switch (form) {
    case 'integer':
      return integerPutter(vector);
    case 'letter':
      return booleanPutter(vector, LETTERS);
    case 'word':
      return booleanPutter(vector, WORDS);
    case 'hex':
      return hexPutter(vector);
    case 'text':
      return textPutter(vector, () => undefined);
    case 'number':
      return textPutter(vector, cutPointZero);
    case 'tsv':
      return textPutter(vector, (out, start) => out.escape(start, TSV_ESCAPES));
    case 'json':
      return textPutter(vector, (out, start) => out.escape(start, JSON_ESCAPES));
    case 'csv':
      return textPutter(vector, quoteIfNecessary);
  }
}

const dataOf = ({ address, rows }: Vector, width: number): Buffer =>
  copyOut(duckdb.vectorData(address), rows * width);

function integerPutter(vector: Vector): PutValue {
  const numberAt = integersOf(vector);
  return (out, row) => {
    const value = numberAt(row);
    const at = out.room(INTEGER_BYTES);
    out.length = at + integerSize(value);
    putInteger(out.bytes, at, out.length, value);
  };
}

function integersOf(vector: Vector): (row: number) => number | bigint {
  switch (vector.typeId) {
    case TypeId.tinyint: {
      const data = dataOf(vector, 1);
      return (row) => data.readInt8(row);
    }
    case TypeId.smallint: {
      const data = dataOf(vector, 2);
      return (row) => data.readInt16LE(2 * row);
    }
    case TypeId.integer: {
      const data = dataOf(vector, 4);
      return (row) => data.readInt32LE(4 * row);
    }
    case TypeId.bigint: {
      const { buffer, byteOffset } = dataOf(vector, 8);
      return longReader(new BigInt64Array(buffer, byteOffset, vector.rows));
    }
    default:
      throw unexpected(vector);
  }
}

function booleanPutter(vector: Vector, texts: readonly Buffer[]): PutValue {
  if (vector.typeId !== TypeId.boolean) throw unexpected(vector);
  const data = dataOf(vector, 1);
  return (out, row) => out.put(texts[data[row] === 0 ? 0 : 1]!);
}

function hexPutter(vector: Vector): PutValue {
  if (vector.typeId !== TypeId.blob) throw unexpected(vector);
  const entries = dataOf(vector, ENTRY_BYTES);
  return (out, row) => {
    const size = entries.readUInt32LE(row * ENTRY_BYTES);
    const at = out.room(2 * size);
    const bytes = allocate(size);
    copyEntry(entries, row, bytes, 0);
    putHex(out.bytes, at, bytes, 0, size);
    out.length = at + 2 * size;
  };
}

/** @param finish changes what was written of the output from `start` on */
function textPutter(vector: Vector, finish: (out: Output, start: number) => void): PutValue {
  if (vector.typeId !== TypeId.varchar) throw unexpected(vector);
  const entries = dataOf(vector, ENTRY_BYTES);
  return (out, row) => {
    const size = entries.readUInt32LE(row * ENTRY_BYTES);
    const start = out.room(size);
    copyEntry(entries, row, out.bytes, start);
    out.length = start + size;
    finish(out, start);
  };
}

/** Copies the bytes of a text: short ones are in its entry, long ones elsewhere. */
function copyEntry(entries: Buffer, row: number, to: Buffer, at: number): void {
  const entry = row * ENTRY_BYTES;
  const size = entries.readUInt32LE(entry);
  if (size > INLINE_BYTES) memcpy(to.subarray(at, at + size), entries.readBigUInt64LE(entry + 8), size);
  else for (let i = 0; i < size; i += 1) to[at + i] = entries[entry + 4 + i]!;
}

function cutPointZero(out: Output, start: number): void {
  const { bytes, length } = out;
  if (length - start >= 2 && bytes[length - 2] === POINT && bytes[length - 1] === ZERO) out.length -= 2;
}

/** Also an empty text is in quotes, because an empty field is NULL. */
function quoteIfNecessary(out: Output, start: number): void {
  if (out.length > start && out.firstEscaped(start, CSV_SPECIAL) === undefined) return;
  out.escape(start, CSV_ESCAPES);
  const end = out.length;
  out.room(2);
  out.bytes.copyWithin(start + 1, start, end);
  out.bytes[start] = QUOTE;
  out.bytes[end + 1] = QUOTE;
  out.length = end + 2;
}

const unexpected = ({ typeId }: Vector): Error => new Error(`Values of type ${typeId} cannot be written`);
