import { createHash } from 'node:crypto';
import { type CatalogState, encodeCheckpoint, withNames } from '@tessera/catalog';
import { fail, type Logger, newUlid, TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { encodeBoundary } from '../log-node/boundary.ts';
import { BOUNDARY_KEY, CHECKPOINT_PREFIX, checkpointKey, LOG_PREFIX } from '../log-node/log-keys.ts';
import { LOG_NODE_DEFAULTS } from '../log-node/options.ts';
import { LogNodeDriver } from '../log-node-driver.ts';
import { STORAGE_MANAGER_TIMES } from '../times.ts';
import {
  type BackedUpObject,
  type BackupManifest,
  copiedBefore,
  removeProgress,
  writeManifest,
  writeProgress,
} from './backup-manifest.ts';
import { copyObject } from './copy-object.ts';
import type { GarbageHold } from './garbage-hold.ts';
import { inParallel } from './in-parallel.ts';

export interface BackupOptions {
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  readonly hold: GarbageHold;
  /** A directory for temporary files. */
  readonly scratch: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called after each object. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

export interface CopyProgress {
  readonly objects: number;
  readonly total: number;
  readonly bytes: number;
}

export interface TakenBackup {
  readonly manifest: BackupManifest;
  /** The number of objects that were not already in the target. */
  readonly copied: number;
  readonly copiedBytes: number;
}

/** The key prefixes of objects that the catalog refers to. */
const DATA_PREFIXES = ['tablets/', 'dv/'];
/** The number of versions to try if objects of one are garbage-collected during the backup. */
const MAX_VERSIONS = 5;
const PROGRESS_EVERY = 500;

/**
 * Copies the newest version and all objects that it refers to, while nodes continue to write. Committed
 * objects never change, so only their deletion can interfere. The hold prevents that; without it the backup
 * restarts with a newer version. A backup to the place of an earlier one copies what is missing and replaces
 * the manifest at the end.
 * @throws TesseraError INVALID_ARGUMENT if there is nothing to back up, or the target is neither empty nor a
 * backup
 */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { source, target, hold, log, signal } = options;
  const copies = await knownCopies(target);
  await writeProgress(target, [...copies.values()]);
  // The hold begins before the version is known, so that nothing is deleted from here on.
  const isHeld = await hold.from(0);
  if (!isHeld)
    log.warn(
      {},
      'the leader of the metadata log could not be reached: if objects are collected during the backup, it starts again',
    );
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const catalog = await readCatalog(source, log);
    if (catalog.version === 0) {
      fail('INVALID_ARGUMENT', {
        message: `${source.url} holds no metadata log: there is nothing to back up`,
      });
    }
    await hold.from(catalog.version);
    try {
      return await copyVersion(catalog, copies, options);
    } catch (error) {
      const isGone = error instanceof TesseraError && error.name === 'OBJECT_NOT_FOUND';
      if (!isGone || attempt === MAX_VERSIONS) throw error;
      log.warn(
        { version: catalog.version },
        'objects of this version have been deleted: backing up the newest version instead',
      );
    }
  }
}

/** The objects that are already in the target, by key. */
async function knownCopies(target: ObjectStore): Promise<Map<string, BackedUpObject>> {
  const before = await copiedBefore(target);
  if (before === undefined) {
    for await (const { key } of target.list(''))
      fail('INVALID_ARGUMENT', { message: `${target.url} is not empty and no backup: it holds ${key}` });
    return new Map();
  }
  for await (const { key } of target.list(LOG_PREFIX))
    fail('INVALID_ARGUMENT', { message: `${target.url} is a store in use: it holds ${key}` });
  const bytes = new Map<string, number>();
  for (const prefix of DATA_PREFIXES)
    for await (const info of target.list(prefix)) bytes.set(info.key, info.bytes);
  const there = before.filter((object) => bytes.get(object.key) === object.bytes);
  return new Map(there.map((object) => [object.key, object]));
}

/**
 * The key of an object in a backup. Tablets at the location of a table are copied to where those of other tables are, and a
 * restored catalog refers to them there: it must not share objects with the catalog that was backed up.
 */
const keyInBackup = (name: string): string => name.replace(/^.*\/(?=tablets\/[^/]*\/[^/]*$)/, '');

async function copyVersion(
  original: CatalogState,
  copies: Map<string, BackedUpObject>,
  options: BackupOptions,
): Promise<TakenBackup> {
  const { source, target } = options;
  const catalog = withNames(original, keyInBackup);
  const names = new Map([...original.objectNames()].map((name) => [keyInBackup(name), name]));
  const missing = [...names].filter(([name]) => !copies.has(name));
  let [done, copiedBytes] = [0, 0];
  await inParallel(missing, options.concurrency, async ([as, name]) => {
    const copied = await copyObject(name, { ...options, from: source, to: target, as });
    copies.set(as, copied);
    done++;
    copiedBytes += copied.bytes;
    options.onProgress?.({ objects: done, total: missing.length, bytes: copiedBytes });
    if (done % PROGRESS_EVERY === 0) await writeProgress(target, [...copies.values()]);
  });
  const manifest: BackupManifest = {
    format: 1,
    version: catalog.version,
    takenAt: new Date().toISOString(),
    source: source.url,
    checkpoint: await storeCheckpoint(catalog, target),
    objects: [...names.keys()].map((name) => copies.get(name)!),
  };
  await writeManifest(target, manifest);
  await removeProgress(target);
  await removeOthers(target, manifest);
  return { manifest, copied: done, copiedBytes };
}

async function storeCheckpoint(catalog: CatalogState, target: ObjectStore): Promise<BackedUpObject> {
  const { version } = catalog;
  const key = checkpointKey(version, newUlid());
  const body = encodeCheckpoint(catalog);
  await target.put(key, body);
  await target.put(BOUNDARY_KEY, encodeBoundary({ version, checkpoint: key }));
  return { key, bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') };
}

/** Removes objects that only earlier backups needed. */
async function removeOthers(target: ObjectStore, { checkpoint, objects }: BackupManifest): Promise<void> {
  const needed = new Set([checkpoint.key, ...objects.map(({ key }) => key)]);
  const others: string[] = [];
  for (const prefix of [...DATA_PREFIXES, CHECKPOINT_PREFIX])
    for await (const { key } of target.list(prefix)) if (!needed.has(key)) others.push(key);
  if (others.length > 0) await target.delete(others);
}

/** Reads the newest committed version from the store without asking a node. Writes nothing. */
export async function readCatalog(store: ObjectStore, log: Logger): Promise<CatalogState> {
  const node = { ...LOG_NODE_DEFAULTS, incarnation: newUlid(), address: '', candidate: false };
  const reader = new LogNodeDriver({ store, log, node });
  try {
    reader.start();
    return await reader.latest(STORAGE_MANAGER_TIMES.readTimeoutMs);
  } finally {
    await reader.close(0);
  }
}
