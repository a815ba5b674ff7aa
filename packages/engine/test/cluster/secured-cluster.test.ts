import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from '../certificates.ts';
import { query, rows } from '../http.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { freePorts } from './free-ports.ts';
import { type SharedStore, startSharedStore } from './shared-store.ts';

const TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 100 };
const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

let directory: string;
let ours: Authority;
let strange: Authority;
let store: SharedStore;
let config: string;
let places: { host: string; distexec_port: number; shuffle_port: number }[];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-secured-'));
  store = await startSharedStore();
  places = await Promise.all(
    HOSTS.map(async (host) => {
      const [manager, agent, distexec, shuffle] = (await freePorts(host, 4)) as [
        number,
        number,
        number,
        number,
      ];
      return {
        host,
        storage_manager_port: manager,
        storage_agent_port: agent,
        distexec_port: distexec,
        shuffle_port: shuffle,
      };
    }),
  );
  config = join(directory, 'tessera.json');
  const file = {
    schema_version: '1.0',
    instance: { id: newUlid() },
    storage: { type: 'minio', minio: { endpoint: store.endpoint } },
    engine: { nodes: places },
  };
  await writeFile(config, JSON.stringify(file));
  ours = new Authority(directory, 'ours');
  strange = new Authority(directory, 'strange');
}, TIMEOUT_MS);
afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The environment of a node with a certificate of the authority `by`, which trusts our authority. */
function certified(n: number, by: Authority): Record<string, string> {
  const { cert, key } = by.issue(`node-${n}`, { names: `IP:${HOSTS[n]}` });
  return { TESSERA_CLUSTER_TLS_CA: ours.path, TESSERA_CLUSTER_TLS_CERT: cert, TESSERA_CLUSTER_TLS_KEY: key };
}

const metricsOf = async ({ metricsUrl }: TesseraProcess) => (await fetch(`${metricsUrl}/metrics`)).text();

function start(n: number, env: Record<string, string>): Promise<TesseraProcess> {
  const place = Object.entries(places[n]!).filter(([name]) => name !== 'host');
  const ports = place.flatMap(([name, port]) => [`--${name.replaceAll('_', '-')}`, String(port)]);
  return startTessera({
    args: ['--config', config, '--node', String(n), ...ports],
    env: { ...store.env, ...env },
  });
}

describe('nodes with certificates and no token', () => {
  it(
    'work together and read tablets from each other; a node with a certificate of another authority is refused',
    async () => {
      await using first = await start(0, certified(0, ours));
      await using second = await start(1, certified(1, ours));
      const statuses = (node: TesseraProcess) =>
        rows(node, 'SELECT status FROM information_schema.nodes ORDER BY node_name');
      await expect.poll(() => statuses(first), POLL).toEqual([['RUNNING'], ['RUNNING'], ['UNKNOWN']]);
      await expect.poll(() => statuses(second), POLL).toEqual([['RUNNING'], ['RUNNING'], ['UNKNOWN']]);
      // The commit goes to the leader over TLS, and the query's tasks and their outputs travel over TLS as
      // well.
      await query(second, 'CREATE TABLE t AS SELECT n, n % 5 AS k FROM generate_series(1, 1000) AS g(n)');
      await query(second, 'INSERT INTO t SELECT n, n % 5 FROM generate_series(1001, 2000) AS g(n)');
      const settings = { min_distributed_bytes: '0', whole_table_bytes: '0', output_format: 'JSON_Compact' };
      const sql = 'SELECT k::int, count(*)::int FROM t GROUP BY k ORDER BY k';
      const answer = await query(first, sql, settings);
      expect(answer.json().data).toEqual([0, 1, 2, 3, 4].map((k) => [k, 400]));

      // A node that misses a tablet reads it from the node that has it, at `storage_agent_port`, or from the store if that node is
      // too busy to answer soon.
      const readFromOthers = async () =>
        Number(/^tessera_storage_agent_peer_bytes_total\S* (\d+)/m.exec(await metricsOf(first))?.[1]);
      expect(await readFromOthers()).toBe(0);
      let tables = 0;
      const readFromOthersAfterMiss = async () => {
        const table = `w${++tables}`;
        await query(
          second,
          `CREATE TABLE ${table} AS SELECT n, md5(n::text) AS m FROM generate_series(1, 8000) AS g(n)`,
        );
        expect(await rows(first, `SELECT count(DISTINCT m)::int FROM ${table}`)).toEqual([[8_000]]);
        return readFromOthers();
      };
      await expect.poll(readFromOthersAfterMiss, POLL).toBeGreaterThan(8_000 * 16);

      await using stranger = await start(2, certified(2, strange));
      const reason = async (node: TesseraProcess) =>
        String(await rows(node, `SELECT reason FROM information_schema.nodes WHERE host = '${HOSTS[2]}'`));
      await expect.poll(() => reason(first), POLL).toMatch(/certificate/);
      expect(await statuses(first)).toEqual([['RUNNING'], ['RUNNING'], ['UNKNOWN']]);
      expect(await statuses(stranger)).toEqual([['UNKNOWN'], ['UNKNOWN'], ['RUNNING']]);
    },
    TIMEOUT_MS,
  );

  it(
    'refuse to start when they have neither',
    async () => {
      await expect(start(0, {})).rejects.toThrow(/needs a cluster token .* or TLS .* or --insecure-cluster/);
      const { TESSERA_CLUSTER_TLS_CA: ca } = certified(0, ours);
      await expect(start(0, { TESSERA_CLUSTER_TLS_CA: ca! })).rejects.toThrow(/takes three files/);
    },
    TIMEOUT_MS,
  );
});
