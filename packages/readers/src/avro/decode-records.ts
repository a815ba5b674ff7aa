import { TesseraError } from '@tessera/common';
import avsc from 'avsc';
import { readBlocks, readHeader } from './container.ts';
import { SequentialBytes } from './sequential-file.ts';

/** The records of an Avro container file as JavaScript values. */
export interface AvroRecords {
  /** The schema of the writer as JSON, with all its properties. */
  readonly schema: unknown;
  /**
   * A long is a bigint, bytes are a Buffer, and a value of a union is the value itself. Logical types are ignored: a date is
   * the number of its day.
   */
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

const LONG = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
});

/** Made for each schema, because avsc adds the types of the schema to the registry. */
const schemaOptions = (): Partial<avsc.ForSchemaOptions> => {
  const options = {
    wrapUnions: 'never',
    logicalTypes: {},
    registry: { long: LONG },
    // A long with attributes is not looked up in the registry.
    typeHook: (schema: unknown) => ((schema as { type?: unknown }).type === 'long' ? LONG : undefined),
  };
  return options as unknown as Partial<avsc.ForSchemaOptions>;
};

/** See `readAvroRecords`. */
export async function decodeRecords(bytes: Uint8Array, name: string): Promise<AvroRecords> {
  try {
    const file = new SequentialBytes(Buffer.from(bytes));
    const header = await readHeader(file, schemaOptions());
    const records: Readonly<Record<string, unknown>>[] = [];
    for await (const { rows, data } of readBlocks(file, header)) {
      const block = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      for (let row = 0, at = 0; row < rows; row++) {
        const { value, offset } = header.schema.decode(block, at);
        if (offset < 0) throw new Error(`record ${records.length + 1} is truncated`);
        records.push(value);
        at = offset;
      }
    }
    return { schema: JSON.parse(header.schemaText), records };
  } catch (cause) {
    if (cause instanceof TesseraError) throw cause;
    throw TesseraError.of('BAD_FILE', { name, reason: (cause as Error).message }, { cause });
  }
}
