import { fail } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';

/** An object of the backup, under the key that it has in the store. */
export interface BackedUpObject {
  readonly key: string;
  readonly bytes: number;
  /** The checksum in hexadecimal. */
  readonly sha256: string;
}

/** The content of a backup: one version of the catalog with all objects that it refers to. */
export interface BackupManifest {
  readonly format: 1;
  /** The version of the catalog. */
  readonly version: number;
  readonly takenAt: string;
  /** The store that was backed up. */
  readonly source: string;
  /** The checkpoint of the catalog at that version. */
  readonly checkpoint: BackedUpObject;
  readonly objects: readonly BackedUpObject[];
}

/** The manifest is written last; without it there is no backup. */
const MANIFEST_KEY = 'backup.json';
/** The list of objects that are already copied while a backup is being taken. */
const PROGRESS_KEY = 'backup-progress.json';

/** Reads the manifest. @throws TesseraError INVALID_ARGUMENT if there is no complete backup */
export async function readManifest(store: ObjectStore): Promise<BackupManifest> {
  const found = await store.get(MANIFEST_KEY);
  if (found !== undefined) return decoded(found.body, `${store.url}/${MANIFEST_KEY}`) as BackupManifest;
  const begun = (await store.head(PROGRESS_KEY)) !== undefined;
  return fail('INVALID_ARGUMENT', {
    message: begun
      ? `${store.url} holds a backup that was not finished: take it again, which goes on where it ended`
      : `${store.url} holds no backup`,
  });
}

/** The objects that earlier backups to this place have copied; undefined if there was no backup. */
export async function copiedBefore(store: ObjectStore): Promise<readonly BackedUpObject[] | undefined> {
  const found = await Promise.all([MANIFEST_KEY, PROGRESS_KEY].map((key) => store.get(key)));
  const there = found.filter((object) => object !== undefined);
  if (there.length === 0) return undefined;
  return there.flatMap(({ body }) => decoded(body, store.url).objects);
}

export const writeManifest = (store: ObjectStore, manifest: BackupManifest): Promise<void> =>
  store.put(MANIFEST_KEY, encoded(manifest));

export const writeProgress = (store: ObjectStore, objects: readonly BackedUpObject[]): Promise<void> =>
  store.put(PROGRESS_KEY, encoded({ format: 1, objects }));

export const removeProgress = (store: ObjectStore): Promise<void> => store.delete([PROGRESS_KEY]);

type Decoded = Pick<BackupManifest, 'format' | 'objects'>;

const encoded = (value: Decoded): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`);

function decoded(body: Uint8Array, where: string): Decoded {
  const value = JSON.parse(new TextDecoder().decode(body)) as Decoded;
  if (value.format === 1) return value;
  return fail('INVALID_ARGUMENT', {
    message: `${where} has format ${String(value.format)}; this version reads format 1`,
  });
}
