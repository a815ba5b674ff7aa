import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action, ObjectId, TableObject, Tablet } from '@tessera/catalog';
import { createLogging, ownCommitIds } from '@tessera/common';
import { defaultConfig } from '@tessera/config';
import { openLocalStore } from '@tessera/object-store';
import { openStorageManager } from '../src/index.ts';
import { table, tablet } from '../test/transactions.ts';

/**
 * Measures a catalog of 100,000 tablets with statistics of 16 columns: opening it, and commits on it while
 * checkpoints are written.
 */
const TABLES = 1_000;
const TABLETS = 100_000;
const COLUMNS = 16;
const root = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'tessera-large-'));
const log = createLogging({ level: 'warn', format: 'text', components: [], sinks: null }).logger(
  'storage-manager',
);
const store = await openLocalStore(root);
const open = (tuning = {}) =>
  openStorageManager({ store, config: defaultConfig(), exclusive: true, log, tuning });
const tables = Array.from({ length: TABLES }, (_, i) => wideTable(`t${i}`));

let manager = await open();
await commit(tables.map((object) => ({ kind: 'create', object })));
for (let i = 0; i < TABLETS; i += 1_000) {
  await commit(
    Array.from({ length: 1_000 }, (_, k) => ({
      kind: 'add_tablet',
      tablet: wideTablet(tables[(i + k) % TABLES]!.id, i + k),
    })),
  );
}
await manager.close();

manager = await open({ checkpointEntries: 1 });
await commit([]);
await new Promise((resolve) => setTimeout(resolve, 5_000));
await manager.close();

let start = performance.now();
manager = await open();
report('opened from a checkpoint', performance.now() - start);
start = performance.now();
const snapshot = await manager.latest();
const count = snapshot.tablets(tables[7]!.id).length;
report(`tablets of one table of ${count}`, performance.now() - start);
const took: number[] = [];
for (let i = 0; i < 2_000; i++) {
  start = performance.now();
  await commit([{ kind: 'add_tablet', tablet: wideTablet(tables[i % TABLES]!.id, i) }]);
  took.push(performance.now() - start);
}
took.sort((a, b) => a - b);
for (const share of [0.5, 0.99, 1]) {
  report(`commit, p${share * 100}`, took[Math.ceil(took.length * share) - 1]!);
}
await manager.close();
await store.close();
await rm(root, { recursive: true });

function report(what: string, ms: number): void {
  process.stdout.write(`${what}: ${ms.toFixed(1)} ms\n`);
}

async function commit(actions: readonly Action[]): Promise<void> {
  const { version: readVersion } = await manager.latest();
  await manager.commit({ ...ownCommitIds(), readVersion, actions });
}

function wideTable(name: string): TableObject {
  const columns = Array.from({ length: COLUMNS }, (_, i) => ({
    id: i + 1,
    name: `c${i}`,
    storedName: `c${i}`,
    type: 'BIGINT',
    nullable: true,
    since: 1,
  }));
  return table(name, { columns, nextColumnId: COLUMNS + 1 });
}

function wideTablet(tableId: ObjectId, seed: number): Tablet {
  const statistics = Array.from({ length: COLUMNS }, (_, i) => ({
    column: i + 1,
    min: String(seed * 7_919 * (i + 1)),
    max: String(seed * 7_919 * (i + 1) + 1_000_000),
    nulls: i,
  }));
  return tablet(tableId, {
    layout: 'wide',
    rows: 1_000_000,
    bytes: 30_000_000,
    uncompressedBytes: 120_000_000,
    granules: 9,
    headerOffset: 29_000_000,
    footerOffset: 29_500_000,
    tailCrc32c: seed,
    statistics,
  });
}
