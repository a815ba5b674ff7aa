import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows, upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let server: TesseraProcess;
let files: string;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'tessera-tables-'));
  server = await startTessera({ args: ['--allow-read', files, '--allow-write', files] });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(files, { recursive: true });
});

const ok = async (sql: string, params: Record<string, string> = {}) => {
  const answer = await query(server, sql, params);
  expect(answer.status, `${sql}: ${answer.text}`).toBe(200);
  return answer;
};

describe('statements that change tables', () => {
  it('answer an empty body and the number of rows', async () => {
    await ok('CREATE TABLE a1 (k INT, v TEXT) PRIMARY INDEX k');
    const insert = await ok("INSERT INTO a1 VALUES (1, 'x'), (2, 'y')");
    expect(insert.text).toBe('');
    expect(insert.headers.get('x-tessera-affected-rows')).toBe('2');
    const update = await ok('UPDATE a1 SET v = v || v WHERE k = 2');
    expect(update.headers.get('x-tessera-affected-rows')).toBe('1');
    const gone = await ok('DELETE FROM a1 WHERE k = 1');
    expect(gone.headers.get('x-tessera-affected-rows')).toBe('1');
    expect(await rows(server, 'SELECT * FROM a1')).toEqual([[2, 'yy']]);
  });

  it('accept parameters and uploads', async () => {
    await ok('CREATE TABLE a2 (a INT, b TEXT)');
    const parameters = JSON.stringify([
      { name: '$1', value: 7 },
      { name: '$2', value: "it's" },
    ]);
    await ok('INSERT INTO a2 VALUES ($1, $2)', { query_parameters: parameters });
    const csv = new Blob(['a,b\n8,acht\n9,neun\n']);
    const sql = "INSERT INTO a2 SELECT a, b FROM READ_CSV('upload://f', HEADER => true)";
    expect((await upload(server, sql, { f: csv })).headers.get('x-tessera-affected-rows')).toBe('2');
    await ok('DELETE FROM a2 WHERE a = $1', { query_parameters: '[{"name":"$1","value":8}]' });
    expect(await rows(server, 'SELECT * FROM a2 ORDER BY a')).toEqual([
      [7, "it's"],
      [9, 'neun'],
    ]);
  });

  it('report what is wrong, and where', async () => {
    await ok('CREATE TABLE a3 (a INT NOT NULL)');
    const answer = await query(server, 'INSERT INTO a3\nSELECT b FROM a3');
    expect(answer.status).toBe(400);
    expect(answer.json().errors[0]).toMatchObject({ location: { failing_line: 2, start_offset: 8 } });
    const missing = await query(server, 'INSERT INTO a33 VALUES (1)');
    expect(missing.json().message).toContain('did you mean a3?');
  });

  it('refuse uploads in objects that outlive the request', async () => {
    for (const sql of [
      "CREATE VIEW w AS SELECT * FROM READ_CSV('upload://f')",
      "COPY a1 FROM 'upload://f'",
      "CREATE EXTERNAL TABLE e (a INT) URL = 'upload://f' TYPE = (CSV)",
    ]) {
      const answer = await upload(server, sql, { f: new Blob(['1\n']) });
      expect(answer.status, sql).toBe(400);
      expect(answer.json().message).toContain('upload://');
    }
  });
});

describe('a transaction over HTTP', () => {
  it('is continued by the session headers', async () => {
    await ok('CREATE TABLE x1 (a INT)');
    const begin = await ok('BEGIN');
    const [name, id] = begin.headers.get('firebolt-update-parameters')!.split('=');
    expect(name).toBe('transaction_id');
    const inside = { transaction_id: id!, transaction_sequence_id: '1' };
    await ok('INSERT INTO x1 VALUES (1)', inside);
    expect(await rows(server, 'SELECT count(*) FROM x1')).toEqual([['0']]);
    const seen = await query(server, 'SELECT count(*) FROM x1', { ...inside, output_format: 'JSON_Compact' });
    expect(seen.json().data).toEqual([['1']]);
    const commit = await ok('COMMIT', inside);
    expect(commit.headers.get('firebolt-remove-parameters')).toBe('transaction_id');
    expect(await rows(server, 'SELECT count(*) FROM x1')).toEqual([['1']]);
    expect((await query(server, 'SELECT 1', { transaction_id: 'nosuch' })).status).toBe(400);
  });

  it('that meets a conflict fails with a retryable error', async () => {
    await ok('CREATE TABLE x2 AS SELECT 1 AS a');
    const id = (await ok('BEGIN')).headers.get('firebolt-update-parameters')!.split('=')[1]!;
    await ok('UPDATE x2 SET a = 2', { transaction_id: id });
    await ok('UPDATE x2 SET a = 3');
    const commit = await query(server, 'COMMIT', { transaction_id: id });
    expect(commit.status).toBe(409);
    expect(commit.json().errors[0]).toMatchObject({ code: '40001' });
    expect(await rows(server, 'SELECT a FROM x2')).toEqual([[3]]);
  });
});

describe('files', () => {
  it('are written and read again', async () => {
    await ok('CREATE TABLE f1 AS SELECT i::int AS a, i * 1.5 AS b FROM generate_series(1, 1000) AS g(i)');
    const path = join(files, 'out.csv');
    await ok(`COPY f1 TO '${path}' WITH (TYPE = CSV)`);
    expect((await readFile(path, 'utf8')).split('\n').slice(0, 2)).toEqual(['a,b', '1,1.5']);
    await ok('CREATE TABLE f2 (a INT, b DOUBLE)');
    await ok(`COPY f2 FROM '${path}' WITH (HEADER = TRUE)`);
    expect(await rows(server, 'SELECT count(*), sum(b) FROM f2')).toEqual([['1000', 750_750]]);
  });

  it('are read as external tables', async () => {
    await writeFile(join(files, 'ext.csv'), '1,one\n2,two\n');
    await ok(
      `CREATE EXTERNAL TABLE ext (n INT, w TEXT) URL = '${files}' OBJECT_PATTERN = 'ext.csv' TYPE = (CSV)`,
    );
    expect(await rows(server, 'SELECT w FROM ext WHERE n = 2')).toEqual([['two']]);
    expect((await query(server, 'INSERT INTO ext VALUES (1, 2)')).status).toBe(400);
  });
});

describe('single rows, many of them', () => {
  it('are merged into a bounded number of tablets', async () => {
    await ok('CREATE TABLE s1 (a INT)');
    for (let i = 0; i < 120; i += 1) await ok(`INSERT INTO s1 VALUES (${i})`);
    const tablets = async () =>
      Number(
        (
          await rows(
            server,
            "SELECT number_of_tablets FROM information_schema.tables WHERE table_name = 's1'",
          )
        )[0]![0],
      );
    await expect.poll(tablets, { interval: 50 }).toBeLessThan(30);
    expect(await rows(server, 'SELECT count(*), sum(a) FROM s1')).toEqual([['120', '7140']]);
    await ok('VACUUM s1');
    expect(await tablets()).toBe(1);
    expect(await rows(server, 'SELECT count(*), sum(a) FROM s1')).toEqual([['120', '7140']]);
  });
});

describe('CALL collect_garbage()', () => {
  it('is refused unless the configuration allows it', async () => {
    const answer = await query(server, 'CALL collect_garbage()');
    expect(answer.status).toBe(403);
    expect(answer.json().message).toContain('storage.allow_collect_garbage');
  });
});

describe('a join with a subquery that has a LIMIT', () => {
  const LIMITED = [
    '(SELECT k, c FROM many ORDER BY k LIMIT 1000)',
    '(SELECT k, c FROM many ORDER BY k OFFSET 10 LIMIT 1000)',
    '(SELECT k, max(c) AS c FROM many GROUP BY k ORDER BY k LIMIT 1000)',
  ];

  it('matches the rows of the subquery only', async () => {
    const key = (number: string) => `'k' || lpad((${number})::TEXT, 7, '0')`;
    await ok(
      `CREATE TABLE many AS SELECT ${key('i')} AS k, md5(i::TEXT) AS c FROM generate_series(1, 100000) g(i)`,
    );
    await ok(`CREATE TABLE few AS SELECT ${key('90000 + i')} AS k FROM generate_series(1, 3) g(i)`);
    for (const limited of LIMITED)
      for (const join of ['JOIN', 'LEFT JOIN']) {
        const sql = `SELECT count(b.k)::INT FROM few s ${join} ${limited} b ON s.k = b.k`;
        expect(await rows(server, sql), sql).toEqual([[0]]);
      }
  });
});
