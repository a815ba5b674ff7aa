import type { ArrowBatchInput, KernelSession } from '@tessera/kernel';
import { Field, Schema, tableFromIPC } from 'apache-arrow';
import { type BlockRows, BrokenStream, type SchemaPart } from './decode-responses.ts';
import { merged } from './merged.ts';

/** How many producers send to one fetch at a time. */
const MAX_OPEN_STREAMS = 4;

/** Rows of several blocks in a temp table of a session, in the form in which they travel. */
export interface FetchedTable {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** In the order of the table. */
  readonly batches: readonly FetchedBatch[];
}

export interface FetchedBatch {
  /** Its row id. */
  readonly firstRow: number;
  readonly rows: number;
  /** Position among the sources of the one it came from. */
  readonly source: number;
}

interface Part {
  readonly source: number;
  readonly part: BlockRows;
}

/**
 * Appends the rows of the sources to a new temp table; undefined when there are no sources. What the sources throw is
 * thrown, and leaves no table.
 */
export async function appendBlocks(
  session: KernelSession,
  name: string,
  sources: readonly (() => AsyncIterable<BlockRows>)[],
  signal: AbortSignal,
): Promise<FetchedTable | undefined> {
  const parts = merged(
    sources.map((open, source) => () => labelled(open(), source)),
    MAX_OPEN_STREAMS,
  );
  const stop = () => session.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const first = await parts.next();
    if (first.done === true) return undefined;
    const schema = schemaOf(first.value.part);
    const reading = new Reading(schema, parts);
    const rows = await session.append(name, readSchema(schema.ipc), reading.batches());
    return { name, rows, bytes: reading.bytes, batches: reading.taken };
  } finally {
    signal.removeEventListener('abort', stop);
    await parts.return(undefined);
  }
}

async function* labelled(parts: AsyncIterable<BlockRows>, source: number): AsyncGenerator<Part> {
  for await (const part of parts) yield { source, part };
}

function schemaOf(part: BlockRows): SchemaPart {
  if (part.kind !== 'schema') throw new BrokenStream('rows came before the schema');
  return part;
}

class Reading {
  readonly #schema: SchemaPart;
  readonly #parts: AsyncIterable<Part>;
  readonly taken: FetchedBatch[] = [];
  bytes = 0;
  #rows = 0;

  constructor(schema: SchemaPart, parts: AsyncIterable<Part>) {
    this.#schema = schema;
    this.#parts = parts;
  }

  async *batches(): AsyncGenerator<ArrowBatchInput> {
    const dictionaries = this.#schema.ipc.subarray(firstMessageBytes(this.#schema.ipc));
    if (dictionaries.length > 0) yield { ipc: dictionaries };
    for await (const { source, part } of this.#parts) {
      if (part.kind === 'schema') {
        if (Buffer.compare(part.ipc, this.#schema.ipc) !== 0)
          throw new BrokenStream('its columns are of other types than those of the other tasks');
        continue;
      }
      this.taken.push({ firstRow: this.#rows, rows: part.rows, source });
      this.#rows += part.rows;
      this.bytes += part.bytes;
      yield { ipc: part.ipc, sent: () => part.release() };
    }
  }
}

/** An encapsulated message: 4 bytes of mark, the length of the rest in 4 bytes, the rest. */
const firstMessageBytes = (ipc: Uint8Array): number =>
  8 + new DataView(ipc.buffer, ipc.byteOffset).getInt32(4, true);

/**
 * Field metadata that makes the kernel cast what it appends, a few rows at a time. Who reads the table casts anyway, and
 * only what is read.
 */
const TYPE_LABEL = 'tessera:type';

function withoutLabels(schema: Schema): Schema {
  const fields = schema.fields.map((field) => {
    const metadata = new Map(field.metadata);
    metadata.delete(TYPE_LABEL);
    return new Field(field.name, field.type, field.nullable, metadata);
  });
  return new Schema(fields);
}

const MAX_KNOWN_SCHEMAS = 256;
const known = new Map<string, Schema>();

/** Reading one costs more than a small fetch, and stages repeat theirs. */
function readSchema(ipc: Uint8Array): Schema {
  const key = Buffer.from(ipc.buffer, ipc.byteOffset, ipc.byteLength).toString('latin1');
  let schema = known.get(key);
  if (schema === undefined) {
    schema = withoutLabels(tableFromIPC(ipc).schema);
    if (known.size >= MAX_KNOWN_SCHEMAS) known.delete(known.keys().next().value!);
    known.set(key, schema);
  }
  return schema;
}
