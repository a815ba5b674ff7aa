import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Firebolt } from 'firebolt-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/**
 * The SDK of this API family, unmodified. It speaks TLS only and logs in first, neither of which the engine does yet, so
 * a gateway in front of the engine ends TLS and answers the log-in; everything else is the engine's own answer.
 */
let server: TesseraProcess;
let gateway: Server;
let connection: Connection;
const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

beforeAll(async () => {
  server = await startTessera();
  gateway = await startGateway(server.url);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const firebolt = Firebolt({ apiEndpoint: `https://127.0.0.1:${portOf(gateway)}` });
  connection = await firebolt.connect({
    auth: { client_id: 'id', client_secret: 'secret' },
    account: 'account',
    database: 'tessera',
    engineName: 'engine',
  });
});

afterAll(async () => {
  if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust;
  gateway.close();
  await server[Symbol.asyncDispose]();
});

const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;

async function startGateway(engineUrl: string): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-tls-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
    { stdio: 'ignore' },
  );
  const tls = { key: await readFile(key), cert: await readFile(cert) };
  await rm(directory, { recursive: true });
  const listening = createServer(tls, (incoming, outgoing) => {
    const json = (value: object) => {
      incoming.resume();
      outgoing.setHeader('Content-Type', 'application/json');
      outgoing.end(JSON.stringify(value));
    };
    if (incoming.url?.includes('oauth/token')) {
      json({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
    } else if (incoming.url?.includes('engineUrl')) {
      json({ engineUrl: `127.0.0.1:${portOf(listening)}` });
    } else {
      const forwarded = request(`${engineUrl}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
      });
      forwarded.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    }
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return listening;
}

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
