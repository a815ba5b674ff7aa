import type { Schema } from 'apache-arrow';
import type { ArrayData } from '../arrow/array-data.ts';
import { corrupt } from '../arrow/corrupt-batch.ts';
import { ImportedBatch } from '../arrow/imported-batch.ts';
import type { ImportedSchema } from '../arrow/imported-schema.ts';
import { readMessage } from '../arrow/ipc.ts';
import { readArrays } from '../arrow/read-arrays.ts';
import type { AppendInput } from './append-input.ts';

/** Receives the rows of batches, in order. */
export interface BatchSink {
  /** The maximum number of rows per call; a multiple of 64. */
  readonly chunkRows: number;
  /**
   * Takes a batch that points into a payload. The payload belongs to the sink once `payloadRead` was called
   * for it.
   */
  take(imported: ImportedSchema, batch: ImportedBatch): Promise<void>;
  /** Called when all batches of the payload were taken. */
  payloadRead(payload: Buffer): Promise<void>;
}

export const readSchema = (schemaIpc: Uint8Array): Schema =>
  readMessage(new Uint8Array(schemaIpc), 0)!.message.header() as Schema;

/** Passes the rows of the input to the sink and returns the number of rows. */
export async function readBatches(
  imported: ImportedSchema,
  input: AppendInput,
  sink: BatchSink,
): Promise<number> {
  const dictionaries = new Map<number, ArrayData>();
  let total = 0;
  for (let payload = await input.next(); payload !== undefined; payload = await input.next()) {
    let at = 0;
    let isKept = false;
    for (let read = message(payload, at); read !== undefined; read = message(payload, at)) {
      at = read.end;
      isKept ||= read.message.isDictionaryBatch();
      total += await takeMessage(read, imported, dictionaries, sink);
    }
    // Dictionaries are read in place.
    if (!isKept) await sink.payloadRead(payload);
  }
  return total;
}

function message(payload: Uint8Array, at: number): ReturnType<typeof readMessage> {
  try {
    return readMessage(payload, at);
  } catch (error) {
    throw corrupt('', error instanceof Error ? error.message : String(error));
  }
}

async function takeMessage(
  { message, body }: NonNullable<ReturnType<typeof readMessage>>,
  imported: ImportedSchema,
  dictionaries: Map<number, ArrayData>,
  sink: BatchSink,
): Promise<number> {
  const lookUp = ({ id }: { id: number }) => {
    const values = dictionaries.get(id);
    if (values === undefined) throw corrupt('', `dictionary ${id} is missing`);
    return values;
  };
  if (message.isDictionaryBatch()) {
    const header = message.header();
    const type = imported.schema.dictionaries.get(header.id);
    if (type === undefined) throw corrupt('', `dictionary ${header.id} is not in the schema`);
    if (header.isDelta) throw corrupt('', 'delta dictionaries are not supported');
    dictionaries.set(header.id, readArrays([{ type }], { header: header.data, body }, lookUp)[0]!);
    return 0;
  }
  if (!message.isRecordBatch()) return 0;
  const header = message.header();
  if (header.compression !== null) throw corrupt('', 'a compressed batch reached the kernel');
  const rows = header.length;
  const arrays = readArrays(imported.schema.fields, { header, body }, lookUp);
  if (arrays.some((array) => array.length < rows))
    throw corrupt('', 'a column has fewer rows than the batch');
  for (let start = 0; start < rows; start += sink.chunkRows) {
    const count = Math.min(sink.chunkRows, rows - start);
    await sink.take(imported, ImportedBatch.slice(imported.schema, arrays, start, count));
  }
  return rows;
}
