import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
});
afterAll(() => server[Symbol.asyncDispose]());

const TWO_ROWS = `SELECT * FROM (VALUES (1, 'a	b'), (2, NULL)) AS t(n, s) ORDER BY n`;

describe('output formats', () => {
  it.each([
    ['', 'n\ts\nint null\ttext null\n1\ta\\tb\n2\t\\N\n'],
    ['TabSeparatedWithNames', 'n\ts\n1\ta\\tb\n2\t\\N\n'],
    ['tabseparatedwithnames', 'n\ts\n1\ta\\tb\n2\t\\N\n'],
    ['CSVWithNames', '"n","s"\n1,a\tb\n2,\n'],
  ])('%s', async (format, expected) => {
    const answer = await query(server, TWO_ROWS, format === '' ? {} : { output_format: format });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(expected);
  });

  it('JSON_Compact carries query, meta, data, rows and statistics', async () => {
    const answer = await query(server, 'SELECT 42', { output_format: 'JSON_Compact', query_label: 'mine' });
    const body = answer.json();
    expect(body.meta).toEqual([{ name: '?column?', type: 'int' }]);
    expect(body.data).toEqual([[42]]);
    expect(body.rows).toBe(1);
    expect(body.query).toMatchObject({
      query_id: answer.headers.get('firebolt-query-id'),
      query_label: 'mine',
    });
    expect(Object.keys(body.statistics)).toEqual([
      'elapsed',
      'rows_read',
      'bytes_read',
      'time_before_execution',
      'time_to_execute',
      'scanned_bytes_cache',
      'scanned_bytes_storage',
      'from_result_cache',
      'subresults_reused',
    ]);
  });

  it.each(['JSON_Compact', 'CSVWithNames'])('few rows of long texts are complete: %s', async (format) => {
    // Some rows would fit in one answer of the kernel, ten do not.
    for (const count of [2, 10]) {
      const sql = `SELECT i, repeat('x', 2000000) AS s FROM generate_series(1, ${count}) AS g(i) ORDER BY i LIMIT 100`;
      const { status, text } = await query(server, sql, { output_format: format });
      expect(status).toBe(200);
      expect(text.match(/x{2000000}/g)).toHaveLength(count);
    }
  });

  it('JSON has rows as objects', async () => {
    const answer = await query(server, TWO_ROWS, { output_format: 'JSON' });
    expect(answer.json().data).toEqual([
      { n: 1, s: 'a\tb' },
      { n: 2, s: null },
    ]);
  });

  it('JSON without rows is complete', async () => {
    const answer = await query(server, 'SELECT 1 AS n WHERE false', { output_format: 'JSON_Compact' });
    expect(answer.json()).toMatchObject({ data: [], rows: 0 });
  });

  it('JSON_CompactLimited stops at 10,000 rows', async () => {
    const sql = 'SELECT n FROM generate_series(1, 12000) AS g(n)';
    const answer = await query(server, sql, { output_format: 'JSON_CompactLimited' });
    expect(answer.json().rows).toBe(10_000);
    expect(answer.json().data).toHaveLength(10_000);
  });

  it('JSONLines_Compact has one message per line', async () => {
    const sql = 'SELECT n FROM generate_series(1, 5000) AS g(n) ORDER BY n';
    const answer = await query(server, sql, { output_format: 'JSONLines_Compact' });
    const messages = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages[0]).toMatchObject({
      message_type: 'START',
      result_columns: [{ name: 'n', type: 'long null' }],
    });
    expect(messages.at(-1)).toMatchObject({ message_type: 'FINISH_SUCCESSFULLY' });
    const data = messages.slice(1, -1).flatMap((m) => m.data.map((row: string[]) => row[0]));
    expect(data).toEqual(Array.from({ length: 5000 }, (_, i) => String(i + 1)));
  });

  it('JSONLines_Compact reports a failure after rows were sent', async () => {
    const sql =
      "SELECT CASE WHEN n < 900000 THEN n ELSE CAST('x' AS INT) END FROM generate_series(1, 1000000) AS g(n)";
    const answer = await query(server, sql, { output_format: 'JSONLines_Compact' });
    const last = JSON.parse(answer.text.trimEnd().split('\n').at(-1)!);
    expect(last).toMatchObject({ message_type: 'FINISH_WITH_ERRORS', errors: [{ name: 'CAST_ERROR' }] });
  });

  it.each([
    ['at 400 for a plain client', {}, 400, 'application/json; charset=utf-8'],
    [
      'at 200 for the SDK',
      { 'Firebolt-Protocol-Version': '2.3' },
      200,
      'application/x-ndjson; charset=utf-8',
    ],
  ])('JSONLines_Compact has a message for a failure before the first row, %s', async (...expected) => {
    const [, headers, status, contentType] = expected;
    const answer = await query(server, 'SELECT 1 / 0', { output_format: 'JSONLines_Compact' }, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, contentType]);
    expect(answer.json()).toMatchObject({
      message_type: 'FINISH_WITH_ERRORS',
      errors: [{ name: 'DIVISION_BY_ZERO' }],
    });
  });

  it('every other format closes the connection instead', async () => {
    const sql =
      "SELECT CASE WHEN n < 900000 THEN n ELSE CAST(n || 'x' AS INT) END FROM generate_series(1, 1000000) AS g(n)";
    await expect(query(server, sql, { output_format: 'CSVWithNames' })).rejects.toThrow();
  });

  it('an unknown format is refused with the nearest name', async () => {
    const answer = await query(server, 'SELECT 1', { output_format: 'JSON_Compakt' });
    expect(answer.status).toBe(400);
    expect(answer.json().message).toContain('did you mean JSON_Compact?');
  });
});

describe('errors', () => {
  it('a plain client gets status 400 with code, name, location and query id', async () => {
    const answer = await query(server, 'SELECT 1,\n  no_such_column');
    expect(answer.status).toBe(400);
    const body = answer.json();
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({
      code: '42703',
      name: 'UNDEFINED_NAME',
      severity: 'ERROR',
      location: { failing_line: 2, start_offset: 3 },
    });
    expect(body.message).toBe(body.errors[0].description);
    expect(body.message).toMatch(/^Line 2, Column 3: .*no_such_column/);
    expect(body.query.query_id).toBe(answer.headers.get('firebolt-query-id'));
  });

  it('a client of the protocol gets statement errors as 200', async () => {
    const answer = await query(server, 'SELEC 1', {}, { 'Firebolt-Protocol-Version': '2.4' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-firebolt-protocol-version')).toBe('2.4');
    expect(answer.json().errors[0]).toMatchObject({ name: 'SYNTAX_ERROR' });
  });

  it.each([
    ['SELECT 1/0', 'DIVISION_BY_ZERO', 400],
    ["SELECT 'x'::int", 'CAST_ERROR', 400],
    ['SELECT * FROM no_such_table', 'UNDEFINED_TABLE', 400],
    ['SELECT no_such_function(1)', 'UNDEFINED_FUNCTION', 400],
    ['', 'SYNTAX_ERROR', 400],
    ['-- nothing', 'SYNTAX_ERROR', 400],
    ['CREATE ENGINE e', 'NOT_SUPPORTED', 400],
    ["ATTACH 'x.db'", 'FORBIDDEN', 403],
    ["SELECT * FROM read_csv_auto('/etc/passwd')", 'FORBIDDEN', 403],
    ["SELECT * FROM READ_CSV('/etc/passwd')", 'LOCATION_NOT_ALLOWED', 403],
    ["SELECT getenv('HOME')", 'FORBIDDEN', 403],
    ['SELECT 1; SELECT 2', 'SYNTAX_ERROR', 400],
  ])('%s → %s', async (sql, name, status) => {
    const answer = await query(server, sql);
    expect(answer.json().errors[0].name).toBe(name);
    expect(answer.status).toBe(status);
  });

  it('an unknown database is answered with 404', async () => {
    expect((await query(server, 'SELECT 1', { database: 'nowhere' })).status).toBe(404);
    expect((await query(server, 'SELECT 1', { database: 'tessera' })).status).toBe(200);
  });
});

describe('settings and parameters', () => {
  it('an unknown query-string name is an unknown setting', async () => {
    const answer = await query(server, 'SELECT 1', { statement_timeot: '5' });
    expect(answer.status).toBe(400);
    expect(answer.json().message).toBe('Unknown setting statement_timeot (did you mean statement_timeout?)');
  });

  it('timezone by query string and by suffix', async () => {
    const sql = "SELECT '2024-07-01 12:00:00+00'::timestamptz";
    expect(
      (await query(server, sql, { timezone: 'Asia/Kolkata', output_format: 'CSVWithNames' })).text,
    ).toContain('2024-07-01 17:30:00+05:30');
    expect((await query(server, `${sql} WITH (timezone = 'Asia/Kolkata')`)).text).toContain('17:30:00+05:30');
    const asked = "SELECT current_setting('TimeZone')";
    expect((await query(server, asked, { timezone: 'Asia/Tokyo' })).text).toContain('Asia/Tokyo');
  });

  it('an error points into the text that was sent, also after comments', async () => {
    const { errors } = (await query(server, "-- first\n\n  SELECT 'x', oops")).json();
    expect(errors[0].location).toMatchObject({ failing_line: 3, start_offset: 15 });
  });

  it('standard_conforming_strings decides what a backslash means', async () => {
    const sql = String.raw`SELECT 'it\'s', length('\n'), oops`;
    const off = { standard_conforming_strings: 'false' };
    const CSV = { output_format: 'CSVWithNames' };
    expect((await query(server, sql.replace(', oops', ''), off)).text).toContain("it's\t1");
    expect((await query(server, sql, off)).json().errors[0].location).toMatchObject({
      start_offset: sql.indexOf('oops') + 1,
    });
    expect((await query(server, sql)).json().errors[0].name).toBe('SYNTAX_ERROR');
    const own = (value: string) =>
      String.raw`SELECT 'a\\b' AS x WITH (standard_conforming_strings = ${value})`;
    expect((await query(server, own('false'), CSV)).text).toBe('"x"\na\\b\n');
    expect((await query(server, own('true'), { ...off, ...CSV })).text).toBe('"x"\na\\\\b\n');
  });

  it('SET answers with the setting to keep, and refuses invalid ones', async () => {
    const answer = await query(server, "SET timezone = 'Asia/Tokyo'");
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('firebolt-update-parameters')).toBe('timezone=Asia/Tokyo');
    expect((await query(server, "SET timezone = 'Mars/Olympus'")).json().errors[0].name).toBe(
      'INVALID_SETTING',
    );
  });

  it('USE DATABASE answers with the database to keep', async () => {
    const answer = await query(server, 'USE DATABASE tessera');
    expect(answer.headers.get('firebolt-update-parameters')).toBe('database=tessera');
    expect((await query(server, 'USE DATABASE nowhere')).status).toBe(404);
  });

  it('query_parameters bind $1 by JSON type', async () => {
    const query_parameters =
      '[{"name":"$1","value":9007199254740993},{"name":"$2","value":"x"},{"name":"$3","value":null},' +
      '{"name":"$4","value":1.5},{"name":"$5","value":true}]';
    const answer = await query(server, 'SELECT $1, $2, $3, $4, $5', {
      query_parameters,
      output_format: 'JSON_Compact',
    });
    expect(answer.json().data).toEqual([['9007199254740993', 'x', null, 1.5, true]]);
  });

  it.each([
    ['{', 'not valid JSON'],
    ['{}', 'expected a JSON array'],
    ['[{"name":"$1","value":1},{"name":"$1","value":2}]', '$1 is specified twice'],
    ['[{"value":1}]', 'element 1 has no "name"'],
    ['[{"name":"$1","value":[1]}]', '$1: a value is'],
  ])('query_parameters=%s is refused', async (query_parameters, message) => {
    const answer = await query(server, 'SELECT 1', { query_parameters });
    expect(answer.status).toBe(400);
    expect(answer.json().message).toContain(message);
  });

  it('execution_mode=describe_parameters runs nothing', async () => {
    const answer = await query(server, "SELECT $1::int + 1 AS n, 'x' AS s", {
      execution_mode: 'describe_parameters',
    });
    expect(answer.json()).toEqual({
      parameter_types: { $1: 'int' },
      result_columns: [
        { name: 'n', type: 'int null' },
        { name: 's', type: 'text' },
      ],
    });
  });

  it.each([
    ['VALUES ($1::int), ($2)', { $1: 'int', $2: 'int' }],
    [
      'SELECT a FROM (VALUES ($1::text, $2::date), ($3, $4)) t(a, b)',
      { $1: 'text', $2: 'date', $3: 'text', $4: 'date' },
    ],
    ["VALUES ($1), ('\\x01'::bytea)", { $1: 'bytea' }],
    ['VALUES ($1), (now())', { $1: 'timestamptz' }],
    ["VALUES ($1), ('x'), (NULL)", { $1: 'text' }],
    ['SELECT 1 UNION ALL SELECT $1', { $1: 'int' }],
    ['SELECT $1 UNION SELECT current_date', { $1: 'date' }],
    ["SELECT '{}'::jsonb @> $1::json::jsonb", { $1: 'json' }],
    ["SELECT '{}'::jsonb #> $1::text[]::text[]", { $1: 'array(text null)' }],
    [
      `VALUES ${Array.from({ length: 13 }, (_, i) => `($${2 * i + 1}::int, $${2 * i + 2})`).join(', ')}`,
      Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`$${i + 1}`, i % 2 === 0 ? 'int' : 'text'])),
    ],
  ])('describes the parameters of %s', async (sql, types) => {
    const answer = await query(server, sql, { execution_mode: 'describe_parameters' });
    expect(answer.json().parameter_types).toEqual(types);
  });

  it('several statements only run on request, and the last result is returned', async () => {
    const answer = await query(
      server,
      "SET timezone = 'Asia/Tokyo'; SELECT 1; SELECT '2024-01-01 00:00:00+00'::timestamptz::text;",
      {
        enable_multi_query_requests: 'true',
        output_format: 'JSON_Compact',
      },
    );
    expect(answer.json().data).toEqual([['2024-01-01 09:00:00+09']]);
  });

  it('max_result_rows cuts a larger result, as LIMIT does', async () => {
    const sql = 'SELECT n AS a, -n AS a FROM generate_series(1, 1000) AS g(n) ORDER BY n DESC';
    const cut = { max_result_rows: '2' };
    const json = (await query(server, sql, { ...cut, output_format: 'JSON_Compact' })).json();
    expect([json.rows, json.data]).toEqual([
      2,
      [
        ['1000', '-1000'],
        ['999', '-999'],
      ],
    ]);
    const csv = await query(server, sql, { ...cut, output_format: 'CSVWithNames' });
    expect(csv.text).toBe('"a","a"\n1000,-1000\n999,-999\n');
    expect((await query(server, sql, { ...cut, output_format: 'PSQL' })).text).toContain('(2 rows)');
    for (const output_format of ['ArrowStream', 'Parquet'])
      expect((await query(server, sql, { ...cut, output_format })).status).toBe(200);
    expect((await query(server, `${sql} WITH (max_result_rows = 1)`)).text.split('\n')).toHaveLength(4);
    expect(
      (await query(server, 'EXPLAIN SELECT 1', { max_result_rows: '1' })).text.split('\n').length,
    ).toBeGreaterThan(3);
  });
});

const ENDLESS = 'SELECT count(*) FROM generate_series(1, 100000000000) AS g(n) WHERE n % 7 = 3';

describe('requests that are not HTTP, or too much of it', () => {
  /** Sends raw bytes and returns what the server sends until it closes the connection. */
  const raw = (bytes: string, url = server.url): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      let text = '';
      socket.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
  const parsed = (answer: string) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/content-type: application\/json/i);
    return [Number(head.split(' ')[1]), JSON.parse(body).errors[0].name];
  };
  const POST = 'POST / HTTP/1.1\r\nHost: localhost\r\n';

  it.each([
    ['no HTTP at all', 'hello there\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a bad header', `${POST}bad header: x\r\n\r\n`, 400, 'BAD_REQUEST'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400, 'BAD_REQUEST'],
    ['a bad chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'BAD_REQUEST'],
    ['no host', 'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'a long header',
      `${POST}X-Long: ${'x'.repeat(100_000)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a header of a megabyte', `${POST}X-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    [
      'a bad escape in the path',
      'POST /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'BAD_REQUEST'],
    [
      'an expectation that nobody meets',
      `${POST}Expect: miracle\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      417,
      'BAD_REQUEST',
    ],
  ])('%s', async (_, bytes, status, name) => {
    expect(parsed(await raw(bytes))).toEqual([status, name]);
  });

  it('the ports for health and metrics refuse them in the same form', async () => {
    for (const url of [server.healthUrl, server.metricsUrl]) {
      expect(parsed(await raw('hello there\r\n\r\n', url))).toEqual([400, 'BAD_REQUEST']);
      expect(parsed(await raw(`${POST}X-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`, url))[0]).toBe(431);
    }
  });

  it('long parameters are taken', async () => {
    const value = 'x'.repeat(200_000);
    const query_parameters = JSON.stringify([{ name: '$1', value }]);
    expect((await query(server, 'SELECT length($1)', { query_parameters })).text).toContain('200000');
  });
});

describe('stopping a query', () => {
  it('statement_timeout and max_execution_time', async () => {
    const byMs = await query(server, ENDLESS, { statement_timeout: '200' });
    expect([byMs.status, byMs.json().errors[0].name]).toEqual([504, 'STATEMENT_TIMEOUT']);
    const bySeconds = await query(server, ENDLESS, { max_execution_time: '0.2' });
    expect(bySeconds.json().errors[0].name).toBe('STATEMENT_TIMEOUT');
    for (const max_execution_time of ['-1', '1e99', 'soon', '']) {
      expect((await query(server, 'SELECT 1', { max_execution_time })).json().errors[0].description).toBe(
        `Setting max_execution_time: expected seconds from 0 to 9007199254740, got "${max_execution_time}"`,
      );
    }
    // The value exceeds the range of a Node timer.
    const work = 'SELECT count(*) FROM generate_series(1, 30000000) AS g(n) WHERE n % 7 = 3';
    expect((await query(server, work, { statement_timeout: '3000000000' })).status).toBe(200);
  });

  it('POST /cancel', async () => {
    const running = query(server, ENDLESS, { query_id: 'to-be-cancelled' });
    const cancel = () => fetch(new URL('/cancel?query_id=to-be-cancelled', server.url), { method: 'POST' });
    await expect.poll(async () => (await cancel()).status).toBe(200);
    const answer = await running;
    expect(answer.json().errors[0]).toMatchObject({ name: 'QUERY_CANCELLED', code: '57014' });
    expect((await cancel()).status).toBe(404);
  });

  it('CANCEL QUERY', async () => {
    const running = query(server, ENDLESS, { query_id: 'by-statement' });
    const cancel = () => query(server, "CANCEL QUERY WHERE query_id = 'by-statement'");
    await expect.poll(async () => (await cancel()).status).toBe(200);
    expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
  });

  it('the query of a client that disconnects is cancelled', async () => {
    const client = new AbortController();
    const url = new URL(server.url);
    url.searchParams.set('query_id', 'abandoned');
    const running = fetch(url, { method: 'POST', body: ENDLESS, signal: client.signal }).catch(() => 'gone');
    await expect.poll(runningQueries).toBe(1);
    client.abort();
    expect(await running).toBe('gone');
    await expect.poll(runningQueries).toBe(0);
  });
});

async function runningQueries(): Promise<number> {
  const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  return Number(/^tessera_running_queries\{\S+\} (\d+)/m.exec(text)?.[1]);
}

describe('other endpoints', () => {
  it('health, ping and metrics', async () => {
    for (const url of [
      `${server.healthUrl}/health/live`,
      `${server.healthUrl}/health/ready`,
      `${server.url}/ping`,
    ]) {
      expect((await fetch(url)).status, url).toBe(200);
    }
    await rows(server, 'SELECT 1');
    const metrics = await (await fetch(`${server.metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /^tessera_queries_total\{endpoint="http",outcome="ok",class="ok",engine="default-engine-id"\} \d+/m,
    );
  });

  it('discovery, engine URL and console', async () => {
    const discovery = await (await fetch(`${server.url}/.well-known/firebolt`)).json();
    expect(discovery).toMatchObject({ instance: { auth: null }, query_url: server.url });
    const engine = await (await fetch(`${server.url}/web/v3/account/mine/engineUrl`)).json();
    expect(engine).toEqual({ engineUrl: server.url });
    const page = await fetch(server.url, { headers: { Accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    const script = await fetch(`${server.url}/console/console.js`);
    expect(script.headers.get('content-encoding')).toBe('gzip');
    const headers = { 'If-None-Match': script.headers.get('etag') ?? '' };
    expect((await fetch(`${server.url}/console/console.js`, { headers })).status).toBe(304);
    expect((await fetch(`${server.url}/console/none.js`)).status).toBe(404);
  });

  it('queries are taken on any path', async () => {
    const answer = await fetch(`${server.url}/query?output_format=JSON_Compact`, {
      method: 'POST',
      body: 'SELECT 42',
    });
    expect(((await answer.json()) as { data: unknown }).data).toEqual([[42]]);
  });

  it('async=true answers at once with a token for polling', async () => {
    const started = await query(server, 'SELECT count(*) FROM generate_series(1, 1000)', { async: 'true' });
    expect(started.status).toBe(202);
    const { token, monitorSql } = started.json();
    expect(monitorSql).toBe(`CALL fb_GetAsyncStatus('${token}')`);
    const status = async () =>
      (await query(server, monitorSql, { output_format: 'JSON' })).json().data[0].status;
    await expect.poll(status).toBe('ENDED_SUCCESSFULLY');
  });

  it('the status of an asynchronous statement comes with its notices', async () => {
    const started = await query(server, 'CREATE TABLE noticed (a INT UNIQUE)', { async: 'true' });
    const status = async () =>
      (await query(server, started.json().monitorSql, { output_format: 'JSON' })).json();
    await expect.poll(async () => (await status()).data[0].status).toBe('ENDED_SUCCESSFULLY');
    expect((await status()).warnings).toEqual([
      expect.objectContaining({ severity: 'NOTICE', description: expect.stringContaining('not enforced') }),
    ]);
    expect((await query(server, 'SELECT 1', { output_format: 'JSON' })).json().warnings).toBe(undefined);
  });
});

describe('web pages of other origins', () => {
  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
  ])('Sec-Fetch-Site: %s → %i', async (site, status) => {
    expect(await statusWith({ 'Sec-Fetch-Site': site })).toBe(status);
  });

  it.each([
    ['evil.example', 403],
    ['localhost.evil.example:3473', 403],
    ['localhost:3473', 200],
    ['127.0.0.1', 200],
  ])('Host: %s → %i', async (host, status) => {
    expect(await statusWith({ Host: host })).toBe(status);
  });
});

/** Uses node:http, since fetch does not allow these headers. */
function statusWith(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const req = request(server.url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    req.on('error', reject);
    req.end('SELECT 1');
  });
}

describe('notices', () => {
  const skipped = {
    code: '00000',
    severity: 'NOTICE',
    description: 'table "no_such_é" does not exist, skipping',
  };

  it('are in a header of every answer', async () => {
    const answer = await query(server, 'DROP TABLE IF EXISTS "no_such_é"');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.headers.get('x-tessera-warnings') ?? '')).toEqual([skipped]);
  });

  it('are in JSON answers of rows and of errors', async () => {
    const several = { enable_multi_query_requests: 'true' };
    for (const output_format of ['JSON', 'JSON_Compact', 'JSONLines_Compact', 'Vertical']) {
      const answer = await query(server, 'DROP TABLE IF EXISTS "no_such_é"; SELECT 1', {
        ...several,
        output_format,
      });
      expect(JSON.parse(answer.headers.get('x-tessera-warnings') ?? '')).toEqual([skipped]);
      if (output_format === 'Vertical') continue;
      const last = JSON.parse(answer.text.trim().split('\n').at(-1)!);
      expect(last).toMatchObject({ statistics: {}, warnings: [skipped] });
    }
    const failed = await query(server, 'DROP TABLE IF EXISTS "no_such_é"; SELECT nope', several);
    expect(failed.json()).toMatchObject({ errors: [{ code: '42703' }], warnings: [skipped] });
  });

  it('are absent if there is nothing to report', async () => {
    const answer = await query(server, 'SELECT 1', { output_format: 'JSON' });
    expect(answer.headers.get('x-tessera-warnings')).toBe(null);
    expect(answer.json()).not.toHaveProperty('warnings');
  });
});
