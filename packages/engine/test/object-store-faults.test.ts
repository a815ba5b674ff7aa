import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import {
  credentialsOf,
  type FaultRule,
  type RadosgwBehindFaults,
  radosgwIsInstalled,
  type S3Server,
  startProgram,
  startRadosgwBehindFaults,
} from './store-servers.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const SLOW_DOWN: FaultRule['fault'] = { kind: 'answer', status: 503, code: 'SlowDown' };
const LOG = { method: 'PUT', path: 'meta/log/' };
/** Enough rows that their tablets are objects and not parts of the log. */
const MANY = 40_000;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-store-faults-'));
});

afterAll(() => rm(directory, { recursive: true }));

async function configFile(name: string, endpoint: string, more: object = {}): Promise<string> {
  const path = join(directory, `${name}.json`);
  const storage = { type: 'minio', minio: { endpoint }, upload_max_tries: 6 };
  await writeFile(path, JSON.stringify({ schema_version: '1.0', storage, ...more }));
  return path;
}

describe.skipIf(!radosgwIsInstalled)(
  radosgwIsInstalled
    ? 'tables in S3, with faults'
    : 'tables in S3, with faults: skipped, radosgw is not installed',
  () => {
    let store: RadosgwBehindFaults;
    let node: TesseraProcess;

    /** A node that only knows the bucket and the token that all nodes of the bucket share. */
    const startNode = async () =>
      startTessera({
        args: ['--config', await configFile('s3', store.endpoint)],
        env: { ...store.env, TESSERA_CLUSTER_TOKEN: 'a-token-for-the-nodes-of-one-bucket' },
      });

    beforeAll(async () => {
      store = await startRadosgwBehindFaults();
      node = await startNode();
    });

    afterEach(() => store.set());

    afterAll(async () => {
      await node?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    });

    const run = async (sql: string) => {
      const answer = await query(node, sql);
      expect(answer.status, answer.text).toBe(200);
    };
    const fill = (table: string, from: number, to: number) =>
      run(`INSERT INTO ${table} SELECT x, md5(x::text) FROM generate_series(${from}, ${to}) g(x)`);
    const sums = async (table: string, on = node) =>
      (await rows(on, `SELECT count(*)::int, sum(a)::int FROM ${table}`))[0];

    it('continues if 30 % of all requests are answered with SlowDown', async () => {
      await run('CREATE TABLE slow (a int, b text) PRIMARY INDEX a');
      await store.set({ fault: SLOW_DOWN, percent: 30 });
      await fill('slow', 1, MANY);
      await run(`DELETE FROM slow WHERE a > ${MANY / 2}`);
      expect(await sums('slow')).toEqual([MANY / 2, ((MANY / 2) * (MANY / 2 + 1)) / 2]);
      expect((await store.caught())[0]).toBeGreaterThan(0);
    });

    it.each<[string, FaultRule['fault'], number]>([
      ['the answer to its entry is lost', { kind: 'reset', passOn: true }, 2],
      [
        'its entry is answered by 409',
        { kind: 'answer', status: 409, code: 'ConditionalRequestConflict' },
        3,
      ],
      [
        'its own entry is answered by 412',
        { kind: 'answer', status: 412, code: 'PreconditionFailed', passOn: true },
        1,
      ],
      [
        'no answer comes but errors',
        { kind: 'answer', status: 500, code: 'InternalError', passOn: true },
        12,
      ],
    ])('commits exactly once when %s', async (_, fault, times) => {
      await run('CREATE TABLE IF NOT EXISTS once (a int)');
      const [before = []] = await rows(node, 'SELECT count(*)::int FROM once');
      await store.set({ ...LOG, fault, times });
      await run('INSERT INTO once VALUES (1)');
      expect(await store.caught()).toEqual([times]);
      expect(await rows(node, 'SELECT count(*)::int FROM once')).toEqual([[Number(before[0]) + 1]]);
    });

    it('acknowledges nothing while the log cannot be written, and goes on when it can', async () => {
      await run('CREATE TABLE cut_off (a int)');
      await store.set({ ...LOG, fault: { kind: 'reset' } });
      let answered = false;
      const insert = query(node, 'INSERT INTO cut_off VALUES (1)').finally(() => {
        answered = true;
      });
      await expect.poll(async () => (await store.caught())[0], { timeout: 20_000 }).toBeGreaterThan(6);
      expect(answered).toBe(false);
      await store.set();
      expect((await insert).status).toBe(200);
      expect(await rows(node, 'SELECT * FROM cut_off')).toEqual([[1]]);
    });

    it('notices tablets that arrive damaged, fetches them once more, and names one that is damaged twice', async () => {
      const damages: FaultRule['fault'][] = [
        { kind: 'flip', share: 0.5 },
        { kind: 'truncate', share: 0.5 },
        { kind: 'truncate', share: 0.5, honestLength: true },
      ];
      for (const n of [0, 1, 2, 3]) {
        await run(`CREATE TABLE damaged${n} (a int, b text) PRIMARY INDEX a`);
        await fill(`damaged${n}`, 1, MANY);
      }
      const all = (n: number) => `SELECT count(*)::int, count(b)::int FROM damaged${n} WHERE length(b) = 32`;
      await using fresh = await startNode();
      for (const [n, fault] of damages.entries()) {
        await store.set({ method: 'GET', path: 'tablets/', fault, times: 1 });
        expect(await rows(fresh, all(n))).toEqual([[MANY, MANY]]);
        expect(await store.caught()).toEqual([1]);
      }
      await store.set({ method: 'GET', path: 'tablets/', fault: damages[0]! });
      const answer = await query(fresh, all(3));
      expect(answer.json().errors[0]).toMatchObject({
        name: 'CORRUPT_TABLET',
        description: expect.stringMatching(/Tablet \S+ of table damaged3 is corrupt/),
      });
      await store.set();
      expect(await rows(fresh, all(3))).toEqual([[MANY, MANY]]);
    });
  },
);

it('refuses to join a cluster on a store that ignores the conditions of writes', async () => {
  const server = await startProgram<S3Server>('s3rver');
  try {
    const nodes = ['127.0.0.1', '127.0.0.2'].map((host) => ({ host }));
    const config = await configFile('s3rver', server.facts.endpoint, { engine: { nodes } });
    const started = startTessera({ args: ['--config', config], env: credentialsOf(server.facts) });
    await expect(started).rejects.toThrow(/cannot hold the metadata of a cluster/);
  } finally {
    await server.stop();
  }
});
