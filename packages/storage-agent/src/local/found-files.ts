import { type Stats, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tablet, TabletId } from '@tessera/catalog';
import type { KernelLog } from '@tessera/kernel';
import { ChunkSet } from './chunk-set.ts';
import { type Sidecar, sidecarPath, TabletFile } from './tablet-file.ts';

const SIDECAR = /\.chunks\.json$/;

/** Files of an earlier run that no scan has requested yet. */
export class FoundFiles {
  readonly #directory: string;
  readonly #others: ReadonlySet<string>;
  readonly #log: KernelLog;
  /** The file of each tablet. */
  readonly #paths = new Map<string, string>();

  /** @param others the names of files in the directory that are no tablets */
  constructor(directory: string, others: ReadonlySet<string>, log: KernelLog) {
    this.#directory = directory;
    this.#others = others;
    this.#log = log;
  }

  /** Lists the directory and removes incomplete files. */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const names = new Set(await readdir(this.#directory));
    for (const name of names) {
      const isFile = name.endsWith('.parquet') && names.has(sidecarPath(name));
      const isSidecar = SIDECAR.test(name) && names.has(name.replace(SIDECAR, '.parquet'));
      const tabletId = name.split('-')[0]!;
      if (isFile && !this.#paths.has(tabletId)) this.#paths.set(tabletId, join(this.#directory, name));
      else if (isFile) await removeFile(join(this.#directory, name));
      else if (!isSidecar && !this.#others.has(name))
        await rm(join(this.#directory, name), { recursive: true, force: true });
    }
  }

  has(tabletId: string): boolean {
    return this.#paths.has(tabletId);
  }

  /** The disk space that the tablet's file occupies, in bytes; 0 without a file. */
  bytesOf(tabletId: string): number {
    const path = this.#paths.get(tabletId);
    return path === undefined ? 0 : occupiedBytes(statSync(path, { throwIfNoEntry: false }));
  }

  /** The tablet's file, for reading what will be verified. It stays among the found files. */
  async peek(tabletId: TabletId): Promise<TabletFile | undefined> {
    const path = this.#paths.get(tabletId);
    // Without its sidecar, or with a damaged one, nobody knows what the file contains.
    return path === undefined ? undefined : await fileAt(tabletId, path).catch(() => undefined);
  }

  /** The tablet's file if `isUsable` accepts it. It is returned only once. */
  async take(
    tablet: Tablet,
    isUsable: (file: TabletFile) => Promise<unknown>,
  ): Promise<TabletFile | undefined> {
    const path = this.#paths.get(tablet.id);
    if (path === undefined) return undefined;
    this.#paths.delete(tablet.id);
    try {
      const file = await fileAt(tablet.id, path);
      if (file?.bytes === tablet.bytes) {
        await isUsable(file);
        return file;
      }
    } catch (error) {
      this.#log.info(
        { tablet: tablet.id, error: String(error) },
        'a cached tablet cannot be used: it is removed',
      );
    }
    await removeFile(path);
    return undefined;
  }

  async remove(tabletId: string): Promise<void> {
    const path = this.#paths.get(tabletId);
    this.#paths.delete(tabletId);
    if (path !== undefined) await removeFile(path);
  }

  /** Removes some of the files to free this many bytes; returns the number of freed bytes. */
  async free(bytes: number): Promise<number> {
    let freed = 0;
    for (const [tabletId, path] of [...this.#paths]) {
      if (freed >= bytes) break;
      freed += occupiedBytes(await stat(path).catch(() => undefined));
      await this.remove(tabletId);
    }
    return freed;
  }
}

/** Undefined if the file has another length than its sidecar says. */
async function fileAt(tabletId: TabletId, path: string): Promise<TabletFile | undefined> {
  const { bytes, kind, chunks } = JSON.parse(await readFile(sidecarPath(path), 'utf8')) as Sidecar;
  const status = await stat(path);
  if (status.size !== bytes) return undefined;
  const file = new TabletFile(tabletId, path, bytes, kind, ChunkSet.fromData(chunks));
  file.filledBytes = occupiedBytes(status);
  return file;
}

const BLOCK_BYTES = 512;
const occupiedBytes = (status: Stats | undefined): number => (status?.blocks ?? 0) * BLOCK_BYTES;

async function removeFile(path: string): Promise<void> {
  await rm(sidecarPath(path), { force: true });
  await rm(path, { force: true });
}
