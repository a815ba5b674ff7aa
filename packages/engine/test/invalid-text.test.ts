import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, resultFile, rows, upload } from './http.ts';
import {
  bind,
  execute,
  int32,
  message,
  parse,
  query as queryMessage,
  RawClient,
  sync,
  text,
} from './postgres-client.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

/**
 * A parameter `'a\0zzz'` was once cut to `'a'` where it became a C string, so a DELETE removed the wrong row.
 * PostgreSQL refuses such texts with 22021, and so must every interface of the engine. Files may contain NUL
 * characters, which their values keep.
 */
let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
  await query(server, 'CREATE TABLE cut (s TEXT)');
  await query(server, "INSERT INTO cut VALUES ('a'), ('b')");
});
afterAll(() => server[Symbol.asyncDispose]());

const parameters = (value: string) => ({ query_parameters: JSON.stringify([{ name: '$1', value }]) });

/** @param search the query string, percent-encoded by hand so that it need not be valid UTF-8 */
async function postTo(search: string, body: string | Buffer = 'SELECT 1') {
  const response = await fetch(`${server.url}?${search}`, { method: 'POST', body });
  const answer = (await response.json()) as {
    errors: { code: string; description: string; location?: object }[];
  };
  return { status: response.status, ...answer.errors[0]! };
}

describe('over HTTP', () => {
  it.each([
    ['DELETE FROM cut WHERE s = $1', 'a\0zzz', '0x00 (in parameter $1)'],
    ['DELETE FROM cut WHERE s = $1', 'a\ud800', '0xed 0xa0 0x80 (in parameter $1)'],
    ["SELECT param('$1')", 'a\0', '0x00 (in parameter $1)'],
    ['INSERT INTO cut VALUES ($1)', 'a\0zzz', '0x00 (in parameter $1)'],
  ])('%s refuses the parameter %j', async (sql, value, shown) => {
    const answer = await query(server, sql, parameters(value));
    expect(answer.status).toBe(400);
    expect(answer.json().errors[0]).toMatchObject({
      code: '22021',
      description: `invalid byte sequence for encoding "UTF8": ${shown}`,
    });
    const described = await query(server, sql, {
      ...parameters(value),
      execution_mode: 'describe_parameters',
    });
    expect(described.json().errors[0].code).toBe('22021');
  });

  it.each([
    ['SELECT 1 AS a\0 WHERE false', '0x00', 1, 14],
    ["SELECT\n 'é\0'", '0x00', 2, 4],
    ['CREATE TABLE "t\0" (a INT)', '0x00', 1, 16],
    ["SELECT * FROM read_csv('/tmp/x\0y')", '0x00', 1, 31],
    ["CREATE LOCATION l WITH SOURCE = LOCAL URL = 'file:///tmp\0/x'", '0x00', 1, 57],
    ["COPY cut TO '/tmp/x\0y'", '0x00', 1, 20],
    ["SET query_label = 'a\0b'", '0x00', 1, 21],
    ['CREATE USER "u\0" WITH PASSWORD = \'x\'', '0x00', 1, 15],
    [Buffer.from("SELECT 'é\xff'", 'latin1'), '0xe9 0xff 0x27', 1, 9],
    [Buffer.from('SELECT 1 -- \xc0\x80', 'latin1'), '0xc0 0x80', 1, 13],
  ])('refuses the statement %j', async (sql, bytes, line, column) => {
    expect(await postTo('', sql)).toMatchObject({
      status: 400,
      code: '22021',
      description: `Line ${line}, Column ${column}: invalid byte sequence for encoding "UTF8": ${bytes} (in the statement)`,
      location: { failing_line: line, start_offset: column },
    });
    const form = new FormData();
    form.append('sql', new Blob([sql]), 'sql');
    const parted = await fetch(server.url, { method: 'POST', body: form });
    expect(await parted.json()).toMatchObject({
      errors: [{ code: '22021', location: { failing_line: line } }],
    });
  });

  it.each([
    'query_label=a%00b',
    'database=tessera%00',
    'query_id=x%00',
    'transaction_id=x%00',
    'timezone=UTC%00',
    'output_format=JSON%00',
    'nope%00=1',
    'query_label=%ff',
    'query_label=%ed%a0%80',
  ])('refuses the query string %s', async (search) => {
    expect(await postTo(search)).toMatchObject({ status: 400, code: '22021' });
  });

  it('refuses a query id that no header can have', async () => {
    for (const id of ['a%0ab', 'a%20b', '%e3%81%82', 'x'.repeat(257)]) {
      expect(await postTo(`query_id=${id}`)).toMatchObject({ status: 400, code: '22023' });
    }
  });

  it('changes nothing', async () => {
    expect(await rows(server, 'SELECT s FROM cut ORDER BY s')).toEqual([['a'], ['b']]);
  });
});

describe('over PostgreSQL', () => {
  const REFUSED = /^E ERROR 22021 invalid byte sequence for encoding "UTF8": 0x00/;
  const open = () => RawClient.open(server.postgres);

  /** Sends a Bind message with one parameter in a format and returns the outcome. */
  const bindBytes = (bytes: Buffer, format: 0 | 1): Buffer => {
    const shorts = Buffer.from([0, 1, 0, format, 0, 1]);
    return message('B', text(''), text(''), shorts, int32(bytes.length), bytes, Buffer.from([0, 0]));
  };

  it.each([
    ['text', 25, 0, Buffer.from('a\0zzz')],
    ['text of an unknown type', 0, 0, Buffer.from('a\0zzz')],
    ['binary text', 25, 1, Buffer.from('a\0zzz')],
    ['binary varchar', 1043, 1, Buffer.from('\0')],
    ['binary json', 114, 1, Buffer.from('"\0"')],
    [
      'an element of a binary array',
      1009,
      1,
      Buffer.concat([int32(1), int32(0), int32(25), int32(1), int32(1), int32(2), Buffer.from('a\0')]),
    ],
  ] as const)('refuses a parameter: %s', async (_, oid, format, bytes) => {
    using client = await open();
    const sql = oid === 1009 ? 'DELETE FROM cut WHERE s = ANY($1)' : 'DELETE FROM cut WHERE s = $1';
    const answer = await client.ask(parse(sql, '', [oid]), bindBytes(bytes, format), execute(), sync);
    expect(answer.find((line) => line.startsWith('E'))).toMatch(REFUSED);
  });

  it('refuses bytes that are not UTF-8', async () => {
    using client = await open();
    for (const format of [0, 1] as const) {
      const answer = await client.ask(
        parse('SELECT $1::text'),
        bindBytes(Buffer.from([0x61, 0xff]), format),
        sync,
      );
      expect(answer).toContain(
        'E ERROR 22021 invalid byte sequence for encoding "UTF8": 0xff (in a parameter)'.replace(
          'a parameter',
          format === 0 ? 'parameter $1' : 'a parameter in binary format',
        ),
      );
    }
    expect((await client.ask(message('Q', Buffer.from([0x53, 0xff, 0x00]))))[0]).toMatch(/^E ERROR 22021 /);
  });

  it('accepts the zero bytes of a bytea', async () => {
    using client = await open();
    const answer = await client.ask(
      parse('SELECT $1::bytea', '', [17]),
      bindBytes(Buffer.from('a\0b'), 1),
      execute(),
      sync,
    );
    expect(answer).toContain('D \\x610062');
  });

  it('a NUL inside a message ends it, and what follows is not a valid message', async () => {
    using client = await open();
    const answer = await client.ask(queryMessage('DELETE FROM cut\0 WHERE false'));
    expect(answer[0]).toMatch(/^E ERROR 08P01 /);
  });

  it.each(['', ' CSV'])('refuses a line of COPY FROM STDIN%s, and says which', async (format) => {
    using client = await open();
    client.send(queryMessage(`COPY cut FROM STDIN${format}`));
    await client.until('G');
    const answer = await client.ask(message('d', Buffer.from('ok\nx\0y\n')), message('c'));
    expect(answer[0]).toMatch(REFUSED);
    expect(answer[0]).toContain('line 2');
  });

  it('refuses an escape of COPY that makes no text', async () => {
    using client = await open();
    client.send(queryMessage('COPY cut FROM STDIN'));
    await client.until('G');
    expect((await client.ask(message('d', Buffer.from('a\\000b\n')), message('c')))[0]).toMatch(REFUSED);
  });

  it('changes nothing', async () => {
    expect(await rows(server, 'SELECT s FROM cut ORDER BY s')).toEqual([['a'], ['b']]);
  });
});

describe('names in files', () => {
  const gzipped = (text: string) => new Blob([gzipSync(text)]);
  const NESTED = '[{"s": {"k\\u0000x": 1, "k": 2}}]';

  it.each([
    ['a CSV header', "read_csv('upload://f', header => true)", new Blob(['a\0b,a\n1,2\n'])],
    ['a quoted CSV header', "read_csv('upload://f', header => true)", new Blob(['"x\n\0",a\n1,2\n'])],
    [
      'a compressed CSV header',
      "read_csv('upload://f', header => true, compression => 'gzip')",
      gzipped('a\0b,a\n1,2\n'),
    ],
    ['a JSON key', "read_json('upload://f')", new Blob(['{"a\\u0000b": 1, "a": 2}\n'])],
    [
      'a key of a long JSON file',
      "read_json('upload://f')",
      new Blob([`{"a": "${'x'.repeat(1 << 20)}"}\n{"k\\u0000": 1}\n`]),
    ],
    ['a JSON key in an object', "read_json('upload://f')", new Blob([NESTED])],
    ['a compressed JSON key', "read_json('upload://f', compression => 'gzip')", gzipped(NESTED)],
  ])('refuses a NUL in %s', async (_, scan, f) => {
    const answer = await upload(server, `SELECT * FROM ${scan}`, { f });
    expect(answer.json().errors[0]).toMatchObject({
      code: '22021',
      description: 'invalid byte sequence for encoding "UTF8": 0x00 (in the name of a column of upload://f)',
    });
  });

  it('accepts a NUL in a value of the first line, and in a CSV file without a header', async () => {
    const f = new Blob(['a,b\nx\0y,2\n']);
    expect(await rows(server, "SELECT a FROM read_csv('upload://f', header => true)", { f })).toEqual([
      ['x\0y'],
    ]);
    expect(await rows(server, "SELECT f0 FROM read_csv('upload://f')", { f })).toEqual([['a'], ['x\0y']]);
  });
});

describe('values of files', () => {
  const NUL_VALUES = "VALUES ('a' || chr(0) || 'b'), ('a'), (chr(0)), ('b' || chr(0))";
  const kept = [['\0'], ['a'], ['a\0b'], ['b\0']];
  const fileOf = (format: string) => resultFile(server, format, `SELECT * FROM (${NUL_VALUES}) AS t(s)`);

  it.each([
    ['Parquet', 'read_parquet'],
    ['ArrowStream', 'read_arrow'],
    ['CSVWithNames', 'read_csv'],
  ])('keep NUL characters through %s', async (format, read) => {
    const args = read === 'read_csv' ? ', header => true' : '';
    const f = await fileOf(format);
    expect(await rows(server, `SELECT s FROM ${read}('upload://f'${args}) ORDER BY s`, { f })).toEqual(kept);
    expect(
      await rows(server, `SELECT count(*) FROM ${read}('upload://f'${args}) WHERE s = 'a'`, { f }),
    ).toEqual([['1']]);
  });

  it('keep NUL characters in JSON', async () => {
    const f = new Blob(['{"s": "a\\u0000b"}\n']);
    expect(await rows(server, "SELECT s, length(s) FROM read_json('upload://f')", { f })).toEqual([
      ['a\0b', '3'],
    ]);
  });

  it('keep NUL characters in tables, also in conditions, changes and deletions', async () => {
    await query(server, 'CREATE TABLE kept (s TEXT, n INT) PRIMARY INDEX s');
    await upload(server, "INSERT INTO kept SELECT s, 1 FROM read_parquet('upload://f')", {
      f: await fileOf('Parquet'),
    });
    expect(await rows(server, 'SELECT s FROM kept ORDER BY s')).toEqual(kept);
    expect(await rows(server, "SELECT s FROM kept WHERE s = 'a' || chr(0) || 'b'")).toEqual([['a\0b']]);
    expect(await rows(server, "SELECT s FROM kept WHERE s > 'a' AND s < 'b' ORDER BY s")).toEqual([['a\0b']]);
    await query(server, "UPDATE kept SET n = 2 WHERE s = 'a'");
    await query(server, 'DELETE FROM kept WHERE s = chr(0)');
    expect(await rows(server, 'SELECT s, n FROM kept ORDER BY s')).toEqual([
      ['a', 2],
      ['a\0b', 1],
      ['b\0', 1],
    ]);
    await query(server, 'VACUUM kept');
    expect(await rows(server, 'SELECT s FROM kept ORDER BY s')).toEqual([['a'], ['a\0b'], ['b\0']]);
  });

  it.each([
    ['TabSeparatedWithNames', 's\na\0b\n'],
    ['CSVWithNames', '"s"\na\0b\n'],
    ['JSON', '"data":[{"s":"a\\u0000b"}]'],
    ['JSON_Compact', '"data":[["a\\u0000b"]]'],
    ['JSONLines_Compact', '"data":[["a\\u0000b"]]'],
    ['PSQL', ' a\0b'],
    ['Vertical', 's: a\0b'],
    ['ArrowStream', 'a\0b'],
    ['Parquet', 'a\0b'],
  ])('are whole in %s', async (output_format, expected) => {
    const answer = await query(server, "SELECT 'a' || chr(0) || 'b' AS s", { output_format });
    expect(answer.text).toContain(expected);
  });

  it('are whole over PostgreSQL and in COPY TO STDOUT', async () => {
    using client = await RawClient.open(server.postgres);
    expect(await client.ask(queryMessage("SELECT 'a' || chr(0) || 'b'"))).toContain('D a\0b');
    expect(await client.ask(parse("SELECT 'a' || chr(0) || 'b'"), bind(), execute(), sync)).toContain(
      'D a\0b',
    );
    const copied = await client.ask(queryMessage("COPY (SELECT 'a' || chr(0) || 'b') TO STDOUT"));
    expect(copied).toContain('d "a\\u0000b\\n"');
  });
});
