import { noteBuffer } from '@tessera/common';
import { type ArrowBatchInput, type KernelSession, RowBlock } from '@tessera/kernel';
import { Field, Schema, tableFromIPC } from 'apache-arrow';
import { aligned } from '../outputs/inline-rows.ts';
import { type BatchPart, type BlockRows, BrokenStream, type SchemaPart } from './decode-responses.ts';
import { merged } from './merged.ts';

/** The number of producers that send to one fetch at a time. */
const MAX_OPEN_STREAMS = 4;

/** The rows of several blocks, readable in a session in their transfer encoding. */
export interface FetchedRows {
  /** The relation, for FROM. */
  readonly sql: string;
  readonly rows: number;
  /** The bytes that came from other nodes. */
  readonly bytes: number;
  readonly spilledBytes: number;
  readonly schema: Schema;
  /** The first rows of batches of the sources for which `isSampled` was true. */
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** The position of the source. */
  readonly source: number;
  readonly rows: number;
  /** Encapsulated Arrow messages: the dictionaries, if any, and the rows. */
  readonly ipc: Uint8Array;
}

interface Part {
  readonly source: number;
  readonly part: BlockRows;
}

export interface ReceiveOptions {
  readonly sources: readonly (() => AsyncIterable<BlockRows>)[];
  readonly isSampled: (source: number) => boolean;
  readonly signal: AbortSignal;
}

const SAMPLE_ROWS = 16;
const MAX_SAMPLES_OF_SOURCE = 8;

/**
 * Makes the rows of the sources readable in the session; undefined if there are no sources. Errors of the
 * sources are thrown and leave nothing behind.
 */
export async function receiveBlocks(
  session: KernelSession,
  { sources, isSampled, signal }: ReceiveOptions,
): Promise<FetchedRows | undefined> {
  const parts = merged(
    sources.map((open, source) => () => labelled(open(), source)),
    MAX_OPEN_STREAMS,
  );
  const stop = () => session.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const first = await parts.next();
    if (first.done === true) return undefined;
    const sent = schemaOf(first.value.part);
    const schema = readSchema(sent.ipc);
    const reading = new Reading(sent, parts, isSampled);
    const received = await session.receive(schema, reading.batches());
    return { ...received, bytes: reading.bytes, schema, samples: reading.samples };
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
  readonly #isSampled: (source: number) => boolean;
  readonly #dictionaries: Uint8Array;
  readonly samples: Sample[] = [];
  bytes = 0;

  constructor(schema: SchemaPart, parts: AsyncIterable<Part>, isSampled: (source: number) => boolean) {
    this.#schema = schema;
    this.#dictionaries = schema.ipc.subarray(firstMessageBytes(schema.ipc));
    this.#parts = parts;
    this.#isSampled = isSampled;
  }

  async *batches(): AsyncGenerator<ArrowBatchInput> {
    if (this.#dictionaries.length > 0) yield { ipc: this.#dictionaries };
    for await (const { source, part } of this.#parts) {
      if (part.kind === 'schema') {
        if (Buffer.compare(part.ipc, this.#schema.ipc) !== 0) throw otherTypes();
        continue;
      }
      this.bytes += part.bytes;
      noteBuffer(part.bytes);
      this.#sample(source, part);
      yield { ipc: part.ipc, sent: () => part.release() };
    }
  }

  #sample(source: number, { ipc }: BatchPart): void {
    if (!this.#isSampled(source)) return;
    const taken = this.samples.filter((sample) => sample.source === source).length;
    if (taken >= MAX_SAMPLES_OF_SOURCE) return;
    const block = new RowBlock(this.#schema.ipc, aligned(ipc));
    const rows = Math.min(block.rows, SAMPLE_ROWS);
    this.samples.push({ source, rows, ipc: Buffer.concat([this.#dictionaries, ...block.cut(0, rows)]) });
  }
}

export const otherTypes = (): BrokenStream =>
  new BrokenStream('its columns are of other types than those of the other tasks');

/** The size of an encapsulated message: 4 bytes of mark, 4 bytes with the length of the rest, the rest. */
export const firstMessageBytes = (ipc: Uint8Array): number =>
  8 + new DataView(ipc.buffer, ipc.byteOffset).getInt32(4, true);

/**
 * Field metadata that would make the kernel cast what it appends, a few rows at a time. It is removed,
 * because the reader of the table casts anyway, and only the columns that it reads.
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

/** A cache: parsing a schema costs more than a small fetch, and stages repeat theirs. */
export function readSchema(ipc: Uint8Array): Schema {
  const key = Buffer.from(ipc.buffer, ipc.byteOffset, ipc.byteLength).toString('latin1');
  let schema = known.get(key);
  if (schema === undefined) {
    schema = withoutLabels(tableFromIPC(ipc).schema);
    if (known.size >= MAX_KNOWN_SCHEMAS) known.delete(known.keys().next().value!);
    known.set(key, schema);
  }
  return schema;
}
