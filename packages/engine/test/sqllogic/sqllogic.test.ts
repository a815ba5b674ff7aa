import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { HttpDatabase } from './http-database.ts';
import { runFile } from './run-file.ts';

const FILES = join(import.meta.dirname, 'files');
const OPTIONS = { tolerance: 1e-9, checkTypes: true, asSqlite: false };
/** Settings with which every query is distributed and no table is read whole. */
const SPREAD = { min_distributed_bytes: '0', whole_table_bytes: '0' };
const FILE_MS = 120_000;

describe.each([1, 3])('files of SQL on %i nodes', (nodes) => {
  let cluster: EngineCluster;
  let database: HttpDatabase;

  beforeAll(async () => {
    cluster = await EngineCluster.start({ nodes });
    database = new HttpDatabase(
      cluster.places.map((_, n) => cluster.node(n)),
      SPREAD,
    );
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it.each(readdirSync(FILES))(
    '%s',
    async (file) => {
      const { failures, passed } = await runFile(
        await readFile(join(FILES, file), 'utf8'),
        database,
        OPTIONS,
      );
      expect(failures).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    },
    FILE_MS,
  );
});
