import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows, upload } from './http.ts';
import { message, query as queryMessage, RawClient } from './postgres-client.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let server: TesseraProcess;
beforeAll(async () => {
  server = await startTessera({ args: ['--postgres-port', '0'] });
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
