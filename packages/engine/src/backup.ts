import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogging, type Logging } from '@tessera/common';
import { type EngineConfig, storageIsLocal } from '@tessera/config';
import { type ObjectStore, openObjectStore, openStoreAt } from '@tessera/object-store';
import type { ClusterTlsFiles } from '@tessera/rpc';
import {
  type CopyProgress,
  holdGarbage,
  locationCredentialsOf,
  readCatalog,
  restoreBackup,
  takeBackup,
} from '@tessera/storage-manager';
import { lockDataDirectory } from './data-directory.ts';
import { nodeCredentials } from './node-credentials.ts';

export interface CopyCommand {
  readonly config: EngineConfig;
  /** The absolute path of the directory with the tables, if the configuration names no storage. */
  readonly dataDirectory: string;
  /** A directory or a URL. */
  readonly place: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** Copies the newest version of all tables to a place while nodes continue to run. Returns the report. */
export async function backUp(
  command: CopyCommand & { readonly clusterTls: ClusterTlsFiles },
): Promise<string[]> {
  const { config, dataDirectory, place, clusterTls } = command;
  await using resources = new AsyncDisposableStack();
  const log = openLogging(config, resources).logger('backup');
  const locations = locationCredentialsOf(() => readCatalog(source, log));
  const source: ObjectStore = await openObjectStore(config, { dataDirectory, locations });
  resources.defer(() => source.close());
  const target = await openStoreAt(place, config);
  resources.defer(() => target.close());
  const hold = await holdGarbage(source, config, nodeCredentials(clusterTls), log);
  resources.defer(async () => hold.release());
  const scratch = await scratchDirectory(resources);
  const { manifest, copied, copiedBytes } = await takeBackup({
    ...command,
    source,
    target,
    hold,
    scratch,
    log,
  });
  const { version, objects, takenAt } = manifest;
  return [
    `Version ${version} of ${source.url}, ${objects.length} objects, is in ${target.url} (${takenAt}).`,
    `Copied ${copied} objects, ${copiedBytes} bytes; the others were there already.`,
  ];
}

/** Restores a backup into the empty store of a configuration. Returns the report. */
export async function restore(command: CopyCommand): Promise<string[]> {
  const { config, dataDirectory, place } = command;
  await using resources = new AsyncDisposableStack();
  if (storageIsLocal(config)) resources.defer(await lockDataDirectory(dataDirectory));
  const backup = await openStoreAt(place, config);
  resources.defer(() => backup.close());
  const target = await openObjectStore(config, { dataDirectory });
  resources.defer(() => target.close());
  const scratch = await scratchDirectory(resources);
  const { version, objects, takenAt } = await restoreBackup({ ...command, backup, target, scratch });
  return [`Version ${version} of ${takenAt}, ${objects.length} objects, is in ${target.url}.`];
}

/** Reads a complete backup and verifies its checksums. */
export async function checkBackup(command: CopyCommand): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const backup = await openStoreAt(command.place, command.config);
  resources.defer(() => backup.close());
  const scratch = await scratchDirectory(resources);
  const { version, objects, takenAt } = await restoreBackup({
    ...command,
    backup,
    target: undefined,
    scratch,
  });
  return [`Version ${version} of ${takenAt}, ${objects.length} objects: whole and undamaged.`];
}

function openLogging(config: EngineConfig, resources: AsyncDisposableStack): Logging {
  const logging = createLogging(config.logging, {
    colour: process.stderr.isTTY === true,
    fields: { engine: config.engine.id },
  });
  resources.defer(() => logging.close());
  return logging;
}

async function scratchDirectory(resources: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-backup-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
