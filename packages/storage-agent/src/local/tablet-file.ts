import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises';
import type { TabletId } from '@tessera/catalog';
import type { HybridHeader } from '@tessera/tablet';
import { ChunkSet } from './chunk-set.ts';

/** How the bytes come into the file. `link`: the store's own file; its chunks are those that were checked since the start. */
export type FileKind = 'whole' | 'sparse' | 'link';

/** What the file beside a tablet's file says of it: written after what it tells has reached the disk. */
export interface Sidecar {
  readonly bytes: number;
  readonly kind: FileKind;
  readonly chunks: Readonly<Record<string, readonly number[]>>;
}

const MAGIC = Buffer.from('PAR1');

/** A tablet's local file. A sparse one has the layout of the object and holes for what nobody needed yet. */
export class TabletFile {
  readonly id: TabletId;
  readonly path: string;
  readonly bytes: number;
  readonly kind: FileKind;
  readonly chunks: ChunkSet;
  /** Chunks that are being fetched. */
  readonly underWay = new Map<string, Promise<void>>();
  header: HybridHeader | undefined;
  /** Scans that may read it. */
  uses = 0;
  lastUsedMs = 0;
  /** Of the disk. */
  filledBytes = 0;
  /** Fetched to make the file. */
  bytesAtStart = 0;
  /** In all granules, once the header was read. */
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

  /** A file of the object's length with its tail: the Hybrid Header and the Parquet footer. */
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

  /** Makes what is there now outlive a crash of the machine. */
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

/** The disk, or who else has the directory, failed: not the object. */
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
