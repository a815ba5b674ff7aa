import type { SpillFile, SpillFiles } from '@tessera/common';
import type { Schema } from 'apache-arrow';
import { MappedFile } from '../native/mapped-file.ts';
import { appendPayloads } from './append-input.ts';
import { BatchDecoder, type DecodedBatch } from './read-batches.ts';
import type { ReceivedMemory } from './received-memory.ts';

interface InMemory {
  readonly payload: Buffer;
  readonly batches: readonly DecodedBatch[];
}

interface InFile {
  readonly offset: number;
  readonly length: number;
}

/** Received rows: those that memory has room for in the payloads that they came in, the others in a file. */
export class HeldRows {
  readonly #memory: ReceivedMemory;
  readonly #files: SpillFiles;
  readonly #decoder: BatchDecoder;
  readonly #inMemory: InMemory[] = [];
  readonly #inFile: InFile[] = [];
  /** Batches of the file whose columns were written out from dictionaries, and are therefore not in the file. */
  readonly #writtenOut = new Map<InFile, readonly DecodedBatch[]>();
  readonly #hasDictionaries: boolean;
  #file: SpillFile | undefined;
  #mapped: MappedFile | undefined;
  #bytes = 0;
  rows = 0;

  constructor({ memory, files }: { memory: ReceivedMemory; files: SpillFiles }, schema: Schema) {
    this.#memory = memory;
    this.#files = files;
    this.#decoder = new BatchDecoder(schema);
    this.#hasDictionaries = schema.dictionaries.size > 0;
  }

  /** @throws NativeError when the payload is corrupt, Error when the disk is full */
  async add(payload: Buffer): Promise<void> {
    const { batches, hasDictionaries } = this.#decoder.decode(payload);
    for (const { rows } of batches) this.rows += rows;
    const bytes = appendPayloads.isRegistered(payload) ? 0 : payload.buffer.byteLength;
    const fits = this.#memory.take(bytes);
    if (fits) this.#bytes += bytes;
    if (fits || hasDictionaries) {
      this.#inMemory.push({ payload, batches });
      return;
    }
    this.#file ??= await this.#files.take();
    this.#inFile.push({ offset: await this.#file.append(payload), length: payload.length });
    appendPayloads.give(payload);
  }

  get spilledBytes(): number {
    return this.#file?.length ?? 0;
  }

  /** The batches, for one reader: what it has read of the file leaves the memory of the process as it goes on. */
  *batches(): Generator<DecodedBatch> {
    for (const { batches } of this.#inMemory) yield* batches;
    if (this.#file === undefined || this.#inFile.length === 0) return;
    this.#mapped ??= new MappedFile(this.#file.fd, this.#file.length);
    const mapped = this.#mapped;
    for (const part of this.#inFile) {
      yield* this.#decoded(part, mapped.bytes);
      mapped.discard(part.offset);
    }
  }

  #decoded(part: InFile, bytes: Uint8Array): readonly DecodedBatch[] {
    const known = this.#writtenOut.get(part);
    if (known !== undefined) return known;
    const { batches } = this.#decoder.decode(bytes.subarray(part.offset, part.offset + part.length));
    if (this.#hasDictionaries) this.#writtenOut.set(part, batches);
    return batches;
  }

  /** To be called once, when nobody reads the rows any more. */
  free(): void {
    for (const { payload } of this.#inMemory.splice(0)) appendPayloads.give(payload);
    this.#memory.give(this.#bytes);
    this.#mapped?.close();
    // Its rows are not needed any more, so a file that cannot be closed loses nothing.
    this.#file?.free().catch(() => undefined);
  }
}
