import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { type SharedStore, startSharedStore } from './shared-store.ts';

/** Two nodes without `engine.nodes` over one bucket, on ports that they choose themselves. */
let store: SharedStore;
let directory: string;
let config: string;
let leader: TesseraProcess;

beforeAll(async () => {
  store = await startSharedStore();
  directory = await mkdtemp(join(tmpdir(), 'tessera-alone-'));
  config = join(directory, 'engine.json');
  await writeFile(
    config,
    JSON.stringify({
      schema_version: '1.0',
      instance: { id: newUlid() },
      storage: { type: 'minio', minio: { endpoint: store.endpoint } },
    }),
  );
  leader = await start('a-token-of-these-tests');
  await write(leader, 'CREATE TABLE t (a INTEGER)');
}, 180_000);

afterAll(async () => {
  await leader?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const start = (token: string): Promise<TesseraProcess> =>
  startTessera({ args: ['--config', config], env: { ...store.env, TESSERA_CLUSTER_TOKEN: token } });

async function write(node: TesseraProcess, sql: string): Promise<void> {
  const { status, text } = await query(node, sql);
  expect(status, text).toBe(200);
}

it('a second node with the same token finds the address of the leader and writes through it', async () => {
  await using second = await start('a-token-of-these-tests');
  await write(second, 'INSERT INTO t VALUES (1)');
  await write(leader, 'INSERT INTO t VALUES (2)');
  expect(await rows(second, 'SELECT sum(a)::int FROM t')).toEqual([[3]]);
  expect(await rows(leader, 'SELECT sum(a)::int FROM t')).toEqual([[3]]);
});

it('a second node with another token is refused at startup with the reason', async () => {
  await expect(start('another-token-of-tests')).rejects.toThrow(
    /leads the metadata log of s3:.* and has another cluster token.*TESSERA_CLUSTER_TOKEN/,
  );
});
