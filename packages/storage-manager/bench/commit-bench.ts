import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tablet } from '@tessera/catalog';
import { createLogging, ownCommitIds } from '@tessera/common';
import { defaultConfig } from '@tessera/config';
import { openLocalStore } from '@tessera/object-store';
import { openStorageManager } from '../src/index.ts';
import { table, tablet } from '../test/transactions.ts';

/**
 * Measures commits per second on a local store with fsync: `node bench/commit-bench.ts [directory]
 * [seconds]`.
 */
const root = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'tessera-commits-'));
const seconds = Number(process.argv[3] ?? 5);
const log = createLogging({ level: 'warn', format: 'text', components: [], sinks: null }).logger(
  'storage-manager',
);
const fact = table('t');
for (const exclusive of [true, false]) {
  const store = await openLocalStore(join(root, String(exclusive)));
  const manager = await openStorageManager({ store, config: defaultConfig(), exclusive, log });
  const commit = async (action: Parameters<typeof manager.commit>[0]['actions'][number]) => {
    const { version: readVersion } = await manager.latest();
    return manager.commit({ ...ownCommitIds(), readVersion, actions: [action] });
  };
  await commit({ kind: 'create', object: fact });
  for (const clients of [1, 32]) {
    const end = performance.now() + seconds * 1_000;
    const before = manager.current!.version;
    let commits = 0;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < end) {
          await commit({ kind: 'add_tablet', tablet: inlineTablet() });
          commits++;
        }
      }),
    );
    const elapsed = (performance.now() - start) / 1_000;
    const entries = manager.current!.version - before;
    process.stdout.write(
      `${exclusive ? 'locked store' : 'shared store'}, ${clients} clients: ${Math.round(commits / elapsed)} commits/s in ${Math.round(entries / elapsed)} entries/s\n`,
    );
  }
  const opening = performance.now();
  await manager.close();
  const again = await openStorageManager({ store, config: defaultConfig(), exclusive, log });
  process.stdout.write(
    `  closed and opened at version ${again.current?.version} in ${Math.round(performance.now() - opening)} ms\n`,
  );
  await again.close();
  await store.close();
}
await rm(root, { recursive: true });

function inlineTablet(): Tablet {
  const { key: _, ...inline } = tablet(fact.id, {
    layout: 'subcompact',
    inline: 'A'.repeat(700),
    bytes: 525,
    headerOffset: 100,
    footerOffset: 200,
    tailCrc32c: 1,
    statistics: [{ column: 1, min: '1', max: '1', nulls: 0 }],
  });
  return inline;
}
