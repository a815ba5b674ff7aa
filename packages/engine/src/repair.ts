import { createLogging, fail } from '@tessera/common';
import { type EngineConfig, storageIsLocal } from '@tessera/config';
import { type ObjectStore, openObjectStore } from '@tessera/object-store';
import type { ClusterTlsFiles } from '@tessera/rpc';
import {
  type DamagedTable,
  type Inspection,
  inspectTables,
  locationCredentialsOf,
  openStorageManager,
  readCatalog,
  removeLostTablets,
} from '@tessera/storage-manager';
import { lockDataDirectory } from './data-directory.ts';
import { nodeCredentials } from './node-credentials.ts';

export interface RepairCommand {
  readonly config: EngineConfig;
  /** The absolute path of the directory with the tables, if the configuration names no storage. */
  readonly dataDirectory: string;
  /** Whether lost tablets are removed from the catalog; otherwise they are only reported. */
  readonly apply: boolean;
  readonly clusterTls: ClusterTlsFiles;
  readonly signal: AbortSignal;
}

/** Compares the catalog with the objects of the store. Returns the lines of the report. */
export async function repair(command: RepairCommand): Promise<string[]> {
  const { config, dataDirectory, apply, signal } = command;
  await using resources = new AsyncDisposableStack();
  const logging = createLogging(config.logging, {
    colour: process.stderr.isTTY === true,
    fields: { engine: config.engine.id },
  });
  resources.defer(() => logging.close());
  const log = logging.logger('repair');
  const exclusive = storageIsLocal(config) && config.instance.type !== 'multi_engine';
  if (apply && exclusive) resources.defer(await lockDataDirectory(dataDirectory));
  const locations = locationCredentialsOf(() => readCatalog(store, log));
  const store: ObjectStore = await openObjectStore(config, { dataDirectory, locations });
  resources.defer(() => store.close());
  const catalog = await readCatalog(store, log);
  if (catalog.version === 0)
    fail('INVALID_ARGUMENT', { message: `${store.url} holds no metadata log: there is nothing to repair` });
  if (!apply) {
    const inspection = await inspectTables(catalog, store, signal);
    return [...report(inspection, store.url), ...nextStep(inspection)];
  }
  // The process has no address, so no client is directed here; it leads only while no node does.
  const credentials = nodeCredentials(command.clusterTls);
  const manager = await openStorageManager({ store, config, exclusive, address: '', ...credentials, log });
  resources.defer(() => manager.close());
  const { removed, after } = await removeLostTablets(manager, store, signal);
  return [...report(removed, store.url), ...outcome(removed, after)];
}

function report({ version, tables, tablets, damaged }: Inspection, url: string): string[] {
  return [
    `Version ${version} of ${url}: ${count(tables, 'table')}, ${count(tablets, 'tablet')}.`,
    ...damaged.flatMap(tableReport),
    ...(damaged.length === 0 ? ['No object is missing.'] : []),
  ];
}

const MISSING = {
  rows: 'the rows',
  'deletion vector': 'the record of which rows are deleted',
  index: 'partial rows of an aggregating index; no row is lost, and VACUUM computes them again',
};

function tableReport({ name, table, tablets, liveRows, lost }: DamagedTable): string[] {
  const ofTable = lost.filter(({ what }) => what !== 'index').length;
  return [
    `Table ${name} (${table.id}): ${ofTable} of ${count(tablets, 'tablet')} lost, with ${lostRows(lost)} of ${count(liveRows, 'row')}.`,
    ...lost.map(
      (one) =>
        `  tablet ${one.tablet.id}: ${count(one.liveRows, 'row')}; ${one.key} is missing (${MISSING[one.what]})`,
    ),
  ];
}

const nextStep = ({ damaged }: Inspection): string[] =>
  damaged.length === 0
    ? []
    : [
        'Nothing was changed. If you have the missing objects (an earlier version in the bucket, a backup), put them back under their keys.',
        'Otherwise run the command again with --apply: it removes these tablets from the catalog, and the rows counted above are lost for good.',
      ];

function outcome(removed: Inspection, after: Inspection): string[] {
  if (removed.damaged.length === 0) return [];
  const lost = removed.damaged.flatMap((table) => table.lost);
  return [
    `Removed ${count(lost.length, 'tablet')} with ${count(lostRows(lost), 'row')}; version ${after.version} has ${count(after.tablets, 'tablet')}.`,
    after.damaged.length === 0
      ? 'No object is missing now.'
      : `Objects went missing meanwhile (${after.damaged.map(({ name }) => name).join(', ')}): run it again.`,
  ];
}

const lostRows = (lost: DamagedTable['lost']): number =>
  lost.reduce((sum, { liveRows }) => sum + liveRows, 0);

const count = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`;
