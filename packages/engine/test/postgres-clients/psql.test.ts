import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '../http.ts';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { describeProgram, type Place, placeOf, runProgram } from './programs.ts';

const SETUP = `
CREATE TABLE items (id INT NOT NULL, name TEXT DEFAULT 'x', amount NUMERIC(10, 2), at TIMESTAMPTZ) PRIMARY INDEX id;
INSERT INTO items SELECT i, 'n' || i, i * 1.5, '2024-01-01 00:00:00+00' FROM generate_series(1, 5) AS i;
CREATE VIEW seen AS SELECT id, name FROM items WHERE id > 2;
CREATE SCHEMA other;
CREATE TABLE other.apart (a INT);
CREATE ROLE readers;
GRANT SELECT ON TABLE items TO readers;
`;

let node: SharedNode;
let place: Place;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-psql-'));
  node = await takeSharedNode();
  place = placeOf(node);
  expect(await psql(SETUP)).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const psql = (input: string, ...args: string[]) =>
  runProgram('psql', place, { args: ['-X', '-q', ...args], input });

describeProgram('psql', () => {
  /** Its output, unaligned and without headings. */
  const lines = async (input: string) => {
    const { stdout, stderr } = await psql(input, '-At');
    return [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line !== '');
  };

  it('\\d shows foreign keys on both sides', async () => {
    const { stdout } = await psql(
      `SET client_min_messages = error; CREATE TABLE authors (id INT PRIMARY KEY);
       CREATE TABLE books (author INT REFERENCES authors (id));\n\\d books\n\\d authors\nDROP TABLE books; DROP TABLE authors;`,
      '-A',
    );
    expect(stdout).toContain(
      'Foreign-key constraints:\n    "books_author_fkey" FOREIGN KEY (author) REFERENCES authors(id)',
    );
    expect(stdout).toContain(
      'Referenced by:\n    TABLE "books" CONSTRAINT "books_author_fkey" FOREIGN KEY (author) REFERENCES authors(id)',
    );
  });

  it.each([
    ['\\d', ['public|items|table|tessera', 'public|seen|view|tessera']],
    ['\\dt', ['public|items|table|tessera']],
    ['\\dt other.*', ['other|apart|table|tessera']],
    ['\\dv', ['public|seen|view|tessera']],
    ['\\dn', ['other|tessera', 'public|tessera']],
    ['\\di', ['public|items_primary_index|index|tessera|items']],
    ['\\d items', ['id|integer||not null|', "name|text|||'x'", 'amount|numeric(10,2)|||']],
    ['\\d+ items', ['id|integer||not null||plain|||', "name|text|||'x'|extended|||"]],
    ['\\d seen', ['id|integer|||', 'name|text|||']],
    ['\\d+ seen', ['id|integer||||plain|', 'name|text||||extended|']],
    ['\\sv seen', ['CREATE OR REPLACE VIEW public.seen AS', 'SELECT id, name FROM items WHERE id > 2']],
    ['\\du', ['readers|Cannot login|{}']],
    ['\\dp items', [expect.stringContaining('readers=r/tessera')]],
    ['\\df', []],
    ['\\dx', []],
    ['\\conninfo', [expect.stringContaining('database "tessera" as user "tessera"')]],
  ])('%s', async (command, expected) => {
    const shown = await lines(command);
    expect(shown.filter((line) => line.startsWith('ERROR'))).toEqual([]);
    expect(shown).toEqual(expect.arrayContaining(expected));
  });

  it('lists databases and their sizes', async () => {
    expect((await lines('\\l'))[0]).toMatch(/^tessera\|tessera\|UTF8\|/);
    expect((await lines('\\l+')).join('\n')).toMatch(/\|\d+ (?:bytes|kB|MB)\|/);
  });

  it.each([
    '\\da \\db \\dc \\dC \\dD \\ddp \\des \\det \\deu \\dew \\df+ \\dF \\dFd \\dFp \\dFt \\dg',
    '\\dA+ \\dAc \\dAf \\dAo \\dAp \\db+ \\dc+ \\dconfig \\dconfig+ \\dC+ \\dD+ \\des+ \\det+ \\deu+ \\dew+ \\dF+ \\dFd+ \\dFp+ \\dFt+',
    '\\dg+ \\di+ \\dL+ \\dO+ \\do+ \\dPn+ \\dPti \\dRp+ \\dRs+ \\ds+ \\dtvs+ \\dx+ \\dy+ \\lo_list+',
    '\\dl \\dn+ \\do \\dO \\dP \\drds \\dRp \\dRs \\ds \\dT \\dT+ \\du+ \\dv+ \\dX \\dy \\dt+ \\dm \\z \\dL \\dd',
  ])('answers %s', async (commands) => {
    const { stdout, stderr } = await psql(
      commands
        .split(' ')
        .flatMap((command) => [command, `\\warn ${command.slice(1)} was answered`])
        .join('\n'),
    );
    expect(stdout).not.toBe('');
    expect(stderr.trim().split('\n')).toEqual(
      commands.split(' ').map((command) => `${command.slice(1)} was answered`),
    );
  });

  it('keeps time, variables and the results of queries', async () => {
    const script = `
\\set n 3
\\set word 'it''s'
SELECT :n + 1, :'word';
SELECT id, name FROM items WHERE id = :n \\gset got_
\\echo :got_id :got_name :ROW_COUNT
SELECT 'SELECT ' || id FROM items WHERE id < 3 ORDER BY id \\gexec
SELECT 1 AS a, 'x' AS b, 1.5::numeric(4, 1) AS c \\gdesc
PREPARE p AS SELECT $1::int + 1;
EXECUTE p(2);
SET application_name = 'me';
SHOW application_name;
\\timing on
SELECT 7;
`;
    expect(await lines(script)).toEqual([
      "4|it's",
      '3 n3 1',
      '1',
      '2',
      'a|integer',
      'b|text',
      'c|numeric(4,1)',
      '3',
      'me',
      '7',
      expect.stringMatching(/^Time: [\d.]+ ms/),
    ]);
  });

  it('points at what is wrong', async () => {
    const { stderr, stdout } = await psql(
      'SELECT 1,\n  nope\nFROM items;\n\\echo :LAST_ERROR_SQLSTATE\nSELECT 1/0;\n\\errverbose\n',
    );
    const [error, ...more] = stderr.split('\n');
    expect(error).toMatch(/^ERROR: {2}Column "nope" does not exist/);
    const place = more.findIndex((line) => line.startsWith('LINE 2:   nope'));
    expect(more[place + 1]?.indexOf('^')).toBe('LINE 2:   '.length);
    expect(stderr).toContain('ERROR:  22012: division by zero');
    expect(stdout).toBe('42703\n');
  });

  it('commits and rolls back as asked, and rolls back failed transactions', async () => {
    const script = `
BEGIN;
INSERT INTO other.apart VALUES (1);
SELECT count(*) FROM other.apart;
ROLLBACK;
BEGIN;
INSERT INTO other.apart VALUES (2);
SELECT 1/0;
SELECT 1;
COMMIT;
\\set AUTOCOMMIT off
INSERT INTO other.apart VALUES (3);
COMMIT;
INSERT INTO other.apart VALUES (4);
`;
    const shown = await lines(script);
    expect(shown).toContain('1');
    expect(shown.filter((line) => line.includes('transaction is aborted'))).toHaveLength(1);
    expect(await rows(node, 'SELECT a FROM other.apart')).toEqual([[3]]);
  });

  it('copies in both directions, through files and within its script', async () => {
    const [out, large] = [join(directory, 'out.csv'), join(directory, 'large.tsv')];
    const numbers = Array.from({ length: 50_000 }, (_, i) => `${i}\trow ${i}\n`);
    writeFileSync(large, numbers.join(''));
    const script = `
CREATE TABLE copied (a INT, b TEXT);
COPY copied FROM STDIN;
1\ttab\\there
2\t\\N
\\.
\\copy copied FROM STDIN WITH (FORMAT csv)
3,"quoted, ""twice"""
\\.
\\copy copied TO '${out}' WITH (FORMAT csv, HEADER)
\\copy copied FROM '${out}' WITH (FORMAT csv, HEADER)
COPY (SELECT a FROM copied ORDER BY a) TO STDOUT;
CREATE TABLE many (a INT, b TEXT);
\\copy many FROM '${large}'
SELECT count(*), sum(a), count(DISTINCT b) FROM many;
\\copy (SELECT * FROM many ORDER BY a) TO '${out}.large'
`;
    expect(await lines(script)).toEqual([...'112233', '50000|1249975000|50000']);
    expect(readFileSync(out, 'utf8').split('\n').sort()).toEqual(
      ['', '1,tab\there', '2,', '3,"quoted, ""twice"""', 'a,b'].sort(),
    );
    expect(readFileSync(`${out}.large`)).toEqual(readFileSync(large));
  });

  it('gets the line that COPY cannot parse', async () => {
    const { stderr } = await psql('COPY other.apart FROM STDIN;\n10\nx\n\\.\nSELECT 1;\n');
    expect(stderr).toMatch(/^ERROR:.*column a: .*"x"/m);
    expect(await rows(node, 'SELECT count(*) FROM other.apart WHERE a = 10')).toEqual([['0']]);
  });

  it('reads many rows by a cursor', async () => {
    const script = '\\set FETCH_COUNT 1000\nSELECT i FROM generate_series(1, 50000) AS i ORDER BY i;\n';
    const shown = await lines(script);
    expect(shown).toHaveLength(50_000);
    expect([shown[0], shown[999], shown[1000], shown.at(-1)]).toEqual(['1', '1000', '1001', '50000']);
  });

  it('cancels with Ctrl-C', async () => {
    const endless = 'SELECT count(*) FROM generate_series(1, 100000000000) AS i WHERE i % 7 = 3';
    const running = async () =>
      JSON.stringify(await rows(node, 'SELECT query_text FROM information_schema.engine_running_queries'));
    const { stderr } = await runProgram('psql', place, {
      args: ['-X', '-c', endless],
      onStart: (child) => {
        expect
          .poll(running, { timeout: 20_000 })
          .toContain('100000000000')
          .finally(() => child.kill('SIGINT'));
      },
    });
    expect(stderr).toContain('canceling statement due to user request');
    await expect.poll(running).not.toContain('100000000000');
  });

  it('goes back to a savepoint after each error when ON_ERROR_ROLLBACK is on', async () => {
    const script = `
\\set ON_ERROR_ROLLBACK on
BEGIN;
CREATE TABLE kept_after_errors (a INT);
SELECT 1 / 0;
INSERT INTO kept_after_errors VALUES (1);
COMMIT;
SELECT a FROM kept_after_errors;`;
    expect(await lines(script)).toEqual(['1', expect.stringMatching(/^ERROR: .*division by zero/)]);
  });

  it('gets a clear error for what does not exist', async () => {
    const shown = await lines('LISTEN c;\nNOTIFY c;\nUNLISTEN *;\n');
    expect(shown).toEqual(['ERROR:  LISTEN is not supported', 'ERROR:  NOTIFY is not supported']);
  });
});

describeProgram('createdb', () => {
  it('createdb and dropdb connect to a database that every server has', async () => {
    const names = () => rows(node, 'SELECT catalog_name FROM information_schema.catalogs ORDER BY 1');
    const made = await runProgram('createdb', place, { args: ['made'] });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(await names()).toEqual([['made'], ['tessera']]);
    expect(await runProgram('dropdb', place, { args: ['made'] })).toMatchObject({ code: 0, stderr: '' });
    const described = ['--encoding=UTF8', '--template=template0', '--locale=C', 'described'];
    expect(await runProgram('createdb', place, { args: described })).toMatchObject({ code: 0, stderr: '' });
    expect(await runProgram('dropdb', place, { args: ['described'] })).toMatchObject({ code: 0, stderr: '' });
    expect(await names()).toEqual([['tessera']]);
  });
});

describeProgram('pg_dump', () => {
  it('--schema-only writes the schema as PostgreSQL has it', async () => {
    const { code, stdout, stderr } = await runProgram('pg_dump', place, { args: ['--schema-only'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('CREATE TABLE public.items (\n    id integer NOT NULL,\n    name text DEFAULT');
    expect(stdout).toContain('CREATE SCHEMA other;');
    expect(stdout).toContain('CREATE TABLE other.apart (\n    a integer\n);');
    expect(stdout).toContain('CREATE VIEW public.seen AS');
    expect(stdout).toContain('GRANT SELECT ON TABLE public.items TO readers;');
    expect(stdout).not.toMatch(/pg_catalog FROM|FOREIGN DATA WRAPPER/);
  });
});
