import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises';
import type { TabletId } from '@tessera/catalog';
import type { HybridHeader } from '@tessera/tablet';
import type { ObjectRange } from '../storage-agent.ts';
import { ChunkSet } from './chunk-set.ts';

/**
 * How the bytes get into the file. `link`: the object store's own file, whose chunks count as present once
 * they were verified after the start.
 */
export type FileKind = 'whole' | 'sparse' | 'link';

/**
 * The content of the sidecar file of a tablet's file. It is written after the data that it describes has
 * reached the disk.
 */
export interface Sidecar {
  readonly bytes: number;
  readonly kind: FileKind;
  readonly chunks: Readonly<Record<string, readonly number[]>>;
}

const MAGIC = Buffer.from('PAR1');

/**
 * The local file of a tablet. A sparse file has the layout of the object, with holes where nothing was needed
 * yet.
 */
export class TabletFile {
  readonly id: TabletId;
  readonly path: string;
  readonly bytes: number;
  readonly kind: FileKind;
  readonly chunks: ChunkSet;
  /** Chunks that are being fetched. */
  readonly underWay = new Map<string, Promise<void>>();
  header: HybridHeader | undefined;
  /** Whether the catalog has the tablet itself, so that the file can be written again without a request. */
  isInline = false;
  /** The number of scans that may be reading the file. */
  uses = 0;
  lastUsedMs = 0;
  /** The bytes of disk space that the file occupies. */
  filledBytes = 0;
  /** The bytes that were fetched to create the file. */
  bytesAtStart = 0;
  /** The stored bytes of each column in all granules; filled once the header was read. */
  readonly columnBytes = new Map<number, number>();
  #saving: Promise<void> = Promise.resolve();

  constructor(id: TabletId, path: string, bytes: number, kind: FileKind, chunks = new ChunkSet()) {
    this.id = id;
    this.path = path;
    this.bytes = bytes;
    this.kind = kind;
    this.chunks = chunks;
    this.filledBytes = kind === 'sparse' ? 0 : bytes;
  }

  /**
   * Creates a file of the object's length that contains its tail: the Hybrid Header and the Parquet footer.
   */
  static async sparse(id: TabletId, path: string, bytes: number, tail: Uint8Array): Promise<TabletFile> {
    await writing(path, async (handle) => {
      await handle.truncate(bytes);
      await handle.write(MAGIC, 0, MAGIC.length, 0);
      await handle.write(tail, 0, tail.length, bytes - tail.length);
    });
    const file = new TabletFile(id, path, bytes, 'sparse');
    file.filledBytes = tail.length + MAGIC.length;
    return file;
  }

  static async whole(id: TabletId, path: string, body: Uint8Array): Promise<TabletFile> {
    await writing(path, (handle) => handle.writeFile(body));
    return new TabletFile(id, path, body.length, 'whole');
  }

  static async linked(id: TabletId, path: string, bytes: number, target: string): Promise<TabletFile> {
    await rm(path, { force: true });
    await link(target, path);
    return new TabletFile(id, path, bytes, 'link');
  }

  /** @throws LocalFileError */
  async fill(offset: number, bytes: Uint8Array): Promise<void> {
    await opened(this.path, 'r+', (handle) => handle.write(bytes, 0, bytes.length, offset));
    this.filledBytes += bytes.length;
  }

  /** @throws LocalFileError */
  async read(offset: number, bytes: number): Promise<Uint8Array> {
    const body = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await opened(this.path, 'r', (handle) => handle.read(body, 0, bytes, offset));
    return body.subarray(0, bytesRead);
  }

  /** Whether everything that is wanted of the range is present. */
  contains({ offset, bytes, chunks }: ObjectRange): boolean {
    if (offset + bytes > this.bytes) return false;
    if (this.kind !== 'sparse') return true;
    if (chunks.length > 0) return chunks.every(({ column, granule }) => this.chunks.has(column, granule));
    return offset > 0;
  }

  /** Makes the present data survive a crash of the machine. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    const sidecar: Sidecar = { bytes: this.bytes, kind: this.kind, chunks: this.chunks.toData() };
    await opened(this.path, 'r+', (handle) => handle.datasync());
    const path = sidecarPath(this.path);
    await writeFile(`${path}.tmp`, JSON.stringify(sidecar), { mode: 0o600, flush: true });
    await rename(`${path}.tmp`, path);
  }

  async remove(): Promise<void> {
    await rm(sidecarPath(this.path), { force: true });
    await rm(this.path, { force: true });
  }
}

export const sidecarPath = (path: string): string => path.replace(/\.parquet$/, '.chunks.json');

/** A failure of the local disk or directory, not of the object. */
export class LocalFileError extends Error {
  readonly isOutOfSpace: boolean;

  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
    this.isOutOfSpace = ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '');
  }
}

async function opened<T>(
  path: string,
  flags: 'r' | 'r+' | 'w',
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const handle = await open(path, flags, 0o600);
    try {
      return await work(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new LocalFileError(error);
  }
}

async function writing(path: string, write: (handle: FileHandle) => Promise<unknown>): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await opened(temporary, 'w', write);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error instanceof LocalFileError ? error : new LocalFileError(error);
  }
}
