import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from './cluster/free-ports.ts';
import { query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/**
 * Parameters whose effect one node shows, each with a value other than its default. `scripts/configuration/proofs.ts`
 * names the test of each parameter.
 */
const HOST = '127.0.0.5';
const INSTANCE_ID = '01JTESTPARAMETERS000000000';
const COMPRESSION_LEVEL = 19;

let directory: string;
let server: TesseraProcess;
let ports: readonly number[];
const logFile = (name: string) => join(directory, 'logs', name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-parameters-'));
  ports = [...(await freePorts('127.0.0.1', 2)), ...(await freePorts(HOST, 4))];
  const [http, postgres, storageManager, storageAgent, distexec, shuffle] = ports;
  const config = {
    schema_version: '1.0',
    instance: { id: INSTANCE_ID, type: 'single_engine' },
    endpoints: {
      http: { listeners: [{ type: 'tcp', port: http }] },
      postgres: { listeners: [{ type: 'tcp', port: postgres, path: null }] },
    },
    engine: {
      id: 'an-engine',
      nodes: [
        {
          host: HOST,
          storage_manager_port: storageManager,
          storage_agent_port: storageAgent,
          distexec_port: distexec,
          shuffle_port: shuffle,
        },
      ],
    },
    execution: {
      hybrid_headers_format_version: 2,
      hybrid_headers_primary_index_compression_method: 'zstd',
      hybrid_headers_primary_index_compression_level: COMPRESSION_LEVEL,
      merge_committed_tablets: false,
      ai_mutations_mode: 'native_only',
      regexp_cache_max_keys: 3,
    },
    logging: {
      level: 'debug',
      format: 'json',
      components: [
        { name: 'http', level: 'error' },
        { name: 'object-store', level: 'trace' },
        { name: 'storage-manager', level: 'trace' },
      ],
      sinks: [
        { type: 'stderr' },
        { type: 'file', file: { path: logFile('all.log') } },
        { type: 'file', level: 'error', file: { path: logFile('errors.log') } },
      ],
    },
    storage: { allow_collect_garbage: true, gc_ttl_seconds: 0, collect_garbage_limit_per_query: 2 },
  };
  await writeFile(join(directory, 'tessera.json'), JSON.stringify(config));
  server = await startTessera({
    args: ['--config', join(directory, 'tessera.json')],
    env: { TESSERA_CLUSTER_TOKEN: 'a-token-of-at-least-32-characters-0123' },
    freePorts: ['health', 'metrics'],
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const linesOf = async (name: string): Promise<Record<string, unknown>[]> =>
  (await readFile(logFile(name), 'utf8'))
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The largest tablet of the node. */
async function largestTablet(): Promise<Buffer> {
  const below = join(server.dataDirectory, 'objects');
  const files = await readdir(below, { recursive: true });
  const tablets = files.filter((file) => file.endsWith('.parquet'));
  const read = await Promise.all(tablets.map((file) => readFile(join(below, file))));
  return read.reduce((largest, file) => (file.length > largest.length ? file : largest));
}

test('endpoints.*.listeners and engine.nodes: the node listens where the file says', async () => {
  const [http, postgres, storageManager, storageAgent, distexec, shuffle] = ports;
  expect(server.url).toBe(`http://127.0.0.1:${http}`);
  expect(await rows(server, 'SELECT 1')).toEqual([[1]]);
  const client = new Client({ host: '127.0.0.1', port: postgres!, user: 'tessera', database: 'tessera' });
  await client.connect();
  expect((await client.query('SELECT 2::INT AS a')).rows).toEqual([{ a: 2 }]);
  await client.end();
  const { listeners } = server.log.find(({ msg }) => msg === 'listening') as { listeners: string[] };
  expect(listeners).toEqual(
    expect.arrayContaining([
      `storage-manager grpc://${HOST}:${storageManager}`,
      `storage-agent grpc://${HOST}:${storageAgent}`,
      `distexec grpc://${HOST}:${distexec}`,
      `shuffle grpc://${HOST}:${shuffle}`,
    ]),
  );
});

test('engine.id and instance.id: log lines, metrics, system views, the discovery document', async () => {
  expect(new Set(server.log.map(({ engine }) => engine))).toEqual(new Set(['an-engine']));
  const page = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  const samples = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(samples.filter((line) => !line.includes('engine="an-engine"'))).toEqual([]);
  expect(await rows(server, 'SELECT engine_name, description FROM information_schema.engines')).toEqual([
    ['an-engine', null],
  ]);
  const discovered = await (await fetch(`${server.url}/.well-known/firebolt`)).json();
  expect(discovered).toMatchObject({ instance: { id: INSTANCE_ID } });
});

test('logging: levels of sinks and components', async () => {
  const line = { component: 'query', level: 'debug', queryId: 'a-logged-query' };
  expect((await query(server, 'SELECT 1', { query_id: 'a-logged-query' })).status).toBe(200);
  await expect.poll(() => linesOf('all.log')).toContainEqual(expect.objectContaining(line));
  await expect.poll(() => server.log).toContainEqual(expect.objectContaining(line));
  expect(await linesOf('errors.log')).toEqual([]);
  expect(server.log.filter(({ component }) => component === 'engine')).not.toEqual([]);
  expect(server.log.filter(({ component }) => component === 'http')).toEqual([]);
});

test('logging: debug logs statements, and trace logs their work', async () => {
  await query(server, 'CREATE TABLE logged (a BIGINT)');
  const insert = 'INSERT INTO logged SELECT i FROM generate_series(1, 50000) g(i)';
  await query(server, insert, { query_id: 'an-insert' });
  await query(server, 'SELECT a FROM logged WHERE a < 11', { query_id: 'a-select' });
  await query(server, 'SELECT nosuch', { query_id: 'a-failure' });
  const logged = async (fields: object) =>
    expect.poll(() => server.log).toContainEqual(expect.objectContaining(fields));
  const ended = { component: 'query', level: 'debug', msg: 'statement ended', user: 'tessera' };
  await logged({ ...ended, queryId: 'an-insert', rowsInserted: 50_000, outcome: 'ok' });
  await logged({
    ...ended,
    queryId: 'a-select',
    durationMs: expect.any(Number),
    rowsReturned: 10,
    bytesReturned: expect.any(Number),
    rowsRead: expect.any(Number),
    outcome: 'ok',
  });
  await logged({ ...ended, queryId: 'a-failure', outcome: 'UNDEFINED_NAME' });
  await logged({ component: 'storage-manager', level: 'trace', queryId: 'an-insert', outcome: 'ok' });
  await logged({
    component: 'object-store',
    level: 'trace',
    operation: 'put',
    key: expect.stringMatching(/^tablets\/.*\.parquet$/),
    bytesWritten: expect.any(Number),
  });
});

test('execution.hybrid_headers_*: the header of a tablet', async () => {
  await query(server, 'CREATE TABLE t (a BIGINT, b TEXT) PRIMARY INDEX b WITH (index_granularity = 2048)');
  await query(server, 'INSERT INTO t SELECT i, md5(i::TEXT) FROM generate_series(1, 100000) g(i)');
  const file = await largestTablet();
  const start = file.indexOf('TSHH');
  const header = file.subarray(start, start + file.readUInt32LE(start + 8));
  expect(header[4]).toBe(2);
  // The index ends the header; zstd frames begin with this number.
  const packed = header.subarray(header.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])));
  const index = zstdDecompressSync(packed);
  const atLevel = (level: number) =>
    zstdCompressSync(index, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  expect(atLevel(COMPRESSION_LEVEL).equals(packed)).toBe(true);
  expect(atLevel(2).equals(packed)).toBe(false);
});

test('storage.collect_garbage_limit_per_query: one call collects at most that many tablets', async () => {
  await query(server, 'CREATE TABLE garbage (a BIGINT, b TEXT)');
  for (let i = 0; i < 3; i += 1)
    await query(server, 'INSERT INTO garbage SELECT i, md5(i::TEXT) FROM generate_series(1, 30000) g(i)');
  await query(server, 'DROP TABLE garbage');
  const collected: unknown[] = [];
  await expect
    .poll(async () => {
      const [[, tablets] = []] = await rows(server, 'CALL collect_garbage()');
      if (tablets !== '0') collected.push(tablets);
      return collected;
    })
    .toEqual(['2', '1']);
});

test('execution.ai_mutations_mode: how aggregating indexes handle deleted rows', async () => {
  await query(server, 'CREATE TABLE summed AS SELECT i % 3 AS k, i FROM generate_series(1, 1000) g(i)');
  await query(server, 'CREATE AGGREGATING INDEX sums ON summed (k, sum(i), count(*))');
  expect((await query(server, 'DELETE FROM summed WHERE i % 10 = 1')).status).toBe(200);
  const sums = 'SELECT k, sum(i), count(*) FROM summed GROUP BY k ORDER BY k';
  expect((await query(server, `EXPLAIN ${sums}`)).text).toContain('sums on summed: 3 partial rows are read');
  expect(await rows(server, `SELECT sum(s), sum(n) FROM (${sums}) AS all_rows(k, s, n)`)).toEqual([
    ['450900', '900'],
  ]);
  await query(server, 'CREATE AGGREGATING INDEX bounds ON summed (k, min(i))');
  const refused = await query(server, 'DELETE FROM summed WHERE i % 10 = 2');
  expect(refused.text).toContain('execution.ai_mutations_mode is native_only');
});

test('execution.regexp_cache_max_keys: how many patterns of a column are compiled once each', async () => {
  for (const sql of [
    "CREATE TABLE lines AS SELECT 'line ' || i AS text FROM generate_series(1, 30000) AS g(i)",
    "CREATE TABLE rules AS SELECT '^line ' || i AS pattern FROM generate_series(1, 5) AS g(i)",
  ])
    expect((await query(server, sql)).status).toBe(200);
  const sql = 'SELECT count(*) FROM lines JOIN rules ON text ~ pattern';
  expect(await rows(server, sql)).toEqual([['25556']]);
  const explained = (await rows(server, `EXPLAIN ${sql}`)).join('\n');
  expect(explained).toContain('rules.pattern: 3 patterns are compiled once each');
});
