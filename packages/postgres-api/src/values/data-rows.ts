import { type OutputColumn, type ValueFormat, valueFormat } from '@tessera/sql';
import { type Data, RecordBatchReader, type Schema } from 'apache-arrow';
import { Message, type RecordBatch as RecordBatchHeader } from 'apache-arrow/ipc/metadata/message';
import { VectorLoader } from 'apache-arrow/visitor/vectorloader';
import { binaryCells } from './binary-values.ts';
import { textCells } from './text-values.ts';

/** The type byte, the length and the number of columns of a DataRow message. */
const HEAD_BYTES = 7;
const TYPE_BYTES = 1;
const DATA_ROW = 'D'.charCodeAt(0);

/** Reads the chunks of a result in the encoding `postgres`, in order. */
export class DataRowReader {
  readonly #columns: readonly OutputColumn[];
  readonly #formats: readonly ValueFormat[];
  readonly #messageType: number;
  #schema: Uint8Array | undefined;

  /** @param messageType the type of each row's message: DataRow, or CopyData, which has the same layout */
  constructor(
    columns: readonly OutputColumn[],
    formats: readonly ValueFormat[],
    messageType: number = DATA_ROW,
  ) {
    this.#columns = columns;
    this.#formats = formats;
    this.#messageType = messageType;
  }

  /**
   * The rows of a chunk, which must not be released before they are written; undefined for the first chunk,
   * which has no rows.
   */
  read(chunk: Uint8Array): DataRowBatch | undefined {
    if (this.#schema === undefined) {
      this.#schema = chunk;
      return undefined;
    }
    const { data, rows } = batchOf(this.#schema, chunk);
    return new DataRowBatch(this.#columns, this.#formats, data, rows, this.#messageType);
  }
}

/** The schemas of results by their message: statements that are repeated have the same one. */
const schemas = new WeakMap<Uint8Array, Schema>();
const NO_DICTIONARIES = new Map<number, never>();
/** The mark and the length before the metadata of a message. */
const PREFIX_BYTES = 8;
const ALIGNMENT = 8;

/** Most results have a single row, for which a reader of Arrow's streams takes as long as the rest of the protocol. */
function batchOf(
  schemaMessage: Uint8Array,
  chunk: Uint8Array,
): { readonly data: readonly Data[]; readonly rows: number } {
  const schema = schemas.get(schemaMessage) ?? (messageOf(schemaMessage).message.header() as Schema);
  schemas.set(schemaMessage, schema);
  if (schema.dictionaries.size > 0) {
    const [batch] = RecordBatchReader.from([schemaMessage, chunk]);
    if (batch === undefined) throw new Error('A chunk of a result holds no batch');
    return { data: batch.data.children, rows: batch.numRows };
  }
  const { message, body } = messageOf(chunk.byteOffset % ALIGNMENT === 0 ? chunk : Uint8Array.from(chunk));
  const { length, nodes, buffers } = message.header() as RecordBatchHeader;
  const loader = new VectorLoader(body, nodes, buffers, NO_DICTIONARIES, message.version);
  return { data: loader.visitMany(schema.fields), rows: length };
}

function messageOf(bytes: Uint8Array): { readonly message: Message; readonly body: Uint8Array } {
  const metadataBytes = new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
  const end = PREFIX_BYTES + metadataBytes;
  return { message: Message.decode(bytes.subarray(PREFIX_BYTES, end)), body: bytes.subarray(end) };
}

/** A batch of rows that wait to be sent. */
export class DataRowBatch {
  readonly rows: number;
  readonly #columns: readonly OutputColumn[];
  readonly #formats: readonly ValueFormat[];
  readonly #data: readonly Data[];
  readonly #messageType: number;

  constructor(
    columns: readonly OutputColumn[],
    formats: readonly ValueFormat[],
    data: readonly Data[],
    rows: number,
    messageType: number,
  ) {
    this.#columns = columns;
    this.#formats = formats;
    this.#data = data;
    this.rows = rows;
    this.#messageType = messageType;
  }

  /**
   * The messages of the rows `from` … `to` (exclusive), in a newly allocated buffer.
   * @throws TesseraError NOT_SUPPORTED for a value that has no binary form
   */
  write(from = 0, to = this.rows): Buffer {
    const count = to - from;
    const cells = this.#data.map((data, i) => {
      const { type } = this.#columns[i]!;
      return (valueFormat(this.#formats, i) === 'text' ? textCells : binaryCells)(type, data, from, to);
    });
    const sizes = new Uint32Array(count).fill(HEAD_BYTES);
    for (const column of cells) column.addSizes(sizes, from, to);
    let total = 0;
    for (let i = 0; i < count; i += 1) total += sizes[i]!;
    const out = Buffer.allocUnsafe(total);
    const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
    this.#writeHeads(view, sizes);
    for (const column of cells) column.write(out, view, sizes, from, to);
    return out;
  }

  /** Writes the head of each message and turns `sizes` into the positions of each row's first cell. */
  #writeHeads(view: DataView, sizes: Uint32Array): void {
    let at = 0;
    for (let i = 0; i < sizes.length; i += 1) {
      const size = sizes[i]!;
      view.setUint8(at, this.#messageType);
      view.setInt32(at + TYPE_BYTES, size - TYPE_BYTES);
      view.setInt16(at + HEAD_BYTES - 2, this.#columns.length);
      sizes[i] = at + HEAD_BYTES;
      at += size;
    }
  }
}
