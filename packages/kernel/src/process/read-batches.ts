import type { Schema } from 'apache-arrow';
import type { ArrayData } from '../arrow/array-data.ts';
import { corrupt } from '../arrow/corrupt-batch.ts';
import { readMessage } from '../arrow/ipc.ts';
import { readArrays } from '../arrow/read-arrays.ts';

/** The columns of a record batch, dictionaries written out. */
export interface DecodedBatch {
  readonly rows: number;
  /** Their buffers are parts of the payload. */
  readonly arrays: readonly ArrayData[];
}

export interface DecodedPayload {
  readonly batches: readonly DecodedBatch[];
  /** Whether later batches are read with dictionaries of this payload, which must then stay as it is. */
  readonly hasDictionaries: boolean;
}

export const readSchema = (schemaIpc: Uint8Array): Schema =>
  readMessage(new Uint8Array(schemaIpc), 0)!.message.header() as Schema;

/** Decodes payloads of encapsulated Arrow messages. Dictionaries are known from one payload to the next. */
export class BatchDecoder {
  readonly #schema: Schema;
  readonly #dictionaries = new Map<number, ArrayData>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** @throws NativeError when the payload is corrupt */
  decode(payload: Uint8Array): DecodedPayload {
    const batches: DecodedBatch[] = [];
    let hasDictionaries = false;
    let at = 0;
    for (let read = message(payload, at); read !== undefined; read = message(payload, at)) {
      at = read.end;
      if (read.message.isDictionaryBatch()) {
        hasDictionaries = true;
        this.#readDictionary(read);
      } else if (read.message.isRecordBatch()) {
        batches.push(this.#readBatch(read));
      }
    }
    return { batches, hasDictionaries };
  }

  #readDictionary({ message, body }: Message): void {
    const header = message.header();
    if (!('isDelta' in header)) return;
    const type = this.#schema.dictionaries.get(header.id);
    if (type === undefined) throw corrupt('', `dictionary ${header.id} is not in the schema`);
    if (header.isDelta) throw corrupt('', 'delta dictionaries are not supported');
    const values = readArrays([{ type }], { header: header.data, body }, this.#lookUp);
    this.#dictionaries.set(header.id, values[0]!);
  }

  #readBatch({ message, body }: Message): DecodedBatch {
    const header = message.header();
    if (!('compression' in header)) throw corrupt('', 'a batch has no header');
    if (header.compression !== null) throw corrupt('', 'a compressed batch reached the kernel');
    const rows = header.length;
    const arrays = readArrays(this.#schema.fields, { header, body }, this.#lookUp);
    if (arrays.some((array) => array.length < rows))
      throw corrupt('', 'a column has fewer rows than the batch');
    return { rows, arrays };
  }

  readonly #lookUp = ({ id }: { id: number }): ArrayData => {
    const values = this.#dictionaries.get(id);
    if (values === undefined) throw corrupt('', `dictionary ${id} is missing`);
    return values;
  };
}

type Message = NonNullable<ReturnType<typeof readMessage>>;

function message(payload: Uint8Array, at: number): ReturnType<typeof readMessage> {
  try {
    return readMessage(payload, at);
  } catch (error) {
    throw corrupt('', error instanceof Error ? error.message : String(error));
  }
}
