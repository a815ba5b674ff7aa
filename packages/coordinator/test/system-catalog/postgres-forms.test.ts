import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
  for (const sql of [
    'CREATE TABLE t (id INT NOT NULL, name TEXT) PRIMARY INDEX id',
    'CREATE SCHEMA other',
    'CREATE TABLE other."Odd T" (a INT)',
    "INSERT INTO t SELECT 1, 'a'",
    'CREATE VIEW v AS SELECT id, name FROM t',
  ])
    await node.run(sql);
});
afterAll(() => node[Symbol.asyncDispose]());

const TABLE = `(SELECT oid FROM pg_class WHERE relname = 't')`;
const INDEX = `(SELECT oid FROM pg_class WHERE relname = 't_primary_index')`;

describe('one value', () => {
  it.each<[string, unknown]>([
    // Names of objects are OIDs inside the query and names in the result.
    ["'t'::regclass", 't'],
    ["'public.t'::regclass::text", 't'],
    [`'other."Odd T"'::regclass`, 'other."Odd T"'],
    [`'t'::regclass::oid = ${TABLE}`, true],
    [`${TABLE}::regclass = 't'::regclass`, true],
    [`${TABLE}::regclass = 't'`, true],
    [`quote_ident('other') || '.' || quote_ident('Odd T') = 'other."Odd T"'`, true],
    [`(quote_ident('other') || '.' || quote_ident('Odd T'))::regclass::text`, 'other."Odd T"'],
    ["'pg_class'::regclass::oid", '1259'],
    ["'int'::regtype::oid", '23'],
    ['1015::regtype', 'character varying[]'],
    ["'public'::regnamespace::oid", '2200'],
    ["to_regclass('nosuch')", null],
    ["to_regtype('int8')::oid", '20'],
    ["23 = ANY('{int4,int8}'::regtype[])", true],
    // These forms read the catalog.
    [`pg_get_userbyid(relowner) FROM pg_class WHERE oid = ${TABLE}`, 'tester'],
    ['pg_get_userbyid(1)', 'unknown (OID=1)'],
    ["pg_get_viewdef('v')", 'SELECT id, name FROM t;'],
    [`pg_get_indexdef(${INDEX})`, 'CREATE INDEX t_primary_index ON public.t USING primary (id)'],
    [`pg_get_indexdef(${INDEX}, 1, true)`, 'id'],
    [`pg_table_is_visible(${TABLE})`, true],
    [`pg_table_is_visible('other."Odd T"'::regclass)`, false],
    ["pg_total_relation_size('t') > 0", true],
    ["pg_relation_is_updatable('t'::regclass, false)", 28],
    ["pg_relation_is_updatable('v'::regclass, true)", 0],
    ["pg_column_is_updatable('t', 1::smallint, false)", true],
    ["pg_column_is_updatable('v', 1::smallint, false)", false],
    ["has_table_privilege('t', 'SELECT, INSERT')", true],
    ["has_table_privilege('t', 'REFERENCES')", true],
    ["has_table_privilege('t', 'TRIGGER')", false],
    ["has_schema_privilege(current_user, 'public', 'create')", true],
    ['format_type(1700, 655366)', 'numeric(10,2)'],
    ['format_type(23, NULL)', 'integer'],
    ['format_type(1, -1)', '???'],
    ["current_setting('Server_Version_Num')", '150000'],
    // Settings of the kernel are not visible.
    ["current_setting('memory_limit')", null],
    ["main.current_setting('memory_limit')", null],
    ['current_schema', 'public'],
    ['current_schemas(true)', ['pg_catalog', 'public']],
    ["pg_catalog.version() LIKE 'PostgreSQL 15%'", true],
    // These are functions of values.
    ["quote_ident('select')", '"select"'],
    ["quote_literal('it''s')", "'it''s'"],
    ['parse_ident(\'Other."Odd T"\')', ['other', 'Odd T']],
    ['pg_size_pretty(123456789)', '118 MB'],
    ["array_length('{a,b}'::text[], 1)", 2],
    ["array_upper(string_to_array('a,b', ','), 1)", 2],
    ["'b' = ANY('{a,b}')", true],
    ["'c' <> ALL('{a,b}'::text[])", true],
    // Subscripts of vectors begin at 0.
    [`indkey[0] FROM pg_index WHERE indrelid = ${TABLE}`, 1],
    [`indkey FROM pg_index WHERE indrelid = ${TABLE}`, '1'],
    [`generate_subscripts(indkey, 1) FROM pg_index WHERE indrelid = ${TABLE}`, '0'],
    [`(information_schema._pg_expandarray(indkey)).n FROM pg_index WHERE indrelid = ${TABLE}`, 1],
    ["c.tableoid = 'pg_class'::regclass FROM pg_class c WHERE c.relname = 't'", true],
    ["tableoid = 't'::regclass FROM t", true],
    // These calls are evaluated for the rows of a table.
    ["t.name || current_schema() FROM t WHERE 't'::regclass::oid > 0", 'apublic'],
    ["s FROM pg_catalog.generate_series(3, 3) AS s WHERE current_schema() = 'public'", '3'],
  ])('SELECT %s', async (sql, expected) => {
    expect(await node.rows(`SELECT ${sql}`)).toEqual([[expected]]);
  });
});

it.each([
  ["SELECT 'nosuch'::regclass", 'UNDEFINED_TABLE'],
  ["SELECT '{a'::text[]", 'CAST_ERROR'],
  ['SELECT pg_get_userbyid(1, 2)', 'UNDEFINED_FUNCTION'],
  ["SELECT pg_read_file('/etc/passwd')", 'FORBIDDEN'],
  ["SELECT pg_catalog.read_blob('/etc/passwd')", 'FORBIDDEN'],
  ['SELECT tsr_pg_quote_ident(1)', 'UNDEFINED_FUNCTION'],
  ['SELECT * FROM pg_catalog.nosuch', 'UNDEFINED_TABLE'],
  ['CREATE TABLE pg_catalog.x (a INT)', 'FORBIDDEN'],
  ['CREATE SCHEMA pg_catalog', 'DUPLICATE_SCHEMA'],
])('%s', async (sql, name) => {
  const attempt = sql.startsWith('SELECT') ? node.rows(sql) : node.run(sql);
  await expect(attempt).rejects.toMatchObject({ name });
});

it('a parameter that is NULL keeps the types of its casts among the arguments of functions of PostgreSQL', async () => {
  const sql =
    "SELECT regexp_split_to_array($1::bigint::text, NULL), regexp_split_to_array($1::bigint::text, 'x'), quote_literal($1::date::text), regexp_split_to_array($1::text, 'x')";
  const parameters = [{ name: '$1', value: null }];
  expect(await node.rows(sql, { parameters })).toEqual([[null, null, null, null]]);
});

it('own relations come before those of pg_catalog of the same name', async () => {
  await node.run('CREATE TABLE pg_locks (mine INT)');
  expect(await node.rows('SELECT mine FROM pg_locks')).toEqual([]);
  await node.run('DROP TABLE pg_locks');
});
