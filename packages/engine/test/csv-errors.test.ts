import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows, upload } from './http.ts';
import { message, query as queryMessage, RawClient } from './postgres-client.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
  await query(server, 'CREATE TABLE t (a INT, b TEXT)');
});
afterAll(() => server[Symbol.asyncDispose]());

const late = (line: string) =>
  `a,b\n${Array.from({ length: 40_000 }, (_, i) => `${i},x${i}`).join('\n')}\n${line}\n1,y\n`;

const failure = async (sql: string, content: string | Uint8Array<ArrayBuffer>) => {
  const answer = await upload(server, sql, { f: new Blob([content]) });
  return { status: answer.status, ...answer.json().errors[0] };
};

describe('a bad line of a CSV file', () => {
  const HEADER = "read_csv('upload://f', header => true)";
  const INFERRED = "read_csv('upload://f', header => true, infer_schema => true)";

  it.each([
    ['short', 'a,b\n1,2\n3\n', 'line 3: it has 1 field, the first line has 2: "3"'],
    ['long', 'a,b\n1,2,3\n', 'line 2: it has 3 fields, the first line has 2: "1,2,3"'],
    [
      'short beyond what is looked at first',
      late('7'),
      'line 40002: it has 1 field, the first line has 2: "7"',
    ],
    ['of a quote that is not closed', 'a,b\n1,"x\n', 'line 2: a quote is not closed: "1,\\"x\\n"'],
    ['of text after a quote', 'a,b\n1,"x"y\n', 'line 2: text follows a closing quote: "1,\\"x\\"y"'],
  ])('%s is reported with its place', async (_, content, place) => {
    const bad = { status: 400, code: '22P04', description: `Cannot read upload://f, ${place}` };
    expect(await failure(`SELECT count(*) FROM ${HEADER}`, content)).toMatchObject(bad);
    expect(await failure(`SELECT count(*) FROM ${INFERRED}`, content)).toMatchObject(bad);
    expect(await failure(`INSERT INTO t SELECT a::int, b FROM ${HEADER}`, content)).toMatchObject(bad);
    expect(await failure("SELECT count(*) FROM 'upload://f'", content)).toMatchObject(bad);
  });

  it.each([
    ['short', 'a;b;c\n1;"x;y";2\n3;z\n4;w;5\n', 'line 3: it has 2 fields, the first line has 3: "3;z"'],
    ['short, after a tab', 'a\tb\n1\tx\n2\n', 'line 3: it has 1 field, the first line has 2: "2"'],
    [
      'the sum of a report',
      'a|b\r\n1|x\r\nTotal\r\n',
      'line 3: it has 1 field, the first line has 2: "Total"',
    ],
    [
      'of a quote that is not closed',
      '1,x,2\n2,y,3\n3,"z\n4,w,5\n',
      'line 3: a quote is not closed: "3,\\"z\\n4,w,5\\n"',
    ],
  ])('%s is reported if the delimiter is recognised', async (_, content, place) => {
    const bad = { status: 400, code: '22P04', description: `Cannot read upload://f, ${place}` };
    expect(await failure("SELECT * FROM 'upload://f'", content)).toMatchObject(bad);
    expect(await failure("SELECT * FROM 'upload://f'", gzipSync(content))).toMatchObject(bad);
  });

  it('is none if the lines are text', async () => {
    const prose = 'Dear Ada, dear Bob\nI write\nto you\n';
    const found = await rows(server, "SELECT * FROM 'upload://f'", { f: new Blob([prose]) });
    expect(found).toEqual([['I write'], ['to you']]);
  });

  it.each([
    ['in a cast', `INSERT INTO t SELECT a::int, b FROM ${HEADER}`, 'integer'],
    ['in a SELECT', `SELECT max(a::bigint) FROM ${HEADER}`, 'bigint'],
    ['in a column that is stored', `INSERT INTO t SELECT * FROM ${HEADER}`, 'integer'],
    ['in an inferred column', `SELECT max(a) FROM ${INFERRED}`, 'bigint'],
    ['in a date', `SELECT max(a::date) FROM ${HEADER}`, 'date'],
  ])('a text that is not of its type in %s is reported with its place', async (_, sql, type) => {
    const content = type === 'date' ? 'a,b\n2020-01-01,x\nzz,w\n' : late('zz,w');
    const line = type === 'date' ? 3 : 40_002;
    expect(await failure(sql, content)).toMatchObject({
      status: 400,
      code: type === 'date' ? '22007' : '22P02',
      description: `upload://f, line ${line}, column "a": invalid input syntax for type ${type}: "zz" (the line is "zz,w")`,
    });
  });

  it('is reported for a compressed file without a header', async () => {
    const sql = "SELECT f1::int FROM read_csv('upload://f', compression => 'gzip')";
    expect(await failure(sql, gzipSync('a,1\n"x\ny",2\nz,two\n'))).toMatchObject({
      description:
        'upload://f, line 4, column "f1": invalid input syntax for type integer: "two" (the line is "z,two")',
    });
  });

  it('stores nothing', async () => {
    expect(await rows(server, 'SELECT * FROM t')).toEqual([]);
  });
});

describe('READ_CSV', () => {
  it('fills short lines with NULL when it is asked to', async () => {
    const f = new Blob(['a,b\n1,2\n3\n']);
    const sql = "SELECT * FROM read_csv('upload://f', header => true, null_padding => true)";
    expect(await rows(server, sql, { f })).toEqual([
      ['1', '2'],
      ['3', null],
    ]);
  });

  const STRAY = 'a,b,c,d\n1,x,2020-01-01,1.5\n2,y,2020-01-02,2\nzz,w,n/a,-\n';
  const inferred = "SELECT * FROM read_csv('upload://f', header => true, infer_schema => true)";

  it('warns of columns that inference made text because of a few values', async () => {
    const answer = await upload(
      server,
      inferred,
      { f: new Blob([STRAY]) },
      { output_format: 'JSON_Compact' },
    );
    expect(answer.json().warnings.map((w: { description: string }) => w.description)).toEqual([
      'READ_CSV of upload://f: column "a" is inferred as text because of "zz" in row 3; 2 of the 3 values looked at are of type bigint',
      'READ_CSV of upload://f: column "c" is inferred as text because of "n/a" in row 3; 2 of the 3 values looked at are of type date',
      'READ_CSV of upload://f: column "d" is inferred as text because of "-" in row 3; 2 of the 3 values looked at are of type double precision',
    ]);
    expect(answer.json().warnings[0]).toMatchObject({ severity: 'WARNING', code: '01000' });
  });

  it('does not warn of text, nor where nothing is inferred', async () => {
    for (const sql of [inferred.replace('true)', 'false)'), inferred]) {
      const content = sql === inferred ? 'a,b\n1,x\n2,y\n3,4\n' : STRAY;
      const answer = await upload(server, sql, { f: new Blob([content]) });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-tessera-warnings')).toBe(null);
    }
  });
});

describe('COPY FROM STDIN', () => {
  it('names the line', async () => {
    using client = await RawClient.open(server.postgres);
    client.send(queryMessage('COPY t FROM STDIN CSV'));
    await client.until('G');
    const [error] = await client.ask(message('d', Buffer.from('1,x\n2,y,z\n')), message('c'));
    expect(error).toMatch(/^E ERROR 22P04 .*line 2.*extra data after last expected column/);
  });
});

describe('a file whose text the kernel cannot read', () => {
  const TABLE = 'id,name\n1,Zürich\n2,Köln\n';
  const LATIN = Buffer.from(TABLE, 'latin1');
  const UTF_16 = Buffer.from(`\ufeff${TABLE}`, 'utf16le');

  it.each([
    ['is Latin-1', LATIN, ', line 2: it is not in UTF-8: "1,Z\ufffdrich"'],
    [
      'becomes Latin-1 late',
      Buffer.concat([Buffer.from(late('1,y')), LATIN]),
      ', line 40005: it is not in UTF-8: "1,Z\ufffdrich"',
    ],
    ['is UTF-16 (little-endian)', UTF_16, ': it is in UTF-16, not in UTF-8'],
    ['is UTF-16 (big-endian)', Buffer.from(UTF_16).swap16(), ': it is in UTF-16, not in UTF-8'],
    [
      'has other line ends later',
      Buffer.from('a,b\r\n1,"x\ny"\r\n2,z\n'),
      ', line 4: it ends with LF, the first line with CRLF: "2,z"',
    ],
  ])('that %s is reported with the reason', async (_, content, reason) => {
    const bad = { status: 400, code: '22P04', description: `Cannot read upload://f${reason}` };
    for (const source of ["read_csv('upload://f', header => true)", "'upload://f'"])
      expect(await failure(`SELECT * FROM ${source}`, new Uint8Array(content))).toMatchObject(bad);
  });
});

describe('a compressed file', () => {
  const TEXT = late('7,x');
  const GZIP = gzipSync(TEXT);
  const ZSTD = zstdCompressSync(TEXT);
  const count = (call: string) => `SELECT count(*) FROM ${call}`;
  const calls = (codec: string) => [
    count(`read_csv('upload://f', header => true, compression => '${codec}')`),
    count(`read_csv('upload://f', header => true, infer_schema => true, compression => '${codec}')`),
    count(`read_text('upload://f', compression => '${codec}')`),
    count("'upload://f'"),
  ];

  it.each([
    ['gzip', 'cut short', GZIP.subarray(0, GZIP.length / 2)],
    ['gzip', 'cut short', GZIP.subarray(0, -8)],
    ['gzip', 'cut short', Buffer.concat([GZIP, GZIP.subarray(0, 20)])],
    ['zstd', 'cut short', ZSTD.subarray(0, ZSTD.length / 2)],
    ['zstd', 'cut short', ZSTD.subarray(0, -4)],
    ['zstd', 'cut short', Buffer.concat([ZSTD, ZSTD.subarray(0, 6)])],
  ])('in the format %s that is %s is refused instead of read up to there', async (codec, reason, content) => {
    for (const sql of calls(codec))
      expect(await failure(sql, new Uint8Array(content))).toMatchObject({
        status: 400,
        code: '22P04',
        description: `Cannot read upload://f: its ${codec} data is ${reason}`,
      });
  });

  it('with a wrong checksum is refused', async () => {
    const content = new Uint8Array(GZIP);
    content[content.length - 8]! ^= 1;
    for (const sql of calls('gzip'))
      expect(await failure(sql, content)).toMatchObject({
        code: '22P04',
        description: expect.stringMatching(/^Cannot read upload:\/\/f: its gzip data is corrupt/),
      });
  });

  it('with several members or frames is read whole', async () => {
    for (const [codec, one] of [
      ['gzip', gzipSync('1,2\n')],
      ['zstd', zstdCompressSync('1,2\n')],
    ] as const) {
      const sql = `SELECT count(*) FROM read_csv('upload://f', compression => '${codec}')`;
      const answer = await upload(server, sql, { f: new Blob([new Uint8Array(Buffer.concat([one, one]))]) });
      expect(answer.text).toContain('2');
    }
  });
});
