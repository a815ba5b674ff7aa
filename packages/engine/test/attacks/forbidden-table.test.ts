import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, queryAs, writeNativeConfig } from '../native-node.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';

const BOB = { name: 'bob', password: 'secret of bob' };
/** Names of columns and values that no answer may contain. */
const HIDDEN = /salary|sixfigures/i;

let directory: string;
let node: TesseraProcess;
let bob: string;
let wire: Client;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-forbidden-'));
  node = await startTessera({ args: ['--config', writeNativeConfig(directory), '--postgres-port', '0'] });
  const admin = await logIn(node);
  for (const sql of [
    `CREATE USER bob PASSWORD '${BOB.password}'`,
    'CREATE SCHEMA mine',
    'ALTER SCHEMA mine OWNER TO bob',
    'CREATE TABLE mine.own (a TEXT)',
    'ALTER TABLE mine.own OWNER TO bob',
    'CREATE TABLE hid (id INT, salary TEXT)',
    "INSERT INTO hid VALUES (1, 'sixfigures')",
    'CREATE VIEW seen AS SELECT id FROM hid',
    'GRANT SELECT ON seen TO bob',
  ])
    expect((await queryAs(admin, node, sql)).status, sql).toBe(200);
  bob = await logIn(node, BOB);
  const [host = '', port] = node.postgres.split(':');
  wire = new Client({
    host,
    port: Number(port),
    user: BOB.name,
    password: BOB.password,
    database: 'tessera',
  });
  await wire.connect();
});
afterAll(async () => {
  await wire.end();
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe('a table without a right to it tells nothing, not even what its columns are called', () => {
  it.each([
    'SELECT nosuch FROM hid',
    'SELECT hid.nosuch FROM seen, hid',
    'EXPLAIN SELECT nosuch FROM hid',
    'EXPLAIN ANALYZE SELECT * FROM hid',
    'FROM hid',
    'TABLE hid',
    'SUMMARIZE hid',
    'FROM (DESCRIBE hid)',
    'FROM (SUMMARIZE SELECT * FROM hid)',
    'DESCRIBE hid',
    'SHOW CREATE TABLE hid',
    'SHOW COLUMNS FROM hid',
    'WITH x AS (SELECT * FROM hid), hid AS (SELECT 1) SELECT * FROM x',
    'WITH RECURSIVE hid AS (SELECT id FROM public.hid UNION ALL SELECT id FROM hid) SELECT * FROM hid',
    'SELECT (SELECT max(nosuch) FROM hid)',
    'SELECT [x FOR x IN (SELECT list(hid) FROM hid)]',
    'SELECT 1 LIMIT (SELECT max(id) FROM hid)',
    'SELECT 1 ORDER BY (SELECT max(id) FROM hid)',
    'SELECT count(*) FILTER (WHERE EXISTS (FROM hid)) FROM seen',
    'VALUES ((SELECT max(id) FROM hid))',
    'SELECT * FROM generate_series(1, (SELECT max(id) FROM hid))',
    'SELECT * FROM seen POSITIONAL JOIN hid',
    'INSERT INTO hid (nosuch) VALUES (1)',
    'INSERT INTO mine.own SELECT nosuch FROM hid',
    'UPDATE hid SET nosuch = 1',
    'UPDATE mine.own SET a = (SELECT max(id)::text FROM hid)',
    'DELETE FROM hid WHERE nosuch = 1',
    'DELETE FROM mine.own USING hid WHERE true',
    'MERGE INTO hid USING seen ON nosuch = 1 WHEN MATCHED THEN DELETE',
    'MERGE INTO mine.own USING hid h ON false WHEN NOT MATCHED THEN INSERT VALUES (h.nosuch)',
    'TRUNCATE TABLE hid',
    'VACUUM hid',
    'CREATE TABLE mine.copy AS SELECT * FROM hid',
    'CREATE TABLE mine.copy CLONE hid',
    'CREATE VIEW mine.v AS SELECT nosuch FROM hid',
    'CREATE OR REPLACE VIEW seen AS SELECT 1 AS id',
    'CREATE AGGREGATING INDEX i ON mine.own (a, (SELECT max(nosuch) FROM hid))',
    'ALTER TABLE hid DROP COLUMN nosuch',
    'ALTER TABLE hid OWNER TO bob',
    'DROP TABLE hid',
    'GRANT SELECT ON hid TO bob',
  ])('%s', async (sql) => {
    const answer = await queryAs(bob, node, sql);
    expect(answer.json().errors[0].name).toBe('FORBIDDEN');
    expect(answer.text).not.toMatch(HIDDEN);
  });

  it.each([
    'COPY hid TO STDOUT',
    'COPY hid (nosuch) TO STDOUT',
    'COPY (SELECT nosuch FROM hid) TO STDOUT',
    'COPY hid (nosuch) FROM STDIN',
    "COPY hid TO '/tmp/hid.csv'",
  ])('on the wire: %s', async (sql) => {
    const refusal = await wire.query(sql).catch((error: DatabaseError) => error);
    expect(refusal).toMatchObject({ code: '42501', message: expect.not.stringMatching(HIDDEN) });
  });

  it('over PostgreSQL, describing a statement reveals no parameter types', async () => {
    const text = 'INSERT INTO hid VALUES ($1, $2)';
    await expect(wire.query({ name: 'guess', text, values: [1, 'x'] })).rejects.toMatchObject({
      code: '42501',
    });
  });
});

describe('a table without a right to it appears in no catalog', () => {
  it.each([
    'SELECT * FROM information_schema.columns',
    'SELECT * FROM information_schema.tables',
    "SELECT * FROM information_schema.table_privileges WHERE table_name = 'hid'",
    'SELECT attname FROM pg_attribute',
    'SELECT relname FROM pg_class',
    'SELECT relname FROM pg_stat_user_tables',
    'SELECT * FROM information_schema.tablets',
    "SELECT to_regclass('hid')",
    'SELECT oid::regclass::text FROM pg_class',
  ])('%s', async (sql) => {
    const answer = await queryAs(bob, node, sql);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.json().data)).not.toMatch(/salary|sixfigures|"hid"/);
  });
});
