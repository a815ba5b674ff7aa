import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const MIB = 2 ** 20;
const MAX = 2;
const ENDLESS = 'SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 7 = 3';

/** 200 queries, two at a time, take half a minute on a busy machine. */
const PATIENT = { timeout: 120_000 };

let directory: string;
let server: TesseraProcess;
const held = new Map<string, Promise<Answer>>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-admission-'));
  const config = {
    schema_version: '1.0',
    engine: { max_server_memory_usage: 700 * MIB, metrics_collection_frequency_per_minute: 600 },
    execution: {
      max_threads: 1,
      admission_controller: {
        enabled: true,
        max_concurrent_admitted_queries: MAX,
        seconds_until_no_admission_warning: 1,
        seconds_between_no_admission_warnings: 0,
        total_memory_tracker_hard_limit_ratio: 0.9,
        max_retries_per_query: 2,
      },
    },
  };
  await writeFile(join(directory, 'tessera.json'), JSON.stringify(config));
  server = await startTessera({
    args: ['--config', join(directory, 'tessera.json'), '--postgres-port', '0'],
  });
  await query(server, 'CREATE TABLE t (a INT)');
});
afterEach(async () => {
  await Promise.all([...held.keys()].map(release));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Occupies a slot until `release`. */
async function hold(id: string): Promise<void> {
  held.set(id, query(server, ENDLESS, { query_id: id }));
  await expect.poll(() => status(id)).toBe('RUNNING');
}

async function release(id: string): Promise<void> {
  const answer = held.get(id);
  held.delete(id);
  await query(server, `CANCEL QUERY WHERE query_id = '${id}'`);
  await answer;
}

async function status(id: string): Promise<unknown> {
  const sql = `SELECT status FROM information_schema.engine_running_queries WHERE query_id = '${id}'`;
  return (await rows(server, sql))[0]?.[0];
}

test('no more queries than the limit run at once, and all 200 are answered', PATIENT, async () => {
  await Promise.all([hold('first'), hold('second')]);
  const asked = Array.from({ length: 200 }, (_, i) => rows(server, `SELECT ${i}`));
  const counts = `SELECT status, count(*)::INT FROM information_schema.engine_running_queries
    WHERE NOT contains(query_text, 'information_schema') GROUP BY 1 ORDER BY 1`;
  await expect
    .poll(() => rows(server, counts), { timeout: 60_000 })
    .toEqual([
      ['RUNNING', MAX],
      ['SUSPENDED', 200],
    ]);
  const metrics = await (await fetch(new URL('metrics', server.metricsUrl))).text();
  expect(metrics).toContain('tessera_queued_queries{engine="default-engine-id"} 200');
  await release('first');
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 200 }, (_, i) => [[i]]));
});

test('changes wait too; lookups and definitions do not', async () => {
  await Promise.all([hold('first'), hold('second')]);
  const insert = query(server, 'INSERT INTO t VALUES (1)', { query_id: 'an-insert' });
  await expect.poll(() => status('an-insert')).toBe('SUSPENDED');
  const read = query(server, 'SELECT * FROM t', { query_id: 'a-read' });
  await expect.poll(() => status('a-read')).toBe('SUSPENDED');
  for (const sql of ['SHOW TABLES', 'SET max_threads = 1', 'CREATE TABLE u (a INT)', 'DROP TABLE u'])
    expect(await query(server, sql), sql).toMatchObject({ status: 200 });
  await release('first');
  expect((await insert).status).toBe(200);
  expect((await read).status).toBe(200);
  const waited = `SELECT min(time_in_queue_us) > 0 FROM information_schema.engine_query_history WHERE query_id IN ('an-insert', 'a-read')`;
  expect(await rows(server, waited)).toEqual([[true]]);
});

test('a query that waits can be cancelled, and its time may run out', async () => {
  await Promise.all([hold('first'), hold('second')]);
  const cancelled = query(server, 'SELECT 1', { query_id: 'to-be-cancelled' });
  await expect.poll(() => status('to-be-cancelled')).toBe('SUSPENDED');
  const late = await query(server, 'SELECT 1', { statement_timeout: '50' });
  expect(late.json().errors[0]).toMatchObject({ name: 'STATEMENT_TIMEOUT' });
  await query(server, `CANCEL QUERY WHERE query_id = 'to-be-cancelled'`);
  expect((await cancelled).json().errors[0]).toMatchObject({ name: 'QUERY_CANCELLED' });
});

test('the statements of a transaction go on while a cursor of it is open, whatever waits', async () => {
  await hold('first');
  const [host, port] = server.postgres.split(':');
  const client = new Client({ host: host!, port: Number(port), user: 'anna', database: 'tessera' });
  await client.connect();
  await client.query('BEGIN; DECLARE c CURSOR FOR SELECT i FROM generate_series(1, 500000) AS g(i)');
  expect((await client.query('FETCH 2 FROM c')).rowCount).toBe(2);
  const waits = query(server, 'SELECT 1', { query_id: 'behind-the-cursor' });
  await expect.poll(() => status('behind-the-cursor')).toBe('SUSPENDED');
  expect((await client.query('SELECT 42::INT AS a')).rows).toEqual([{ a: 42 }]);
  expect(await status('behind-the-cursor')).toBe('SUSPENDED');
  await client.query('COMMIT');
  expect((await waits).status).toBe(200);
  await client.end();
});

test('samples of the node contain waiting queries, at the configured interval', async () => {
  await Promise.all([hold('first'), hold('second')]);
  const waits = query(server, 'SELECT 1');
  // The default is one sample every five seconds.
  const sampled = `SELECT max(suspended_queries)::INT, min(gap) < 4 FROM (
    SELECT suspended_queries, epoch(event_time) - lag(epoch(event_time)) OVER (ORDER BY event_time) AS gap
    FROM information_schema.engine_metrics_history)`;
  await expect.poll(() => rows(server, sampled)).toEqual([[expect.any(Number), true]]);
  await expect.poll(async () => (await rows(server, sampled))[0]![0]).toBeGreaterThan(0);
  await release('first');
  expect((await waits).status).toBe(200);
});

test('logs a warning when no query has been admitted for long', async () => {
  await Promise.all([hold('first'), hold('second')]);
  const waits = query(server, 'SELECT 1');
  await expect
    .poll(() => server.log.filter((record) => record.msg === 'queries are waiting and none was admitted'))
    .toContainEqual(expect.objectContaining({ queued: 1, running: MAX }));
  await release('first');
  expect((await waits).status).toBe(200);
});

test('a query that runs out of memory is retried as often as configured and then fails', async () => {
  const tooLarge = await query(server, `SELECT length(list(i)) FROM range(400000000) r(i)`, {
    query_id: 'too-large',
  });
  expect(tooLarge.json().errors[0]).toMatchObject({ name: 'OUT_OF_MEMORY' });
  const retries = `SELECT retries FROM information_schema.engine_query_history WHERE query_id = 'too-large'`;
  expect(await rows(server, retries)).toEqual([[2]]);
  expect(await rows(server, 'SELECT 42')).toEqual([[42]]);
});
