import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { openLocalStore } from './local-store.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tessera-local-store-'));
});

afterAll(() => rm(root, { recursive: true }));

describeStoreConformance('local directory', {
  open: async () => openLocalStore(await mkdtemp(join(root, 'conformance-')), { fsync: false }),
  largeFileBytes: 20_000_000,
});
