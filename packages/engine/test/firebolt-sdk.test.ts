import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { type Connection, Firebolt } from 'firebolt-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from './certificates.ts';
import { ADMIN, writeNativeConfig } from './native-node.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** Uses Firebolt's unmodified SDK, which authenticates and speaks TLS directly with the engine. */
let directory: string;
let server: TesseraProcess;
let firebolt: ReturnType<typeof Firebolt>;
let connection: Connection;
const OPTIONS = {
  auth: { client_id: ADMIN.name, client_secret: ADMIN.password },
  account: 'account',
  database: 'tessera',
  engineName: 'engine',
};
// The SDK has no option for a custom certificate authority.
const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-sdk-'));
  const { cert, key } = new Authority(directory).issue('node');
  const config = writeNativeConfig(directory);
  server = await startTessera({ args: ['--config', config, '--tls-cert', cert, '--tls-key', key] });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  firebolt = Firebolt({ apiEndpoint: server.url });
  connection = await firebolt.connect(OPTIONS);
});

afterAll(async () => {
  if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust;
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

it('runs as the user that it logged in as', async () => {
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

describe('a stream that fails', () => {
  const streamed = async (sql: string, settings = {}) => {
    const statement = await connection.executeStream(sql, { settings });
    const { data } = await statement.streamResult();
    let rows = 0;
    data.on('data', () => rows++);
    await finished(data);
    return rows;
  };

  it.each([
    ['before it is run', 'SELECT nope', /nope/],
    ['before its first row', 'SELECT 1 / (n - 1) FROM generate_series(1, 3) AS g(n)', /by zero/],
    ['after rows', 'SELECT 1 / (n - 290000) FROM generate_series(1, 300000) AS g(n)', /by zero/],
    ['in the last rows', 'SELECT 1 / (20000 - n) FROM generate_series(1, 20000) AS g(n)', /by zero/],
  ])('%s raises its error', async (_, sql, error) => {
    await expect(streamed(sql)).rejects.toThrow(error);
  });

  it('after rows because of a timeout', async () => {
    const endless = 'SELECT n, repeat(n::text, 10) FROM generate_series(1, 10000000000) AS g(n)';
    await expect(streamed(endless, { statement_timeout: 1000 })).rejects.toThrow(/time/);
  });
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

/** The checks of the SDK's own integration tests against its service, rewritten. */
describe('scenarios of its integration tests', () => {
  const fetched = async (sql: string, options: Parameters<Connection['execute']>[1] = {}) =>
    (await connection.execute(sql, options)).fetchResult();

  it.each([
    ['select true::boolean', 'boolean', true],
    ['select 9223372036854775807', 'long', '9223372036854775807'],
    [
      'SELECT * FROM (SELECT 9223372036854775807::bigint UNION ALL SELECT NULL::bigint) ORDER BY 1',
      'long null',
      '9223372036854775807',
    ],
    ['select -9223372036854775808', 'long', '-9223372036854775808'],
    ["SELECT 'hello_ツ\n\u0048'::bytea", 'bytea', 'hello_ツ\nH'],
    ['SELECT null::bytea', 'bytea null', 'null'],
    ['SELECT 1::long', 'long', '1'],
    ["SELECT 'x'::text", 'text', 'x'],
    ['SELECT 123.4', 'double', '123.4'],
    ['SELECT 1.25::decimal(38, 4)', 'decimal', '1.2500'],
    ['SELECT 3.5::real', 'float', '3.5'],
  ])('%s is %s', async (sql, type, value) => {
    const { data, meta } = await fetched(sql);
    expect(meta[0]!.type).toBe(type);
    expect(String((data[0] as unknown[])[0])).toBe(String(value));
  });

  it('inf and nan', async () => {
    const { data } = await fetched(`SELECT 'inf'::float, '-inf'::float, 'nan'::float, '-nan'::float`);
    expect(data[0]).toEqual([Infinity, -Infinity, Number.NaN, Number.NaN]);
  });

  it('dates and times', async () => {
    const { data } = await fetched(`SELECT '2023-06-20 14:50:00'::timestamp, '2023-06-20'::date`);
    expect((data[0] as Date[]).map((date) => date.toISOString())).toEqual([
      '2023-06-20T14:50:00.000Z',
      '2023-06-20T00:00:00.000Z',
    ]);
  });

  it('structs in arrays, with normalized data', async () => {
    const { data } = await fetched(`SELECT [{'arn': 'a', 'id': 1}, {'arn': 'b', 'id': 2}] AS list`, {
      response: { normalizeData: true },
    });
    expect(data).toEqual([
      {
        list: [
          { arn: 'a', id: 1 },
          { arn: 'b', id: 2 },
        ],
      },
    ]);
  });

  it('bytea through a parameter and a table', async () => {
    const value = Buffer.from('hello_world_123ツ\n\u0048');
    await connection.execute('CREATE TABLE "bytea_test" (id int, data bytea not null)');
    await connection.execute('INSERT INTO "bytea_test" VALUES (1, ?::bytea)', { parameters: [value] });
    const { data, meta } = await fetched('SELECT data FROM "bytea_test"');
    expect(meta[0]!.type).toBe('bytea');
    expect(data).toEqual([[value]]);
  });

  it('texts that need quoting', async () => {
    const text = `some string \\ ' " \n\t ; -- ?`;
    expect((await fetched('SELECT ?', { parameters: [text] })).data).toEqual([[text]]);
  });

  describe('parameters of the server', () => {
    let numeric: Connection;
    beforeAll(async () => {
      numeric = await firebolt.connect({ ...OPTIONS, preparedStatementParamStyle: 'fb_numeric' });
    });
    const bound = async (sql: string, options: Parameters<Connection['execute']>[1]) => {
      const { data, meta } = await (await numeric.execute(sql, options)).fetchResult();
      return [meta.map(({ type }) => type), (data[0] as unknown[]).map(String)];
    };

    it('are bound by position and by name, even if some are unused', async () => {
      const expected = [
        ['long', 'long'],
        ['1', '2'],
      ];
      expect(await bound('SELECT $1, $2', { parameters: [1, 2, 3] })).toEqual(expected);
      expect(await bound('SELECT $1, $2', { namedParameters: { $1: 1, $2: 2, $3: 3 } })).toEqual(expected);
      expect(await bound('SELECT $34, $72', { namedParameters: { $34: 1, $72: 2 } })).toEqual(expected);
    });

    it('have every type', async () => {
      const parameters = [42, '9007199254740991', '12345.6789', 3.14, 2.7182818459, 'Hello'];
      expect(
        await bound('SELECT $1::int, $2::long, $3::decimal(38,4), $4::real, $5::double, $6::text', {
          parameters,
        }),
      ).toEqual([
        ['int', 'long', 'decimal', 'float', 'double', 'text'],
        ['42', '9007199254740991', '12345.6789', '3.14', '2.7182818459', 'Hello'],
      ]);
    });

    it('are named if they are missing', async () => {
      await expect(numeric.execute('SELECT $1, $2', { parameters: [1] })).rejects.toThrow(/\$2/);
    });
  });

  it('streams sums of normalized rows', async () => {
    const statement = await connection.executeStream('select 1 from generate_series(1, 250000)', {
      response: { normalizeData: true },
    });
    const { data } = await statement.streamResult();
    let sum = 0;
    data.on('data', (row: Record<string, number>) => {
      sum += row['?column?']!;
    });
    await once(data, 'end');
    expect(sum).toBe(250_000);
  });

  it.each([
    ['syntax', 'SELEC 1'],
    ['a missing table', 'SELECT * FROM no_such_table'],
    ['division by zero', 'SELECT 1 / 0'],
    ['a bad cast', "SELECT 'abc'::int"],
  ])('errors: %s', async (_, sql) => {
    await expect(connection.execute(sql)).rejects.toThrow(/Line 1|by zero|abc/);
  });

  it('an asynchronous statement is seen by another connection and can be cancelled', async () => {
    const endless = 'SELECT count(*) FROM generate_series(1, 100000000000) AS g(n) WHERE n % 7 = 3';
    const { asyncQueryToken: token } = await connection.executeAsync(endless);
    const other = await firebolt.connect(OPTIONS);
    expect(await other.isAsyncQueryRunning(token)).toBe(true);
    await other.cancelAsyncQuery(token);
    await expect.poll(() => connection.isAsyncQueryRunning(token)).toBe(false);
    expect(await other.isAsyncQuerySuccessful(token)).toBe(false);
  });

  it('lists databases and engines through its resource manager', async () => {
    const { resourceManager } = firebolt;
    expect((await resourceManager.database.getAll()).map(({ name }) => name)).toContain('tessera');
    expect((await resourceManager.database.getByName('tessera')).name).toBe('tessera');
    const [engine] = await resourceManager.engine.getAll();
    expect((await resourceManager.engine.getByName(engine!.name)).name).toBe(engine!.name);
    const { data } = await fetched('SELECT database_name, description FROM information_schema.databases');
    expect(data).toContainEqual(['tessera', null]);
  });

  it('connections keep their settings apart, and testConnection passes', async () => {
    await expect(firebolt.testConnection(OPTIONS)).resolves.toBeUndefined();
    const other = await firebolt.connect(OPTIONS);
    await other.execute("SET timezone = 'Europe/Bucharest'");
    const sql = "SELECT '2025-12-15 16:00:00+00'::timestamptz::text";
    expect((await (await other.execute(sql)).fetchResult()).data).toEqual([['2025-12-15 18:00:00+02']]);
    expect((await fetched(sql)).data).not.toEqual([['2025-12-15 18:00:00+02']]);
  });

  it('a connection that is destroyed ends its statements', async () => {
    const other = await firebolt.connect(OPTIONS);
    const running = other.execute('SELECT 1');
    await other.destroy();
    await expect(running).rejects.toThrow();
  });
});
