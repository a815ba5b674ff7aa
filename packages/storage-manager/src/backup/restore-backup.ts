import { fail } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { encodeBoundary } from '../log-node/boundary.ts';
import { IDENTITY_KEY } from '../log-node/identity.ts';
import { BOUNDARY_KEY } from '../log-node/log-keys.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';
import { copyObject } from './copy-object.ts';
import { inParallel } from './in-parallel.ts';
import type { CopyProgress } from './take-backup.ts';

export interface RestoreOptions {
  readonly backup: ObjectStore;
  /** If undefined, the backup is only read and verified against its checksums. */
  readonly target: ObjectStore | undefined;
  readonly scratch: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/**
 * Restores a backup into an empty store, or resumes an interrupted restore. The boundary is written first and
 * the checkpoint last: with the boundary alone, no node takes the store for an empty one.
 * @throws TesseraError INVALID_ARGUMENT if there is no complete backup, an object of it is damaged, or the
 * target is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { backup, target } = options;
  const manifest = await readManifest(backup);
  const { checkpoint, objects } = manifest;
  if (target !== undefined) await claim(target, manifest);
  const there = target === undefined ? new Map<string, number>() : await bytesIn(target);
  const missing = objects.filter(({ key, bytes }) => there.get(key) !== bytes);
  let [done, bytes] = [0, 0];
  const copy = { ...options, from: backup, to: target };
  await inParallel(missing, options.concurrency, async (object) => {
    await copyObject(object.key, copy, object);
    done++;
    bytes += object.bytes;
    options.onProgress?.({ objects: done, total: missing.length, bytes });
  });
  await copyObject(checkpoint.key, copy, checkpoint);
  return manifest;
}

/** Reserves an empty store for this backup. */
async function claim(target: ObjectStore, { version, checkpoint }: BackupManifest): Promise<void> {
  const boundary = encodeBoundary({ version, checkpoint: checkpoint.key });
  const found = await target.get(BOUNDARY_KEY);
  if (found === undefined) {
    for await (const { key } of target.list('')) if (key !== IDENTITY_KEY) refuse(target, key);
    if ((await target.putIfAbsent(BOUNDARY_KEY, boundary)) === 'exists') refuse(target, BOUNDARY_KEY);
    return;
  }
  const isBegun = Buffer.from(boundary).equals(found.body);
  if (!isBegun || (await target.head(checkpoint.key)) !== undefined) refuse(target, BOUNDARY_KEY);
}

async function bytesIn(target: ObjectStore): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, bytes } of target.list('')) found.set(key, bytes);
  return found;
}

function refuse(target: ObjectStore, key: string): never {
  return fail('INVALID_ARGUMENT', {
    message: `${target.url} is not empty: it holds ${key}. A backup is restored to where nothing is: another instance.id, bucket or data directory`,
  });
}
