import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Firebolt } from 'firebolt-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Authority } from './certificates.ts';
import { ADMIN, writeNativeConfig } from './native-node.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** The SDK of this API family, unmodified: it logs in and speaks TLS, to the engine itself. */
let directory: string;
let server: TesseraProcess;
let connection: Connection;
// The SDK has no option for an authority of one's own.
const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-sdk-'));
  const { cert, key } = new Authority(directory).issue('node');
  const config = writeNativeConfig(directory);
  server = await startTessera({ args: ['--config', config, '--tls-cert', cert, '--tls-key', key] });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const firebolt = Firebolt({ apiEndpoint: server.url });
  connection = await firebolt.connect({
    auth: { client_id: ADMIN.name, client_secret: ADMIN.password },
    account: 'account',
    database: 'tessera',
    engineName: 'engine',
  });
});

afterAll(async () => {
  if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust;
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

it('is the user that it logged in as', async () => {
  const statement = await connection.execute('SELECT current_user');
  expect((await statement.fetchResult()).data).toEqual([[ADMIN.name]]);
});

it('is refused with a wrong password', async () => {
  const auth = { client_id: ADMIN.name, client_secret: 'wrong' };
  const connecting = Firebolt({ apiEndpoint: server.url }).connect({ auth, account: 'account' });
  await expect(connecting).rejects.toThrow();
});

it('reads values of every type it knows', async () => {
  const statement = await connection.execute(
    `SELECT 1 AS i, 'x' AS t, 1.5::decimal(5, 2) AS d, date '2020-01-01' AS day, timestamp '2020-01-01 01:02:03.5' AS ts,
       true AS b, null AS n, 1.5::double AS f, '\\x61'::bytea AS bytes, 30000000000 AS l, [1, 2] AS a`,
  );
  const { data, meta } = await statement.fetchResult();
  const [i, t, d, day, ts, b, n, f, bytes, l, a] = data[0] as unknown[];
  expect([i, t, d, b, n, f]).toEqual([1, 'x', '1.50', true, null, 1.5]);
  expect((day as Date).toISOString()).toBe('2020-01-01T00:00:00.000Z');
  expect((ts as Date).toISOString()).toBe('2020-01-01T01:02:03.500Z');
  expect(String(bytes)).toBe('a');
  expect(String(l)).toBe('30000000000');
  expect(a).toEqual([1, 2]);
  expect(meta.map((m) => m.type).slice(0, 4)).toEqual(['int', 'text', 'decimal', 'date']);
});

it('binds parameters', async () => {
  const statement = await connection.execute('SELECT ? AS n, ? AS s', { parameters: [7, "it's"] });
  expect((await statement.fetchResult()).data).toEqual([[7, "it's"]]);
});

it('streams rows', async () => {
  const statement = await connection.executeStream(
    'SELECT n FROM generate_series(1, 5000) AS g(n) ORDER BY n',
  );
  const { data } = await statement.streamResult();
  const values: string[] = [];
  data.on('data', (row: unknown[]) => values.push(String(row[0])));
  await once(data, 'end');
  expect(values).toEqual(Array.from({ length: 5000 }, (_, i) => String(i + 1)));
});

it('raises the error of a statement', async () => {
  await expect(connection.execute('SELECT nope')).rejects.toThrow(/nope/);
});

it('follows an asynchronous statement to its end', async () => {
  const { asyncQueryToken } = await connection.executeAsync('SELECT count(*) FROM generate_series(1, 1000)');
  await expect.poll(() => connection.isAsyncQuerySuccessful(asyncQueryToken)).toBe(true);
});

it('remembers settings for later statements', async () => {
  await connection.execute("SET timezone = 'Asia/Tokyo'");
  const statement = await connection.execute("SELECT '2024-01-01 00:00:00+00'::timestamptz::text");
  expect((await statement.fetchResult()).data).toEqual([['2024-01-01 09:00:00+09']]);
});
