import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { firstLine } from '../first-line.ts';
import { query, rows } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import { command, startCommand } from './command.ts';
import { CLUSTER_TOKEN, EngineCluster, placeOf } from './engine-cluster.ts';
import { freePorts } from './free-ports.ts';
import { type SharedStore, startSharedStore } from './shared-store.ts';

/**
 * Two clusters of two nodes are one engine, connected by `tessera broadcast`. Another engine of the same instance is
 * connected with them by `tessera metadata`.
 */
const TIMEOUT_MS = 120_000;
const POLL = { timeout: 40_000, interval: 100 };
const SLOW = 'SELECT count(*) FROM generate_series(1, 30000000000) AS g(n) WHERE n % 7 = 3';
const ROW_LIMIT = 8;
const HAPROXY_CONFIG = join(import.meta.dirname, '../../../../deploy/compose/clusters/haproxy.cfg');

let stack: AsyncDisposableStack;
let port: number;
let stopBroadcast: () => Promise<void>;
let a: EngineCluster;
let b: EngineCluster;
let other: EngineCluster;
let stopMetadata: () => Promise<void>;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  port = (await freePorts('127.0.0.1', 1))[0]!;
  stopBroadcast = await startBroadcast();
  stack.defer(() => stopBroadcast());
  const store = stack.use(await startSharedStore());
  const instance = newUlid();
  const metadataPort = (await freePorts('127.0.0.1', 1))[0]!;
  const metadataEndpoint = `127.0.0.1:${metadataPort}`;
  stopMetadata = await startMetadata(store, instance, metadataEndpoint);
  stack.defer(() => stopMetadata());
  const cluster = async (ordinal: number, hosts: readonly string[]) =>
    EngineCluster.start({
      nodes: hosts.length,
      places: await Promise.all(hosts.map(placeOf)),
      store,
      instance,
      metadataEndpoint,
      engine: {
        id: 'reports',
        cluster_id: `cluster-${'ab'[ordinal]}`,
        cluster_ordinal: ordinal,
        multi_cluster: {
          broadcast_endpoint: `127.0.0.1:${port}`,
          broadcast_tuple_limit_per_engine_cluster: ROW_LIMIT,
        },
      },
    });
  a = stack.use(await cluster(0, ['127.0.0.1', '127.0.0.2']));
  b = stack.use(await cluster(1, ['127.0.0.3', '127.0.0.4']));
  other = stack.use(
    await EngineCluster.start({
      nodes: 1,
      places: [await placeOf('127.0.0.5')],
      store,
      instance,
      metadataEndpoint,
      engine: { id: 'loads' },
    }),
  );
}, TIMEOUT_MS);
afterAll(() => stack.disposeAsync());

const startBroadcast = () => startService({}, 'broadcast', '--port', String(port));

async function startMetadata(store: SharedStore, instance: string, endpoint: string) {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-metadata-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'metadata.json');
  const config = {
    schema_version: '1.0',
    instance: { id: instance, type: 'multi_engine', multi_engine: { metadata_endpoint: endpoint } },
    storage: { type: 'minio', minio: { endpoint: store.endpoint } },
  };
  writeFileSync(path, JSON.stringify(config));
  return startService(store.env, 'metadata', '--config', path, '--data-dir', join(directory, 'data'));
}

/** Starts a service that connects clusters or engines, and returns the function that stops it. */
async function startService(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<() => Promise<void>> {
  for (const [name, value] of Object.entries({ ...env, TESSERA_CLUSTER_TOKEN: CLUSTER_TOKEN }))
    vi.stubEnv(name, value);
  const child = startCommand(...args);
  vi.unstubAllEnvs();
  child.stderr!.resume();
  await firstLine(child);
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
}

/** The rows and the warnings of a statement. */
async function answered(node: TesseraProcess, sql: string) {
  const answer = await query(node, sql, { output_format: 'JSON_Compact' });
  expect(answer.status, answer.text).toBe(200);
  const { data, warnings = [] } = answer.json() as {
    data: unknown[][];
    warnings?: { description: string }[];
  };
  return { data, warnings: warnings.map(({ description }) => description) };
}

const clustersSeenBy = async (node: TesseraProcess) =>
  answered(
    node,
    "SELECT cluster_id, count(*)::int FROM information_schema.nodes WHERE engine_name = 'reports' GROUP BY 1 ORDER BY 1",
  );

const BOTH = [
  ['cluster-a', 2],
  ['cluster-b', 2],
];

it(
  'every node of every cluster sees the nodes of all',
  async () => {
    for (const node of [a.node(0), a.node(1), b.node(0), b.node(1)])
      await expect.poll(() => clustersSeenBy(node), POLL).toEqual({ data: BOTH, warnings: [] });
  },
  TIMEOUT_MS,
);

it(
  'tables and committed transactions of one cluster are visible in the other at once',
  async () => {
    await query(a.node(0), 'CREATE TABLE t (n INT)');
    await query(b.node(1), 'INSERT INTO t SELECT * FROM generate_series(1, 100)');
    expect(await rows(a.node(1), 'SELECT count(*)::int, sum(n)::int FROM t')).toEqual([[100, 5050]]);
  },
  TIMEOUT_MS,
);

it(
  'a query of another cluster is listed with its cluster and can be cancelled',
  async () => {
    const running = query(b.node(1), SLOW);
    const listed = () =>
      rows(
        a.node(0),
        `SELECT cluster_id, node_name, query_id FROM information_schema.engine_running_queries
         WHERE query_text LIKE '%30000000000%' AND query_text NOT LIKE '%engine_running_queries%'`,
      );
    await expect
      .poll(async () => (await listed()).map((row) => row.slice(0, 2)), POLL)
      .toEqual([['cluster-b', b.nameOf(1)]]);
    const [[, , id]] = (await listed()) as [[string, string, string]];
    const { code, stderr } = await command('cancel', '-u', a.node(1).url, id);
    expect(code, stderr).toBe(0);
    expect((await running).status).not.toBe(200);
    await expect.poll(listed, POLL).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'the engines of an instance see the nodes, the queries and the history of each other, and cancel each other’s queries',
  async () => {
    const engines = 'SELECT engine_name, status, nodes FROM information_schema.engines ORDER BY 1';
    const all = [
      ['loads', 'RUNNING', 1],
      ['reports', 'RUNNING', 4],
    ];
    for (const node of [a.node(1), b.node(0), other.node(0)])
      await expect.poll(() => answered(node, engines), POLL).toEqual({ data: all, warnings: [] });
    expect(
      await rows(
        a.node(0),
        "SELECT node_name, cluster_id FROM information_schema.nodes WHERE engine_name = 'loads'",
      ),
    ).toEqual([[other.nameOf(0), null]]);
    const running = (node: TesseraProcess) =>
      rows(
        node,
        `SELECT engine_name, cluster_id, query_id FROM information_schema.engine_running_queries
         WHERE query_text LIKE '%30000000000%' AND query_text NOT LIKE '%engine_running_queries%'`,
      );
    for (const [from, to, origin] of [
      [other, b, ['reports', 'cluster-b']],
      [a, other, ['loads', null]],
    ] as const) {
      const slow = query(to.node(0), SLOW);
      const listed = () => running(from.node(0));
      await expect.poll(async () => (await listed()).map((row) => row.slice(0, 2)), POLL).toEqual([origin]);
      await query(from.node(0), `CANCEL QUERY WHERE query_id = '${(await listed())[0]![2]}'`);
      expect((await slow).text).toContain('cancelled');
      await expect.poll(listed, POLL).toEqual([]);
      const ended = `SELECT engine_name, status FROM information_schema.engine_query_history WHERE query_text = '${SLOW}'
                     ORDER BY end_time DESC LIMIT 1`;
      await expect.poll(() => rows(from.node(0), ended), POLL).toEqual([[origin[0], 'CANCELED']]);
    }
  },
  TIMEOUT_MS,
);

it(
  'a cluster sends at most the limit of rows, and a warning says so',
  async () => {
    for (const node of [b.node(0), b.node(1)])
      for (let i = 0; i < ROW_LIMIT + 2; i++) await query(node, `SELECT ${i} AS marked`);
    const sql = `SELECT count(*)::int, max(query_text) FROM information_schema.engine_user_query_history
                 WHERE cluster_id = 'cluster-b'`;
    const { data, warnings } = await answered(a.node(0), sql);
    expect(data[0]![0]).toBe(ROW_LIMIT);
    expect(warnings).toEqual([
      'The cluster cluster-b returned only its latest rows (engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster)',
    ]);
  },
  TIMEOUT_MS,
);

it(
  'without the broadcast service, a cluster works and shows itself with a warning; it connects again to a new one',
  async () => {
    await stopBroadcast();
    const { data, warnings } = await clustersSeenBy(a.node(0));
    expect(data).toEqual([['cluster-a', 2]]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('The rows of other clusters may be missing');
    expect(warnings[0]).toContain(`127.0.0.1:${port}`);
    expect(await rows(b.node(0), 'SELECT count(*)::int FROM t')).toEqual([[100]]);
    stopBroadcast = await startBroadcast();
    await expect.poll(() => clustersSeenBy(a.node(0)), POLL).toEqual({ data: BOTH, warnings: [] });
  },
  TIMEOUT_MS,
);

it(
  'without the metadata service, an engine shows itself with a warning that names the service',
  async () => {
    await stopMetadata();
    const { data, warnings } = await answered(
      other.node(0),
      'SELECT engine_name FROM information_schema.engines',
    );
    expect(data).toEqual([['loads']]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The rows of other engines may be missing: .*the metadata service 127\.0\.0\.1:\d+/,
      ),
    ]);
  },
  TIMEOUT_MS,
);

it(
  'a cluster that does not answer is named',
  async () => {
    b.pause(0);
    b.pause(1);
    try {
      const { data, warnings } = await clustersSeenBy(a.node(1));
      expect(data).toEqual([['cluster-a', 2]]);
      expect(warnings.join()).toMatch(/cluster-b|other clusters/);
    } finally {
      b.resume(0);
      b.resume(1);
    }
  },
  TIMEOUT_MS,
);

it.skipIf(spawnSync('haproxy', ['-v']).error !== undefined)(
  'the load balancer of the compose file spreads statements over the clusters and keeps a transaction on its node (skipped without haproxy)',
  async () => {
    const nodes = { 'a-0': a.node(0), 'a-1': a.node(1), 'b-0': b.node(0), 'b-1': b.node(1) };
    const [http, postgres] = await freePorts('127.0.0.1', 2);
    let config = readFileSync(HAPROXY_CONFIG, 'utf8')
      .replace('bind :3473', `bind 127.0.0.1:${http}`)
      .replace('bind :5432', `bind 127.0.0.1:${postgres}`);
    for (const [name, { url, healthUrl }] of Object.entries(nodes))
      config = config.replace(`${name}:3473`, `${new URL(url).host} port ${new URL(healthUrl).port}`);
    // The nodes of this test have no port for PostgreSQL.
    config = config.replaceAll(/server (\S+) \1:5432/g, 'server $1 127.0.0.1:1');
    const directory = mkdtempSync(join(tmpdir(), 'tessera-haproxy-'));
    const path = join(directory, 'haproxy.cfg');
    writeFileSync(path, config);
    const balancer = spawn('haproxy', ['-db', '-f', path], { stdio: 'ignore' });
    try {
      const send = async (sql: string, parameters = '') =>
        fetch(`http://127.0.0.1:${http}/?output_format=JSON_Compact${parameters}`, {
          method: 'POST',
          body: sql,
        });
      const whereAmI =
        "SELECT node_name FROM information_schema.engine_running_queries WHERE query_text LIKE 'SELECT node_name%'";
      const answeredBy = async (parameters = '') => {
        const answer = await send(whereAmI, parameters);
        return answer.status === 200
          ? String(((await answer.json()) as { data: unknown[][] }).data[0]![0])
          : '';
      };
      const seen = new Set<string>();
      await expect
        .poll(async () => {
          for (const node of await Promise.all(Array.from({ length: 8 }, () => answeredBy().catch(() => ''))))
            seen.add(node);
          seen.delete('');
          return [...seen].sort();
        }, POLL)
        .toEqual([a.nameOf(0), a.nameOf(1), b.nameOf(0), b.nameOf(1)].sort());
      for (let i = 0; i < 3; i++) {
        const begun = await send('BEGIN');
        const id = /transaction_id=(\w+)/.exec(begun.headers.get('Firebolt-Update-Parameters') ?? '')![1]!;
        for (let n = 0; n < 6; n++)
          expect((await send(`INSERT INTO t VALUES (${n})`, `&transaction_id=${id}`)).status).toBe(200);
        expect((await send('ROLLBACK', `&transaction_id=${id}`)).status).toBe(200);
      }
    } finally {
      balancer.kill();
      rmSync(directory, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
