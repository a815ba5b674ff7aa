import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { type RadosgwBehindFaults, radosgwIsInstalled, startRadosgwBehindFaults } from './store-servers.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

describe.skipIf(!radosgwIsInstalled)(
  radosgwIsInstalled ? 'objects of a lake' : 'objects of a lake: skipped, radosgw is not installed',
  () => {
    let directory: string;
    let store: RadosgwBehindFaults;
    let node: TesseraProcess;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tessera-lake-'));
      store = await startRadosgwBehindFaults();
      const config = join(directory, 'tessera.json');
      const { endpoint } = store;
      // The type minio creates the bucket.
      const storage = {
        type: 'minio',
        minio: { endpoint },
        bucket_name: 'lake',
        default_s3_endpoint_override: endpoint,
      };
      await writeFile(config, JSON.stringify({ schema_version: '1.0', storage }));
      node = await startTessera({
        args: ['--config', config, '--allow-url', 's3://lake/out', '--allow-write', 's3://lake/out'],
        env: store.env,
      });
      await run(
        "COPY (SELECT x AS a, 'é' || x AS b FROM generate_series(1, 5) g(x)) TO 's3://lake/out/p/1.parquet'",
      );
      await run(
        "COPY (SELECT x AS a, 'b' || x AS b FROM generate_series(6, 7) g(x)) TO 's3://lake/out/p/2.parquet'",
      );
      await run("COPY (SELECT 1 AS a, 'csv' AS b) TO 's3://lake/out/c/x.csv' WITH (HEADER = TRUE)");
    });

    afterAll(async () => {
      await node?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    });

    const run = async (sql: string) => {
      const answer = await query(node, sql);
      expect(answer.status, answer.text).toBe(200);
    };
    const failure = async (sql: string) => (await query(node, sql)).json().errors[0];

    it('are read by pattern, with the credentials of the call or of the engine', async () => {
      const { accessKeyId, secretAccessKey } = store.credentials;
      const keys = `AWS_ACCESS_KEY_ID => '${accessKeyId}', AWS_SECRET_ACCESS_KEY => '${secretAccessKey}'`;
      const read = "SELECT count(*)::int, sum(a)::int, min(b) FROM READ_PARQUET('s3://lake/out/p/*.parquet'";
      expect(await rows(node, `${read})`)).toEqual([[7, 28, 'b6']]);
      expect(await rows(node, `${read}, ${keys})`)).toEqual([[7, 28, 'b6']]);
      expect(await failure(`${read}, ${keys.replace(secretAccessKey, 'wrong')})`)).toMatchObject({
        name: 'EXTERNAL_READ_FAILED',
        description: expect.stringContaining('access is denied'),
      });
      expect(await failure(`${read}, AWS_ACCESS_KEY_ID => 'x')`)).toMatchObject({ name: 'INVALID_ARGUMENT' });
    });

    it('are named in FROM by their URL, in the format of their extension', async () => {
      const read = "SELECT count(*)::int, sum(a)::int, min(f.b) FROM 's3://lake/out/p/*.parquet' AS f";
      expect(await rows(node, read)).toEqual([[7, 28, 'b6']]);
      // The header line and the types are recognised, and the rows are known by the name of the file.
      expect(await rows(node, "SELECT x.a + 1, x.b FROM 's3://lake/out/c/x.csv'")).toEqual([['2', 'csv']]);
      await run("CREATE VIEW of_file AS SELECT b FROM 's3://lake/out/c/*.csv'");
      expect(await rows(node, 'SELECT * FROM of_file')).toEqual([['csv']]);
      for (const [url, name] of [
        ['s3://lake/meta/x.parquet', 'LOCATION_NOT_ALLOWED'],
        ['s3://lake/out/none.csv', 'FILE_NOT_FOUND'],
        ['s3://lake/out/p/1', 'INVALID_ARGUMENT'],
        ['file:///etc/passwd.csv', 'LOCATION_NOT_ALLOWED'],
      ])
        expect(await failure(`SELECT * FROM '${url}'`)).toMatchObject({ name });
    });

    it('are copied into tables, with the metadata columns of their files', async () => {
      await run('CREATE TABLE copied (a int, b text, f text, s bigint)');
      await run(
        "COPY copied (a, b, f $source_file_name, s $source_file_size) FROM 's3://lake/out/p/*.parquet'",
      );
      expect(
        await rows(node, 'SELECT count(*)::int, count(DISTINCT f)::int, bool_and(s > 100) FROM copied'),
      ).toEqual([[7, 2, true]]);
    });

    it('are read through locations and external tables, with their credentials', async () => {
      const { accessKeyId, secretAccessKey } = store.credentials;
      for (const [name, secret] of [
        ['lake', secretAccessKey],
        ['locked', 'wrong'],
      ]) {
        await run(`CREATE LOCATION ${name} WITH SOURCE = AMAZON_S3 URL = 's3://lake/out/p/'
          CREDENTIALS = (AWS_KEY_ID = '${accessKeyId}' AWS_SECRET_KEY = '${secret}')`);
        await run(
          `CREATE EXTERNAL TABLE in_${name} (a int, b text) LOCATION = ${name} OBJECT_PATTERN = '*.parquet' TYPE = (PARQUET)`,
        );
      }
      expect(await rows(node, 'SELECT sum(a)::int FROM in_lake')).toEqual([[28]]);
      expect(
        await rows(node, "SELECT sum(a)::int FROM READ_PARQUET(LOCATION => 'lake', PATTERN => '1.*')"),
      ).toEqual([[15]]);
      expect(await rows(node, "SELECT sum(a)::int FROM 's3://lake/out/p/*.parquet'")).toEqual([[28]]);
      await run(`CREATE LOCATION denied WITH SOURCE = AMAZON_S3 URL = 's3://lake/out/c'
        CREDENTIALS = (AWS_KEY_ID = '${accessKeyId}' AWS_SECRET_KEY = 'wrong')`);
      for (const sql of [
        "SELECT * FROM 's3://lake/out/c/x.csv'",
        'SELECT * FROM in_locked',
        "SELECT * FROM READ_PARQUET(LOCATION => 'locked', PATTERN => '*')",
      ]) {
        expect((await failure(sql)).description).toMatch(/access is denied/);
      }
      await run(`CREATE EXTERNAL TABLE own (a int, b text) URL = 's3://lake/out/p/' OBJECT_PATTERN = '*.parquet'
        CREDENTIALS = (AWS_KEY_ID = '${accessKeyId}' AWS_SECRET_KEY = 'wrong') TYPE = (PARQUET)`);
      expect((await failure('SELECT * FROM own')).description).toMatch(/access is denied/);
    });

    it.each([
      ["SELECT * FROM READ_PARQUET('s3://lake/meta/x')", 'LOCATION_NOT_ALLOWED'],
      ["SELECT * FROM READ_PARQUET('s3://other/out/x')", 'LOCATION_NOT_ALLOWED'],
      ["SELECT * FROM READ_PARQUET('s3://lake/out/none-*')", 'FILE_NOT_FOUND'],
      ["COPY (SELECT 1) TO 's3://lake/meta/log/x.csv'", 'FORBIDDEN'],
      ["COPY (SELECT 1) TO 's3://lake/outer/x.csv'", 'FORBIDDEN'],
    ])('are refused outside of what was allowed: %s', async (sql, name) => {
      expect(await failure(sql)).toMatchObject({ name });
    });
  },
);
