import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import { expect, it } from 'vitest';
import { EngineCluster, type NodePlace, placeOf } from '../cluster/engine-cluster.ts';
import { startSharedStore } from '../cluster/shared-store.ts';
import { query, rows } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';

const ROWS = 30_000;
const ON_ALL_NODES = {
  min_distributed_bytes: '0',
  whole_table_bytes: '0',
  broadcast_limit_bytes: '0',
  output_format: 'JSON_Compact',
};
const JOIN = 'SELECT count(*)::int, sum(a.n)::int FROM facts a JOIN facts b ON a.n = b.n';
const POLL = { timeout: 60_000, interval: 100 };

/**
 * The number of tasks in the widest stage of a query that the node runs; 0 if the query is not distributed.
 */
async function tasksOf(node: TesseraProcess): Promise<number> {
  const answer = await query(node, `EXPLAIN (ANALYZE) ${JOIN}`, ON_ALL_NODES);
  return Math.max(
    0,
    ...[...answer.text.matchAll(/stage \d+: (\d+) tasks?/g)].map(([, tasks]) => Number(tasks)),
  );
}

async function answersOf(cluster: EngineCluster, ...nodes: readonly number[]): Promise<unknown[]> {
  return Promise.all(
    nodes.map(async (n) => (await query(cluster.node(n), JOIN, ON_ALL_NODES)).json().data[0]),
  );
}

it('answers are correct while a cluster grows and shrinks and its nodes have different lists', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-scaled-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const store = stack.use(await startSharedStore());
  const places = [await placeOf('127.0.0.1'), await placeOf('127.0.0.2')];
  const id = newUlid();
  const file = async (nodes: readonly NodePlace[]): Promise<string> => {
    const path = join(directory, `${nodes.length}.json`);
    const storage = { type: 'minio', minio: { endpoint: store.endpoint } };
    const config = { schema_version: '1.0', instance: { id }, storage, engine: { nodes } };
    await writeFile(path, JSON.stringify(config));
    return path;
  };
  const [one, both] = [await file(places.slice(0, 1)), await file(places)];
  const cluster = stack.use(await EngineCluster.open({ nodes: 2, store, places }));
  const start = (n: number, list: string) => cluster.startNode(n, { args: ['--config', list] });
  const seenBy = async (n: number) =>
    (await rows(cluster.node(n), 'SELECT status FROM information_schema.nodes ORDER BY node_name')).flat();
  const insert = async (n: number, from: number, to: number) => {
    const sql = `INSERT INTO facts SELECT n FROM generate_series(${from}, ${to}) AS g(n)`;
    const answer = await query(cluster.node(n), sql);
    expect(answer.status, answer.text).toBe(200);
  };

  await start(0, one);
  await query(cluster.node(0), 'CREATE TABLE facts (n BIGINT)');
  for (let part = 0; part < 4; part++) await insert(0, 1 + (part * ROWS) / 4, ((part + 1) * ROWS) / 4);
  // The new node starts first; the old one does not know it, but runs tasks for it.
  await start(1, both);
  await expect.poll(() => seenBy(1), POLL).toEqual(['RUNNING', 'RUNNING']);
  expect(await seenBy(0)).toEqual(['RUNNING']);
  let expected = [ROWS, (ROWS * (ROWS + 1)) / 2];
  expect(await answersOf(cluster, 0, 1)).toEqual([expected, expected]);
  expect(await tasksOf(cluster.node(1))).toBe(2);
  expect(await tasksOf(cluster.node(0))).toBe(0);
  await insert(1, ROWS + 1, ROWS + 1);
  expected = [ROWS + 1, expected[1]! + ROWS + 1];
  expect(await answersOf(cluster, 0, 1)).toEqual([expected, expected]);
  // Then the old node is restarted.
  expect(await cluster.stop(0)).toBe(0);
  await start(0, both);
  await expect.poll(() => seenBy(0), POLL).toEqual(['RUNNING', 'RUNNING']);
  expect(await answersOf(cluster, 0, 1)).toEqual([expected, expected]);
  // In reverse, the last node stops while the first one still lists it.
  expect(await cluster.stop(1)).toBe(0);
  expect(await answersOf(cluster, 0)).toEqual([expected]);
}, 180_000);
