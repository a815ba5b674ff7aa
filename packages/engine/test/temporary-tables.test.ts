import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { query as ask, rows as rowsOverHttp } from './http.ts';
import { message, query, RawClient } from './postgres-client.ts';
import { type Place, placeOf } from './postgres-clients/programs.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';
import { startTessera } from './tessera-process.ts';

let node: SharedNode;
let place: Place;
beforeAll(async () => {
  node = await takeSharedNode();
  place = placeOf(node);
});
afterAll(() => node?.[Symbol.asyncDispose]());

async function withClient<T>(work: (client: pg.Client) => Promise<T>, at = place): Promise<T> {
  const client = new pg.Client({ ...at });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const values = async (client: pg.Client, sql: string, parameters: unknown[] = []): Promise<unknown[]> =>
  (await client.query<unknown[]>({ text: sql, values: parameters, rowMode: 'array' })).rows.flat();

it('two connections each have a table of the same name, and a permanent one is not affected', () =>
  withClient(async (first) => {
    await first.query("CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1, 'permanent')");
    expect(await values(first, 'SELECT b FROM t WHERE a = $1', [1])).toEqual(['permanent']);
    await first.query('CREATE TEMP TABLE t (a INT, b TEXT)');
    expect(await values(first, 'INSERT INTO t VALUES ($1, $2) RETURNING b', [1, 'first'])).toEqual(['first']);
    await withClient(async (second) => {
      expect(await values(second, 'SELECT b FROM t WHERE a = $1', [1])).toEqual(['permanent']);
      await second.query("CREATE TEMP TABLE t AS SELECT 1 AS a, 'second' AS b");
      expect(await values(second, 'SELECT b FROM t WHERE a = $1', [1])).toEqual(['second']);
    });
    expect(await values(first, 'SELECT b FROM t WHERE a = $1', [1])).toEqual(['first']);
    expect(await values(first, 'SELECT x.b FROM public.t AS x JOIN pg_temp.t USING (a)')).toEqual([
      'permanent',
    ]);
    expect(await rowsOverHttp(node, 'SELECT b FROM t')).toEqual([['permanent']]);
    expect(await values(first, "SELECT relpersistence FROM pg_class WHERE oid = 't'::regclass")).toEqual([
      't',
    ]);
  }));

it('transactions: ON COMMIT, savepoints and ROLLBACK', () =>
  withClient(async (client) => {
    await client.query('BEGIN');
    await client.query('CREATE TEMP TABLE emptied (a INT) ON COMMIT DELETE ROWS');
    await client.query('CREATE TEMP TABLE dropped (a INT) ON COMMIT DROP');
    await client.query('INSERT INTO emptied VALUES (1)');
    await client.query('SAVEPOINT s');
    await client.query('CREATE TEMP TABLE undone (a INT)');
    await client.query('ROLLBACK TO s');
    expect(await values(client, 'SELECT count(*) FROM emptied')).toEqual(['1']);
    await client.query('COMMIT');
    expect(await values(client, 'SELECT count(*) FROM emptied')).toEqual(['0']);
    for (const name of ['dropped', 'undone'])
      await expect(client.query(`SELECT * FROM ${name}`)).rejects.toMatchObject({ code: '42P01' });
    await client.query('BEGIN; CREATE TEMP TABLE undone (a INT); ROLLBACK');
    await expect(client.query('SELECT * FROM undone')).rejects.toMatchObject({ code: '42P01' });
  }));

it.each(['DISCARD TEMP', 'DISCARD ALL'])('%s drops them', (discard) =>
  withClient(async (client) => {
    await client.query(discard);
    await client.query('CREATE TEMP TABLE discarded (id SERIAL, a INT)');
    await client.query(discard);
    await expect(client.query('SELECT * FROM discarded')).rejects.toMatchObject({ code: '42P01' });
    await client.query('CREATE TEMP TABLE discarded (a INT)');
    expect(await values(client, 'SELECT * FROM discarded')).toEqual([]);
  }),
);

it('COPY FROM STDIN fills one, and the catalogs show it to its session alone', async () => {
  const listed = `SELECT table_schema FROM information_schema.tables WHERE table_name = 'copied'`;
  using client = await RawClient.open(node.postgres);
  await client.ask(query('CREATE TEMP TABLE copied (a INT)'));
  client.send(query('COPY copied FROM STDIN'), message('d', Buffer.from('1\n2\n')), message('c'));
  await client.until('Z');
  expect(await client.ask(query('SELECT sum(a) FROM copied'))).toContain('D 3');
  expect(await client.ask(query(listed))).toContainEqual(expect.stringMatching(/^D pg_temp_/));
  expect(await rowsOverHttp(node, listed)).toEqual([]);
});

it('a READ ONLY transaction can change their rows and no others', async () => {
  using client = await RawClient.open(node.postgres);
  const ask = (sql: string) => client.ask(query(sql));
  await ask('CREATE TEMP TABLE scratch (a INT); CREATE TABLE lasting (a INT)');
  expect(await ask('BEGIN READ ONLY; INSERT INTO scratch SELECT generate_series(1, 3)')).toContain(
    'C INSERT 0 3',
  );
  expect(await ask('UPDATE scratch SET a = 7 WHERE a = 1')).toContain('C UPDATE 1');
  expect(await ask('DELETE FROM scratch WHERE a = 2')).toContain('C DELETE 1');
  client.send(query('COPY scratch FROM STDIN'), message('d', Buffer.from('9\n')), message('c'));
  expect(await client.until('Z')).not.toContainEqual(expect.stringMatching(/^E/));
  expect(await ask('COMMIT; SELECT array_agg(a ORDER BY a) FROM scratch')).toContain('D {3,7,9}');
  for (const sql of [
    'INSERT INTO lasting VALUES (1)',
    'TRUNCATE scratch',
    'CREATE TEMP TABLE never (a INT)',
  ]) {
    expect(await ask(`BEGIN READ ONLY; ${sql}`)).toContainEqual(expect.stringMatching(/^E ERROR 25006 /));
    await ask('ROLLBACK');
  }
});

it('over HTTP they are refused with an alternative', async () => {
  const answer = await ask(node, 'CREATE TEMPORARY TABLE t (a INT)');
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/NOT_SUPPORTED|PostgreSQL port/);
});

/** The ids of temporary schemas that the metadata log creates, and of all objects that it drops. */
async function metadata(dataDirectory: string) {
  const paths = (await readdir(dataDirectory, { recursive: true })).filter((path) =>
    /\bmeta\/.*json/.test(path),
  );
  const texts = await Promise.all(paths.map((path) => readFile(join(dataDirectory, path), 'utf8')));
  const idsIn = (pattern: RegExp) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, id]) => id!));
  return {
    created: idsIn(/"kind": ?"schema",\s*"id": ?"(\w+)",\s*"name": ?"pg_temp_/g),
    dropped: new Set(idsIn(/"kind": ?"drop",\s*"id": ?"(\w+)"/g)),
  };
}

it('are dropped at the end of the connection, and after a kill by the node that starts again', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-temporary-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
  const start = () => startTessera({ dataDirectory, args: ['--postgres-port', '0'] });
  const allDropped = (schemas: number) =>
    vi.waitFor(
      async () => {
        const { created, dropped } = await metadata(dataDirectory);
        expect(created).toHaveLength(schemas);
        expect(created.filter((id) => !dropped.has(id))).toEqual([]);
      },
      { timeout: 20_000 },
    );
  await using first = await start();
  await withClient((client) => client.query('CREATE TEMP TABLE t AS SELECT 1 AS a'), placeOf(first));
  await allDropped(1);
  const killed = new pg.Client({ ...placeOf(first) });
  killed.on('error', () => undefined);
  await killed.connect();
  await killed.query('CREATE TEMP TABLE t AS SELECT 1 AS a');
  await first.stop('SIGKILL');
  const { created, dropped } = await metadata(dataDirectory);
  expect(created.filter((id) => !dropped.has(id))).toHaveLength(1);
  await using _again = await start();
  await allDropped(2);
});
