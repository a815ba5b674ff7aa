import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workload } from '@tessera/workloads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from '../options.ts';
import { cpuSeconds } from '../processes/cpu-time.ts';
import { PlainDuckDb } from '../processes/plain-duckdb.ts';
import { ApiPeer } from './api-peer.ts';
import { chosenPeers, PEER_KINDS } from './peers.ts';

const ROWS = [
  ['1', '10.50', '2020-02-29', '0.5', 'plain'],
  ['2', '-0.01', '1969-12-31', undefined, 'a "quoted", one\nof two lines\t\\N'],
  ['3', '0.00', '1998-12-01', '-2', ''],
];
const QUERY = 'SELECT t_key, price, day, ratio, name FROM things ORDER BY t_key';
const LIMIT_MS = 20_000;

const workload: Workload = {
  name: 'things',
  title: 'Things',
  scaleUnit: '3 rows',
  tables: [
    {
      name: 'things',
      columns: [
        { name: 't_key', type: 'integer', nullable: false },
        { name: 'price', type: 'numeric(15,2)', nullable: false },
        { name: 'day', type: 'date', nullable: false },
        { name: 'ratio', type: 'double precision', nullable: true },
        { name: 'name', type: 'text', nullable: false },
      ],
      sortKey: ['t_key'],
    },
  ],
  queries: [{ name: 'q01', sql: QUERY }],
  generate: async ({ directory }) => {
    const duckdb = new PlainDuckDb();
    const rows = ROWS.map(
      (row) => `(${row.map((v) => (v === undefined ? 'NULL' : `'${v.replaceAll("'", "''")}'`)).join()})`,
    );
    await duckdb.run(
      `COPY (SELECT a::INTEGER AS t_key, b::DECIMAL(15, 2) AS price, c::DATE AS day, d::DOUBLE AS ratio, e AS name FROM (VALUES ${rows.join()}) AS v(a, b, c, d, e)) TO '${join(directory, 'things.parquet')}' (FORMAT parquet)`,
    );
    await duckdb.stop();
  },
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loadtest-peers-'));
  await chmod(directory, 0o755);
  await workload.generate({ scale: 1, directory });
});
afterAll(() => rm(directory, { recursive: true }));

const kinds = [
  { name: 'an endpoint of this API', missing: async () => undefined, start: ApiPeer.start },
  ...PEER_KINDS,
];

test.for(kinds)(
  '$name has the same rows, before and after a restart',
  { timeout: 120_000 },
  async ({ missing, start }, { skip }) => {
    const reason = await missing();
    if (reason !== undefined) skip(reason);
    const peer = await start();
    try {
      await peer.load(workload, directory, () => {});
      expect((await peer.run(QUERY, LIMIT_MS)).values).toEqual(ROWS);
      expect(await peer.storedBytes().then((bytes) => bytes === undefined || bytes > 0)).toBe(true);
      expect(cpuSeconds(peer.pid!)).toBeGreaterThan(0);
      await peer.restart?.();
      expect((await peer.run(QUERY, LIMIT_MS)).values).toEqual(ROWS);
      await expect(peer.run('SELECT nothing FROM nowhere', LIMIT_MS)).rejects.toThrow(/nowhere|nothing/);
    } finally {
      await peer.stop();
    }
  },
);

test('a query that takes too long is broken off, and the next one runs', async () => {
  const [duckdb] = await chosenPeers({ ...DEFAULT_OPTIONS, peers: ['duckdb'] });
  const peer = await duckdb!.start();
  try {
    const endless = 'SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b';
    await expect(peer.run(endless, 50)).rejects.toThrow('not done after 0.05 s');
    expect((await peer.run('SELECT 42', LIMIT_MS)).values).toEqual([['42']]);
  } finally {
    await peer.stop();
  }
});

test('names unknown peers; `all` means the peers that can run here', async () => {
  await expect(chosenPeers({ ...DEFAULT_OPTIONS, peers: ['oracle'] })).rejects.toThrow(
    '--peers: oracle is none of duckdb, parquet, clickhouse, postgres, all, none',
  );
  const all = await chosenPeers({ ...DEFAULT_OPTIONS, peers: ['all'] });
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['duckdb', 'parquet']));
  expect(await chosenPeers({ ...DEFAULT_OPTIONS, peers: [] })).toEqual([]);
});
