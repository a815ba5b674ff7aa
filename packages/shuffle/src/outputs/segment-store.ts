import { mkdirSync, rmSync } from 'node:fs';
import { discardBytes, type NodeName, type SpillFile, SpillFiles } from '@tessera/common';
import { batchPayloads } from '@tessera/kernel';
import { noRoom } from '../space.ts';

export interface SegmentStoreOptions {
  /** Owned by the store (for spill files) and emptied when it is opened. */
  readonly directory: string;
  /** Segments beyond this size in total go to disk, apart from those in registered memory. */
  readonly memoryBytes: number;
  /** The maximum size on disk; by default nine tenths of the free space when the store is opened. */
  readonly diskBytes?: number | undefined;
  /** The name of the node, for errors. */
  readonly node: NodeName;
}

/** A batch of an output, in memory or in the output's spill file. */
export type Segment =
  | {
      readonly kind: 'memory';
      readonly bytes: Uint8Array;
      /** Whether the bytes are in the registered memory, which `memoryBytes` does not include. */
      readonly isRegistered: boolean;
      /** Must be called at most once, when nobody reads the bytes any more. */
      readonly recycle: () => void;
    }
  | { readonly kind: 'disk'; readonly file: SpillFile; readonly offset: number; readonly length: number };

/** If the memory behind a segment is larger than the segment by this factor, the segment is copied. */
const WASTED = 1.25;

/** The memory and the disk space that the outputs of a node use. */
export class SegmentStore {
  readonly #options: SegmentStoreOptions;
  #memoryBytes = 0;
  #registeredBytes = 0;
  readonly #files: SpillFiles;

  constructor(options: SegmentStoreOptions) {
    this.#options = options;
    rmSync(options.directory, { recursive: true, force: true });
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.#files = new SpillFiles(options.directory, options.diskBytes);
  }

  get memoryBytes(): number {
    return this.#memoryBytes + this.#registeredBytes;
  }

  get diskBytes(): number {
    return this.#files.usedBytes;
  }

  /** Returns a file that is created with the first write. */
  output(): OutputFile {
    return new OutputFile(this.#files);
  }

  /**
   * Keeps bytes of an output: in memory while the budget suffices, otherwise in its spill file.
   * @param recycle called when the store no longer needs the memory of the bytes
   * @throws TesseraError SHUFFLE_SPACE_EXHAUSTED
   */
  async keep(bytes: Uint8Array, output: OutputFile, recycle: () => void): Promise<Segment> {
    if (batchPayloads.isRegistered(bytes) && isWellUsed(bytes)) {
      this.#registeredBytes += bytes.length;
      return { kind: 'memory', bytes, isRegistered: true, recycle };
    }
    if (this.#memoryBytes + bytes.length <= this.#options.memoryBytes) {
      this.#memoryBytes += bytes.length;
      if (isWellUsed(bytes)) return { kind: 'memory', bytes, isRegistered: false, recycle };
      const copy = Buffer.allocUnsafeSlow(bytes.length);
      copy.set(bytes);
      recycle();
      return { kind: 'memory', bytes: copy, isRegistered: false, recycle: () => discardBytes(copy) };
    }
    try {
      const file = await output.file();
      const offset = await file.append(bytes);
      recycle();
      return { kind: 'disk', file, offset, length: bytes.length };
    } catch (error) {
      throw isFull(error) ? noRoom(this.#options.node, error) : error;
    }
  }

  /** Forgets a segment that nobody reads any more. Its bytes in a spill file are freed with the file. */
  forget(segment: Segment): void {
    if (segment.kind === 'disk') return;
    if (segment.isRegistered) this.#registeredBytes -= segment.bytes.length;
    else this.#memoryBytes -= segment.bytes.length;
  }

  close(): Promise<void> {
    return this.#files.close();
  }
}

const isWellUsed = ({ buffer, length }: Uint8Array): boolean => buffer.byteLength <= WASTED * length;

/** Thrown if a segment on disk differs from what was written. */
export class CorruptSegment extends Error {
  constructor() {
    super('its rows on disk have changed');
  }
}

/** The spill file of one output. */
export class OutputFile {
  readonly #files: SpillFiles;
  #file: Promise<SpillFile> | undefined;

  constructor(files: SpillFiles) {
    this.#files = files;
  }

  file(): Promise<SpillFile> {
    this.#file ??= this.#files.take();
    return this.#file;
  }

  async free(): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    await file?.free();
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(error.code as string);
