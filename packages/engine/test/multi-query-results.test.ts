import { afterAll, beforeAll, expect, it } from 'vitest';
import { query } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
});
afterAll(() => server[Symbol.asyncDispose]());

const all = (sql: string, params: Record<string, string> = {}) =>
  query(server, sql, { enable_multi_query_requests: 'true', multi_query_results: 'all', ...params });

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const FAILS_LATE =
  "SELECT CASE WHEN i = 300000 THEN 'a' ELSE '1' END::INT AS a FROM generate_series(1, 300000) AS g(i)";

it('text formats print every result, with a blank line between two', async () => {
  const sql = 'CREATE TABLE printed (a INT); SELECT 1 AS a; INSERT INTO printed VALUES (7); TABLE printed';
  const tsv = await all(sql, { output_format: 'TabSeparatedWithNames' });
  expect(tsv).toMatchObject({ status: 200, text: 'a\n1\n\na\n7\n' });
  expect((await all('SELECT 1 AS a; SELECT 2 AS b', { output_format: 'CSVWithNames' })).text).toBe(
    '"a"\n1\n\n"b"\n2\n',
  );
  const psql = await all('SELECT 1 AS a; SELECT 2 AS b', { output_format: 'PSQL' });
  expect(psql.text).toBe(' a \n---\n 1\n(1 row)\n\n b \n---\n 2\n(1 row)\n');
});

it('JSON formats give a document or lines for each result', async () => {
  const documents = await all('SELECT 1 AS a; SELECT 2 AS b', { output_format: 'JSON' });
  expect(lines(documents.text).map(({ data }) => data)).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  const messages = await all('SELECT 1 AS a; SELECT 2 AS b', { output_format: 'JSONLines_Compact' });
  const kinds = ['START', 'DATA', 'FINISH_SUCCESSFULLY'];
  expect(lines(messages.text).map((m) => m.message_type)).toEqual([...kinds, ...kinds]);
});

it('Arrow gives one stream after the other; Parquet is refused before anything runs', async () => {
  const url = new URL(server.url);
  const params = {
    enable_multi_query_requests: 'true',
    multi_query_results: 'all',
    output_format: 'ArrowStream',
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const ask = async (body: string) =>
    Buffer.from(await (await fetch(url, { method: 'POST', body })).arrayBuffer());
  for (const compress of ['false', 'true']) {
    url.searchParams.set('compress', compress);
    const [one, two] = [await ask('SELECT 1 AS a'), await ask('SELECT 2 AS b')];
    expect(await ask('SELECT 1 AS a; SELECT 2 AS b')).toEqual(Buffer.concat([one, two]));
  }

  const refused = await all('CREATE TABLE unmade (a INT); SELECT 1', { output_format: 'Parquet' });
  expect(refused.json().errors[0]).toMatchObject({ name: 'INVALID_ARGUMENT' });
  expect((await query(server, 'SELECT * FROM unmade')).status).toBe(400);
});

it('an error after a result ends the body with the error document, which names the statement', async () => {
  const sql = 'SELECT 1 AS a;\nSELECT 2 AS b;\nSELECT nope;\nSELECT 4';
  const answer = await all(sql, { output_format: 'JSON_Compact' });
  expect(answer.status).toBe(200);
  const [first, second, error, ...more] = lines(answer.text);
  expect([first.data, second.data, more]).toEqual([[[1]], [[2]], []]);
  expect(error).toMatchObject({ errors: [{ name: 'UNDEFINED_NAME', location: { failing_line: 3 } }] });
  expect(error.message).toContain('(statement 3 of 4)');

  const text = await all(sql, { output_format: 'TabSeparatedWithNames' });
  expect(text.text).toMatch(/^a\n1\n\nb\n2\n\n\{"errors":.*\n$/);
  const messages = lines((await all(sql, { output_format: 'JSONLines_Compact' })).text);
  expect(messages.at(-1)).toMatchObject({
    message_type: 'FINISH_WITH_ERRORS',
    errors: [{ name: 'UNDEFINED_NAME' }],
  });
  expect((await all('SELECT nope; SELECT 1')).status).toBe(400);
});

it('an error during a result is reported if no row has been sent, and otherwise closes the connection', async () => {
  const short = `SELECT 1 AS a; ${FAILS_LATE.replace('AS a', '')} WHERE i > 299990; SELECT 3`;
  const [first, error, ...more] = lines((await all(short, { output_format: 'JSON_Compact' })).text);
  expect([first.data, more]).toEqual([[[1]], []]);
  expect(error.errors[0]).toMatchObject({ name: 'CAST_ERROR' });
  await expect(all(`SELECT 1 AS a; ${FAILS_LATE}`, { output_format: 'JSON_Compact' })).rejects.toThrow();
  const messages = lines(
    (await all(`SELECT 1 AS a; ${FAILS_LATE}`, { output_format: 'JSONLines_Compact' })).text,
  );
  expect(messages.at(-1)).toMatchObject({
    message_type: 'FINISH_WITH_ERRORS',
    errors: [{ name: 'CAST_ERROR' }],
  });
  expect(messages.at(-1).errors[0].description).toContain('(statement 2 of 2)');
});

it('a timeout of a later statement is reported after the results before it', async () => {
  const sql =
    'SELECT 1 AS a; SELECT count(*) FROM generate_series(1, 100000000000) AS g(i) WITH (statement_timeout = 100)';
  const [first, error] = lines((await all(sql, { output_format: 'JSON_Compact' })).text);
  expect(first.data).toEqual([[1]]);
  expect(error.errors[0].name).toBe('STATEMENT_TIMEOUT');
});

const FIRST_RESULT = 'a\nint\n1\n';

it('a result leaves before the next statement runs', async () => {
  const url = new URL(server.url);
  const params = { enable_multi_query_requests: 'true', multi_query_results: 'all', query_id: 'waits' };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const body = 'SELECT 1 AS a; SELECT count(*) FROM generate_series(1, 100000000000) AS g(i)';
  const response = await fetch(url, { method: 'POST', body });
  const reader = response.body!.getReader();
  let arrived = '';
  const more = async () => {
    const { value, done } = await reader.read();
    arrived += Buffer.from(value ?? []).toString();
    return !done;
  };
  while (arrived.length < FIRST_RESULT.length && (await more()));
  expect(arrived).toBe(FIRST_RESULT);
  await query(server, "CANCEL QUERY WHERE query_id = 'waits'");
  while (await more());
  expect(JSON.parse(arrived.slice(FIRST_RESULT.length)).errors[0]).toMatchObject({ name: 'QUERY_CANCELLED' });
});

it('a transaction stays inside the request, and its failure rolls it back', async () => {
  await query(server, 'CREATE TABLE kept (a INT)');
  const committed = await all(
    'BEGIN; INSERT INTO kept VALUES (1); SELECT a FROM kept; COMMIT; SELECT count(*) FROM kept',
  );
  expect(committed.text).toBe('a\nint null\n1\n\ncount\nlong\n1\n');
  const failed = await all('BEGIN; SELECT 1 AS a; INSERT INTO kept VALUES (2); SELECT nope; COMMIT');
  expect(failed.text).toContain('(statement 4 of 5)');
  for (const open of ['SELECT 1; BEGIN', 'BEGIN; INSERT INTO kept VALUES (3)']) {
    const refused = await all(open);
    expect([refused.status, refused.json().errors[0].name]).toEqual([400, 'INVALID_ARGUMENT']);
  }
  expect((await query(server, 'SELECT a FROM kept')).text).toBe('a\nint null\n1\n');
  const open = await query(server, 'SELECT transaction_id FROM information_schema.transactions');
  expect(open.text.split('\n')).toHaveLength(3);
});

it('a change of the session lasts until the request ends, and says so', async () => {
  const answer = await all(
    "SELECT 1 AS a; SET timezone = 'Asia/Tokyo'; SHOW timezone; SET timezone = 'UTC'",
    {
      output_format: 'JSON_Compact',
    },
  );
  const [, shown] = lines(answer.text);
  expect(shown.data).toEqual([['timezone', 'Asia/Tokyo']]);
  expect(shown.warnings).toHaveLength(1);
  expect(answer.headers.get('firebolt-update-parameters')).toBe(null);
});
