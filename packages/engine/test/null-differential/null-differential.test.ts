import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { JSONB_QUERIES, JSONB_STATEMENTS, JSONB_TABLE } from './jsonb-queries.ts';
import { postgresPrograms } from './postgres-reference.ts';
import { type NullQuery, nullTables, randomNullQuery } from './random-null-query.ts';

const SEED = process.env.TESSERA_NULL_SEED ?? '20261122';
const QUERIES = Number(process.env.TESSERA_NULL_QUERIES ?? 80);
const SECONDS_PER_QUERY = 1;

const programs = postgresPrograms();

describe.skipIf(programs === undefined)(
  'NULL in every place, as PostgreSQL has it (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    let ours: pg.Client;
    let theirs: pg.Client;
    beforeAll(async () => {
      sides = await startSides(programs!);
      ({ ours, theirs } = sides);
      for (const client of [ours, theirs]) {
        for (const statement of nullTables(SEED)) await client.query(statement);
      }
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it(
      `${QUERIES} random queries (seed ${SEED})`,
      async () => {
        const wrong: unknown[] = [];
        let compared = 0;
        for (let i = 0; i < QUERIES; i += 1) {
          const query = randomNullQuery(`${SEED}:${i}`);
          const [actual, expected] = [await answer(ours, query), await answer(theirs, query)];
          if (Array.isArray(expected)) compared += 1;
          if (JSON.stringify(actual) !== JSON.stringify(expected))
            wrong.push({ seed: `${SEED}:${i}`, ...query, actual, expected });
        }
        expect(wrong).toEqual([]);
        expect(compared).toBeGreaterThan(QUERIES * 0.9);
      },
      60_000 + QUERIES * SECONDS_PER_QUERY * 1000,
    );

    it.each(SAME_ROWS)('%s', async (sql) => {
      const query = { sql, parameters: [], ordered: true };
      expect(await answer(ours, query)).toEqual(await answer(theirs, query));
    });

    it('statements of PostgreSQL users', { timeout: 300_000 }, async () => {
      const different: Record<string, string> = {};
      const statements = [
        ...linesOf('same-statements.sql').map((sql) => [sql, true] as const),
        ...linesOf('same-errors.sql').map((sql) => [sql, true] as const),
        ...[...linesOf('same-rows.sql'), ...Object.keys(OTHER_ROWS)].map((sql) => [sql, false] as const),
      ];
      for (const [sql, withColumns] of statements) {
        const [actual, expected] = [
          await outcome(ours, sql, withColumns),
          await outcome(theirs, sql, withColumns),
        ];
        if (actual !== expected) different[sql] = actual;
      }
      expect(different).toEqual(OTHER_ROWS);
      expect(statements.length).toBeGreaterThan(800);
    });

    describe('jsonb', () => {
      beforeAll(async () => {
        for (const client of [ours, theirs]) for (const sql of JSONB_TABLE) await client.query(sql);
      });

      it.each(JSONB_QUERIES)('%s', async (sql) => {
        const query = { sql, parameters: [], ordered: true };
        expect(await answer(ours, query)).toEqual(await answer(theirs, query));
      });

      it.each(JSONB_STATEMENTS)('%s', async (sql, ...parameters) => {
        const query = { sql, parameters, ordered: true };
        expect(await answer(ours, query)).toEqual(await answer(theirs, query));
        if (!sql.startsWith('SELECT')) return;
        const [actual, expected] = await Promise.all(
          [ours, theirs].map(async (client) => {
            const { fields } = await client.query(sql, parameters);
            return fields.map(({ name, dataTypeID }) => [name, dataTypeID]);
          }),
        );
        expect(actual).toEqual(expected);
      });
    });

    it('columns have the declared types of the columns of tables that they are', async () => {
      const types =
        'v varchar(20), w varchar, c char(3), n numeric(10, 2), s smallint, i integer, t text, ts timestamp(3), tz timestamptz(0)';
      for (const client of [ours, theirs]) {
        await client.query(`CREATE TABLE declared (${types})`);
        await client.query(
          'CREATE TABLE declared_again AS SELECT v, w, c, n, s, ts, tz, t AS u FROM declared',
        );
      }
      for (const sql of DECLARED_TYPES) {
        const [actual, expected] = await Promise.all(
          [ours, theirs].map(async (client) => {
            const { fields } = await client.query(sql);
            return fields.map((f) => [f.name, f.dataTypeID, f.dataTypeSize, f.dataTypeModifier]);
          }),
        );
        expect(actual, sql).toEqual(expected);
      }
    });

    describe('declared lengths and digits', () => {
      const types = 'id integer, v varchar(3), c varchar(5), s smallint, ts timestamp(1), tz timestamptz(4)';
      beforeAll(async () => {
        for (const client of [ours, theirs]) {
          await client.query(`CREATE TABLE fitted (${types})`);
          await client.query('CREATE TABLE source (id integer, t text, ts timestamp, s integer)');
          await client.query("INSERT INTO source VALUES (1, 'long text', '2024-01-01 00:00:00.55', 40000)");
          await client.query("INSERT INTO source VALUES (2, 'ab', 'infinity', -5), (3, NULL, NULL, NULL)");
        }
      });

      it.each(FITTED)('%s', async (sql, ...parameters) => {
        const query = { sql, parameters, ordered: true };
        expect(await answer(ours, query)).toEqual(await answer(theirs, query));
      });
    });

    it.each(['SELECT id FROM n WHERE s = $1', 'SELECT $1::text', 'SELECT substr($1, 1, 1)'])(
      'a NUL in a parameter of %s is 22021',
      async (text) => {
        for (const client of [ours, theirs])
          await expect(client.query(text, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
      },
    );
  },
);

/** Queries whose rows are meant to differ from PostgreSQL's, with ours. `docs/sql` says why. */
const OTHER_ROWS: Readonly<Record<string, string>> = {
  // An empty array where PostgreSQL returns no row.
  "select regexp_matches('abc', 'x')": '[["{}"]]',
  // Arrays of arrays are arrays like others: one step takes the outer one apart.
  'select unnest(array[array[1,2],array[3,4]])': '[["{1,2}"],["{3,4}"]]',
  'select (array[[1,2],[3,4]])[1]': '[["{1,2}"]]',
  // The currency symbol is the dollar in every locale.
  "select to_char(12, 'L99'), to_char(-12.5, '99D9L')": '[["$ 12","-12.5$"]]',
  // A date stays a date.
  "select date_trunc('week', date '2024-02-29')": '[["2024-02-26"]]',
  // Years, decades and centuries are BIGINT, which has no infinity.
  "select extract(year from date 'infinity'), extract(isoyear from timestamp '-infinity'), extract(century from timestamp 'infinity')":
    '[[null,null,null]]',
  // PostgreSQL 15 computes with the number by which it stores infinity.
  "select age(timestamp 'infinity', timestamp '2024-01-01')": '[[null]]',
  // PostgreSQL takes the negative of the smallest integer for the smallest integer.
  "select right('abc', -2147483648)": '[[""]]',
  // A shift that loses bits is refused.
  'select 2147483647 << 2': '22003',
  // White space between the digits of a byte counts for nothing.
  "select decode('6 1', 'hex')": '[["\\\\x61"]]',
  // The class of the error is that of other texts that are no value of a type.
  "select x::bytea from (values ('\\xzz')) t(x)": '22P02',
  "select x::bytea from (values ('\\x123')) t(x)": '22P02',
  "select '\\x61zz'::text::bytea": '22P02',
  // A literal takes the type of the other operand.
  'select 0.1::real = 0.1': '[["t"]]',
  // Arithmetic of doubles follows IEEE 754.
  'select exp(1000), power(0, -1), power(-1, 0.5)': '[["Infinity","Infinity","NaN"]]',
  'select 1e400': '22003',
  // A row with the names of a relation is a STRUCT.
  'select d from dept d where id = 1': `[["{\\"id\\":1,\\"name\\":\\"R&D\\",\\"budget\\":\\"100000\\"}"]]`,
};

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('--'));

/** The rows, with the names and types of the columns if `withColumns`, or the SQLSTATE. */
async function outcome(client: pg.Client, sql: string, withColumns: boolean): Promise<string> {
  try {
    const { rows, fields } = await client.query<(string | null)[]>({ text: sql, rowMode: 'array' });
    const shown = rows.map((row) =>
      row.map((value, i) => (FRACTIONS.has(fields[i]!.dataTypeID) ? rounded(value) : value)),
    );
    const columns = withColumns ? fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`) : [];
    return JSON.stringify(withColumns ? [columns, shown] : shown);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `${error.code}`;
  }
}

const DECLARED_TYPES = [
  'SELECT * FROM declared',
  'SELECT * FROM declared_again',
  'SELECT d.v AS x, c, s, s + 1 AS y, v || c AS z FROM declared d ORDER BY s',
  'SELECT q.*, 1 AS one FROM (SELECT v AS a, s AS b, n FROM declared) q',
  'SELECT a.v, b.s, b.c FROM declared a LEFT JOIN declared_again b ON a.s = b.s',
  'SELECT v, s FROM declared UNION ALL SELECT v, s FROM declared_again',
  'SELECT s, v, count(*) FROM declared GROUP BY s, v',
];

/** Statements that store or cast values that do not fit, with parameters. */
const FITTED: readonly (readonly [sql: string, ...parameters: string[]])[] = [
  ["INSERT INTO fitted (id, v) VALUES (1, 'abc') RETURNING v"],
  ["INSERT INTO fitted (id, v) VALUES (2, 'äöü  ') RETURNING id"],
  ["INSERT INTO fitted (id, v, c) VALUES (8, 'abc  ', 'x'), (9, 'a ', NULL) RETURNING v, length(v), c"],
  ["INSERT INTO fitted (id, v) SELECT 10, 'ab   ' RETURNING v || '!'"],
  ["UPDATE fitted SET v = 'abc   ', s = 7 WHERE id = 8 RETURNING v || '!', s, c"],
  [
    "UPDATE fitted SET v = t || '  ' FROM source WHERE source.id = 2 AND fitted.id = 8 RETURNING v || '!', source.t",
  ],
  ["INSERT INTO fitted (id, v) VALUES (3, 'abcd') RETURNING id"],
  ["UPDATE fitted SET v = 'abcd' WHERE id = 8 RETURNING id"],
  ["INSERT INTO fitted (id, v) VALUES (3, 'abcd')"],
  ["INSERT INTO fitted (id, v) VALUES (3, 'ab'), (3, 'abcd')"],
  ['INSERT INTO fitted (id, v) VALUES (3, $1)', 'abcd'],
  ["INSERT INTO fitted (id, v) VALUES (4, 'a' || 'bcd')"],
  ['INSERT INTO fitted (id, v) SELECT id, t FROM source'],
  ['INSERT INTO fitted (id, v) SELECT 5, t FROM source WHERE id > 1'],
  ["UPDATE fitted SET v = 'abcd' WHERE id = 1"],
  ["UPDATE fitted SET c = v || 'xy' WHERE id = 1 RETURNING c"],
  ["UPDATE fitted SET c = v || 'xyz' WHERE id = 1"],
  ['INSERT INTO fitted (id, s) VALUES (6, 32767), (7, -32768)'],
  ['INSERT INTO fitted (id, s) VALUES (6, 32768)'],
  ['INSERT INTO fitted (id, s) SELECT id, s FROM source'],
  [
    "INSERT INTO fitted (id, ts, tz) VALUES (8, '2024-01-01 00:00:00.25', '2024-01-01 00:00:00.12345+00') RETURNING ts, tz AT TIME ZONE 'UTC'",
  ],
  ["INSERT INTO fitted (id, ts) VALUES (9, '1969-12-31 23:59:59.95'), (10, 'infinity') RETURNING ts"],
  ['INSERT INTO fitted (id, ts) SELECT 11, ts FROM source RETURNING ts'],
  ["UPDATE fitted SET ts = ts + interval '0.06 seconds' WHERE id = 8 RETURNING ts"],
  ["SELECT id, v, c, s, ts, tz AT TIME ZONE 'UTC' FROM fitted ORDER BY id, ts"],
  [
    'WITH i AS (INSERT INTO fitted (id, v) VALUES ($1, $2) RETURNING id, v), d AS (DELETE FROM fitted WHERE id = $3 RETURNING v) SELECT v || $4, (SELECT count(*) FROM d) FROM i WHERE id = $1',
    ...['20', 'new', '8', '!'],
  ],
  ['ALTER TABLE fitted ALTER COLUMN v TYPE varchar(10)'],
  ["INSERT INTO fitted (id, v) VALUES (12, 'abcdefgh')"],
  ['ALTER TABLE fitted ALTER COLUMN v TYPE varchar(4)'],
  [
    "SELECT 'abcdef'::varchar(3), CAST('abc' AS character varying(2)), 'äöü'::varchar(2) || 'x', NULL::varchar(1)",
  ],
  ['SELECT t::varchar(4), ts::timestamp(0), ts::timestamp(1) without time zone FROM source ORDER BY id'],
  [
    "SELECT '2024-01-01 00:00:00.123456'::timestamp(4), '2024-01-01 00:00:00.15'::timestamp(1), CAST('2024-01-01 23:59:59.9' AS timestamp(0))",
  ],
  ["SELECT '2024-01-01 00:00:00.123456+00'::timestamptz(2) AT TIME ZONE 'UTC', 'infinity'::timestamp(2)"],
  [
    "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'fitted'::regclass AND attname IN ('ts', 'tz', 'c') ORDER BY attname",
  ],
];

const PAIRS = '(1, 1, 1), (2, 1, NULL), (3, 1, 2), (4, 2, 1), (5, 2, NULL), (6, NULL, 1), (7, 3, NULL)';
/** Conditions on the columns k and v of the tables a (outside) and b. */
const INEQUALITIES = [
  'b.k = a.k AND b.v <> a.v',
  'b.k = a.k AND b.v IS DISTINCT FROM a.v',
  'b.k = a.k AND NOT b.v = a.v',
  'b.k = a.k AND NOT (b.v IS NOT DISTINCT FROM a.v)',
  'b.k = a.k AND b.v NOT IN (a.v)',
  'b.k IS NOT DISTINCT FROM a.k AND b.v <> a.v::integer',
  'b.k < a.k AND b.v <> a.v',
  'b.k >= a.k AND b.v IS DISTINCT FROM a.v',
  'b.k <> a.k AND b.v <> a.v',
];

const EXISTS_QUERIES = INEQUALITIES.flatMap((condition) => {
  const exists = `EXISTS (SELECT 1 FROM b WHERE ${condition})`;
  return [
    `SELECT a.id, ${exists}, NOT ${exists} FROM a ORDER BY a.id`,
    `SELECT a.id FROM a WHERE ${exists} ORDER BY a.id`,
    `SELECT a.id FROM a WHERE NOT ${exists} ORDER BY a.id`,
    `SELECT a.id FROM a WHERE ${exists} OR a.id = 1 ORDER BY a.id`,
    `SELECT a.id, (SELECT b.id FROM b WHERE ${condition} AND b.id = 3) FROM a ORDER BY a.id`,
    `SELECT a.id, (SELECT count(*) FROM b WHERE ${condition}) FROM a ORDER BY a.id`,
  ].map((sql) => `WITH a(id, k, v) AS (VALUES ${PAIRS}), b AS (SELECT * FROM a) ${sql}`);
});

/** Rows that are compared with the rows of a subquery. */
const ROW_QUERIES = [
  'NOT IN (SELECT k, v FROM b)',
  'IN (SELECT k, id FROM b)',
  'NOT IN (SELECT b.k, b.v FROM b WHERE b.id <> a.id)',
  'IN (SELECT k, v FROM b WHERE false)',
  'IN (VALUES (1, 2), (NULL, 3))',
  'IN (SELECT k, v FROM b UNION ALL SELECT 9, 9)',
  'NOT IN (SELECT k, count(v) FROM b GROUP BY k)',
  'IN (SELECT k, v FROM b ORDER BY id DESC LIMIT 2)',
  '= ALL (SELECT k, v FROM b WHERE id = 1)',
  '<> ANY (SELECT k, v FROM b WHERE id < 3)',
  '< ANY (SELECT k, v FROM b)',
  '>= ALL (SELECT k, id FROM b WHERE k < 3)',
  ...['=', '<>', '<', '>='].map((operator) => `${operator} (SELECT k, id FROM b WHERE id = 3)`),
  '= (SELECT k, v FROM b WHERE id = 2)',
  '<= (SELECT k, v FROM b WHERE false)',
  '= (SELECT b.k, b.v FROM b WHERE b.id = a.id)',
  '> (SELECT min(k), max(v) FROM b)',
  '= (SELECT k, v FROM b)',
  '= (SELECT 1, 2, 3)',
].flatMap((compared) =>
  [
    `SELECT a.id, (a.k, a.id) ${compared} FROM a ORDER BY a.id`,
    `SELECT a.id FROM a WHERE (a.k, a.v) ${compared} AND a.id > 0 ORDER BY a.id`,
    `SELECT a.id FROM a WHERE ((a.k, a.v) ${compared}) IS NULL ORDER BY a.id`,
  ].map((sql) => `WITH a(id, k, v) AS (VALUES ${PAIRS}), b AS (SELECT * FROM a WHERE id <> 5) ${sql}`),
);

/** Stars over joins that merge columns, of the tables l(x, k), r(y, k, j) and w(z, j). */
const MERGED_COLUMNS = [
  'SELECT * FROM l NATURAL JOIN r ORDER BY 1, 2, 3',
  'SELECT * FROM r NATURAL LEFT JOIN l ORDER BY 2',
  'SELECT * FROM l NATURAL FULL JOIN r ORDER BY x, y',
  'SELECT * FROM r NATURAL RIGHT JOIN l ORDER BY x, y',
  'SELECT * FROM l NATURAL JOIN r NATURAL FULL JOIN w ORDER BY x, y, z',
  'SELECT * FROM w, l JOIN r USING (k) ORDER BY 1, 4, 5',
  'SELECT * FROM w JOIN (l FULL JOIN r USING (k)) ON w.j = r.j ORDER BY 1, 4, 5',
  'SELECT * FROM (l JOIN r USING (k)) FULL JOIN (l AS a JOIN w ON a.x = w.z) ON l.x = a.x ORDER BY 2, 3, 6',
  'SELECT * FROM (l LEFT JOIN r USING (k)) RIGHT JOIN w USING (j) ORDER BY 1, 3, 4',
  'SELECT * FROM (SELECT * FROM r NATURAL JOIN l) q NATURAL JOIN w ORDER BY 1, 2, 3',
  'SELECT l.*, * FROM l NATURAL JOIN r ORDER BY 1, 4',
  'SELECT x, k, y, j FROM l NATURAL JOIN r UNION SELECT * FROM r NATURAL JOIN l ORDER BY 1, 2, 3, 4',
  'SELECT * FROM l NATURAL JOIN (SELECT k, x + 1 AS n FROM l) AS s ORDER BY k, x',
  'SELECT DISTINCT * FROM l JOIN r USING (k) ORDER BY k, x, y, j',
  'SELECT (SELECT max(z) FROM w NATURAL JOIN (SELECT * FROM l NATURAL JOIN r) AS s), 1',
].map(
  (sql) =>
    `WITH l(x, k) AS (VALUES (1, 7), (2, NULL), (3, 8)), r(y, k, j) AS (VALUES (4, 7, 9), (5, 8, 9), (6, 6, NULL)), w(z, j) AS (VALUES (3, 9), (1, 5)) ${sql}`,
);

const rowsOf = (type: string, values: string): string =>
  `VALUES ${values
    .split(' ')
    .map((value, i) => `(${i}, ${value === 'NULL' ? value : `'${value}'`}::${type})`)
    .join(', ')}`;
const DOUBLES = rowsOf(
  'float8',
  '1 2.50 NaN Infinity -Infinity 1e15 -1e15 1e16 123456789012345.5 1234567890123456.5 1e-5 -0.0001 1e300 NULL 0',
);
const REALS = rowsOf('real', '1 2.5 NaN -Infinity 1e6 999999 -123456.5 1e-5 0.1 NULL 1e15');

/** Floating-point numbers as texts, texts as integers, subscripts and frames before the first element. */
const TEXTS_OF_NUMBERS = [
  ...[DOUBLES, REALS].flatMap((rows) =>
    [
      'd::text',
      "'<' || d || '>'",
      "concat(d, '/', d::varchar)",
      "concat_ws(',', d, id)",
      'to_json(d)::text',
    ].map((written) => `SELECT ${written} FROM (${rows}) v(id, d) ORDER BY id`),
  ),
  `SELECT string_agg(d::text, ',' ORDER BY id), array_to_string(array_agg(d ORDER BY id), ',', '-') FROM (${DOUBLES}) v(id, d)`,
  `SELECT (d * 2)::text, (-d)::text, coalesce(d, 0)::text, (CASE WHEN id < 3 THEN d END)::text FROM (${DOUBLES}) v(id, d) WHERE id <> 12 ORDER BY id`,
  "SELECT max(d)::text, sum(d)::text || 'x', avg(d)::text FROM (VALUES (1::float8), (3)) v(d) GROUP BY d::text ORDER BY d::text",
  'SELECT 1.0::float8::text, 1.5::text, 1::text, sqrt(4::float8)::text, 1e15::float8::varchar(4)',
  ...["'5.0'", "'1e3'", "'1_000'", "'0x1F'", "' 5x'", "''", "' 42 '", "'-7'", "'99999999999'"].flatMap(
    (text) => [
      `SELECT ${text}::int`,
      `SELECT s::int, s::text::bigint FROM (VALUES (${text})) v(s)`,
      `SELECT substr(s, 1)::bigint FROM (VALUES (${text}), (NULL)) v(s)`,
    ],
  ),
  'SELECT (ARRAY[1,2,3])[-1], (ARRAY[1,2,3])[0], (ARRAY[1,2,3])[i], (ARRAY[1,2,3])[i - 3] FROM (VALUES (1), (2), (4), (NULL)) v(i)',
  'SELECT (ARRAY[1,2,3])[-1:2], (ARRAY[1,2,3])[1:-1], (ARRAY[1,2,3])[-3:-1]',
  ...['ROWS -1 PRECEDING', 'ROWS BETWEEN CURRENT ROW AND -2 FOLLOWING', 'ROWS 1 PRECEDING'].map(
    (frame) => `SELECT sum(x) OVER (ORDER BY x ${frame}) FROM (VALUES (1), (2)) v(x) ORDER BY x`,
  ),
  ...[-1, 0, 1].map(
    (n) => `SELECT nth_value(x, ${n}) OVER (ORDER BY x) FROM (VALUES (1), (2)) v(x) ORDER BY x`,
  ),
];

/** Syntax and functions that the random queries do not use. */
const TAGGED = `(VALUES (1, ARRAY['x', 'y'], 2), (2, ARRAY['x'], 0), (3, NULL, 1)) a(id, tags, n)`;

/** Groups by functions that return several rows, which are called before or after the rows are grouped. */
const GROUPED_ROWS = [
  `SELECT unnest(tags) AS t, count(*), max(n) FROM ${TAGGED} GROUP BY 1 ORDER BY 1`,
  `SELECT unnest(tags) AS t, count(*) FROM ${TAGGED} WHERE id < 3 GROUP BY t HAVING count(*) > 1 ORDER BY t`,
  `SELECT unnest(tags), count(*) FROM ${TAGGED} GROUP BY unnest(tags) ORDER BY unnest(tags) DESC`,
  `SELECT count(*) FROM ${TAGGED} GROUP BY unnest(tags) ORDER BY 1`,
  `SELECT id, upper(unnest(a.tags)) AS t, count(*) FROM ${TAGGED} GROUP BY 1, 2 ORDER BY 1, 2`,
  `SELECT unnest(tags) AS t, unnest(ARRAY[1, 2, 3]) AS u, count(*) FROM ${TAGGED} GROUP BY 1, 2 ORDER BY 1, 2`,
  `SELECT unnest(tags) AS t, count(*) FROM ${TAGGED} GROUP BY GROUPING SETS ((unnest(tags)), ()) ORDER BY 1 NULLS LAST`,
  `SELECT generate_series(1, n) AS g, sum(id) FROM ${TAGGED} GROUP BY 1 ORDER BY 1`,
  `SELECT sum(id) FROM ${TAGGED} GROUP BY generate_series(1, n) ORDER BY 1`,
  `SELECT regexp_split_to_table('a b a', ' ') AS w, count(*) FROM ${TAGGED} GROUP BY w ORDER BY w`,
  `SELECT jsonb_array_elements('[1, 2]'::jsonb) AS e, count(*) FROM ${TAGGED} GROUP BY 1 ORDER BY 1`,
  `SELECT generate_subscripts(tags, 1) AS s, count(*) FROM ${TAGGED} GROUP BY s ORDER BY s`,
  'SELECT unnest(ARRAY[1, 1, 2]) AS x, count(*) GROUP BY 1 ORDER BY 1',
  `SELECT unnest(array_agg(id ORDER BY id)) AS i, n > 0 AS p FROM ${TAGGED} GROUP BY n > 0 ORDER BY 2, 1`,
  `SELECT tags, unnest(tags) AS t FROM ${TAGGED} GROUP BY tags ORDER BY 1, 2`,
  `SELECT unnest(tags) AS tags, count(*) FROM ${TAGGED} GROUP BY tags ORDER BY 1, 2`,
  `SELECT unnest(tags) AS id, count(*) FROM ${TAGGED} GROUP BY unnest(tags) ORDER BY 1`,
];

const PATTERNS = `(VALUES ('ab', ARRAY['a%', NULL]), ('b_', ARRAY['%\\_', 'x']), (NULL, ARRAY['a']), ('c', NULL), ('d', ARRAY[]::text[])) t(x, p)`;

/** Texts compared with several patterns. */
const QUANTIFIED_PATTERNS = [
  ...[
    'LIKE ANY',
    'NOT LIKE ANY',
    'LIKE ALL',
    'NOT LIKE ALL',
    'ILIKE ANY',
    'NOT ILIKE ALL',
    'LIKE SOME',
  ].flatMap((how) => [
    `SELECT x, x ${how} (ARRAY['A%', 'b\\_', 'c']) FROM ${PATTERNS} ORDER BY x`,
    `SELECT x, x ${how} (ARRAY['A%', NULL]) AS matches FROM ${PATTERNS} ORDER BY x`,
    `SELECT x, x ${how} (p) FROM ${PATTERNS} ORDER BY x`,
    `SELECT x FROM ${PATTERNS} WHERE x ${how} ('{a%,"b\\\\_"}') ORDER BY x`,
  ]),
  `SELECT x LIKE ANY ('a%') FROM ${PATTERNS}`,
];

/** Functions of PostgreSQL that the kernel lacks, or has with another meaning. */
const FURTHER_FUNCTIONS = [
  'SELECT chr(98), chr(NULL), chr(228)',
  `SELECT num_nulls(1, NULL, 'a'), num_nonnulls(1, NULL, 'a'), num_nulls(NULL), num_nonnulls(x, x) FROM (VALUES (1), (NULL)) t(x)`,
  `SELECT overlay('abcdef' PLACING 'XX' FROM 2 FOR 3), overlay('abcdef' PLACING 'X' FROM 2), overlay('abc' PLACING 'X' FROM 9 FOR 1)`,
  `SELECT overlay('abc' PLACING NULL FROM 2), overlay('abc' PLACING 'X' FROM 2 FOR 0), overlay('abc' PLACING 'X' FROM 2 FOR -1)`,
  `SELECT regexp_count('abab', 'a'), regexp_count('', 'a'), regexp_count(NULL, 'a'), regexp_count('a1b22', '\\d+')`,
  `SELECT string_to_table('a,b,a', ',') AS w, count(*) FROM (VALUES (1), (2)) t(x) GROUP BY w ORDER BY w`,
  `SELECT w FROM string_to_table('b a', ' ') AS w ORDER BY w`,
];

const SAME_ROWS = [
  ...GROUPED_ROWS,
  ...FURTHER_FUNCTIONS,
  ...QUANTIFIED_PATTERNS,
  ...MERGED_COLUMNS,
  ...TEXTS_OF_NUMBERS,
  ...EXISTS_QUERIES,
  ...ROW_QUERIES,
  'SELECT k, (k, max(id)) NOT IN (SELECT 1, NULL::int) FROM (VALUES (1, 2), (2, 3), (NULL, 4)) a(k, id) GROUP BY k HAVING (k, min(id)) NOT IN (SELECT 1, 3) ORDER BY k',
  'SELECT (1, 2) IN (SELECT 1, 2, 3)',
  "SELECT concat('a', b, true, x > 1), concat_ws(',', b, NULL, x IS NULL, false), 'a' || b FROM (VALUES (1, true), (2, NULL), (NULL, false)) v(x, b) ORDER BY x",
  "SELECT 'x' UNION SELECT s FROM (VALUES (1, NULL), (2, NULL)) v(n, s) ORDER BY 1",
  "SELECT '07' UNION SELECT n FROM (VALUES (7), (NULL)) v(n) ORDER BY 1",
  // Elements of arrays.
  "SELECT ARRAY[1] || 2 || 3, 1 || ARRAY[2], ARRAY['a'] || 'b'::text, ARRAY[1] || (2 + 3), ARRAY[1, 2] || ARRAY[3]",
  "SELECT array_agg(x ORDER BY x) || 3, 0 || array_agg(x ORDER BY x), ('a' || array_agg(s ORDER BY s)::text) FROM (VALUES (1, 'b c'), (2, NULL)) v(x, s)",
  // Literals without a type.
  `SELECT x + '5', '5' - x, x * '2', '-7' % x, '5' + 6, x + ' 7 ' FROM (VALUES (3), (NULL)) t(x)`,
  `SELECT d + '1 day', t + '2 hours', '1 day' + t FROM (SELECT timestamp '2024-02-28' AS d, timestamp '2024-02-28 23:00' AS t) q`,
  `SELECT abs('-5'), round('5.6'), floor('-1.5')`,
  `SELECT x = ANY('{1,2}'), x <> ALL('{1,NULL}'), x > ANY('{1,NULL}'), x <= ALL('{}'), x = ANY('{}') FROM (VALUES (1), (3), (NULL)) t(x)`,
  `SELECT x = ANY('{a,"b c",NULL}'), x < ALL('{b,c}') FROM (VALUES ('a'), ('d'), (NULL)) t(x)`,
  `SELECT x = ANY('{1,z}') FROM (VALUES (1)) t(x)`,
  `SELECT d, sum(x) OVER (ORDER BY d RANGE BETWEEN '1 day' PRECEDING AND '2 days' FOLLOWING) FROM (VALUES (date '2024-01-01', 1), ('2024-01-02', 2), ('2024-01-04', 4)) t(d, x) ORDER BY d`,
  'SELECT 2 BETWEEN SYMMETRIC 3 AND 1, 4 BETWEEN SYMMETRIC 3 AND 1, NOT 2 BETWEEN SYMMETRIC 1 AND 3',
  'SELECT x NOT BETWEEN SYMMETRIC 3 AND 1, x NOT /* no */ BETWEEN SYMMETRIC 1 AND 3 FROM (VALUES (2), (4)) t(x)',
  'SELECT x BETWEEN SYMMETRIC 3 AND NULL, x BETWEEN ASYMMETRIC 3 AND 1 FROM (VALUES (1), (5), (NULL)) t(x)',
  'SELECT x FROM generate_series(1, 9) t(x) WHERE x + 1 BETWEEN SYMMETRIC 7 - 1 AND 2 * 2 AND x <> 4 ORDER BY x',
  String.raw`SELECT U&'d\0061t\+000061', u&'it''s \\', U&'\D83D\DE00', U&'d!0061!!' UESCAPE '!'`,
  String.raw`SELECT U&'\00zz'`,
  String.raw`SELECT U&'\D83D'`,
  `SELECT q.U&"d!0061t!+000061 x" UESCAPE '!' + 1 FROM (SELECT 2 AS "data x") q`,
  String.raw`SELECT U&"\0061", a FROM (VALUES (1), (2)) AS U&"t\0074"(U&"\0061") WHERE tt.a > 1`,
  String.raw`SELECT 1 AS U&"\00zz"`,
  String.raw`SELECT 1 AS U&"a" UESCAPE 'ab'`,
  ...['+05:30', '-9:30', 'UTC+5:45', '<+0530>-5:30', 'XYZ3', '5', '+02', 'GMT-3'].map(
    (zone) =>
      `SELECT timestamptz '2024-07-01 12:00+00' AT TIME ZONE '${zone}', (timestamp '2024-07-01 12:00' AT TIME ZONE '${zone}') AT TIME ZONE 'UTC'`,
  ),
  "SELECT timestamptz '2024-07-01 12:00+00' AT TIME ZONE INTERVAL '-03:30', timezone('+05:30', timestamp '2024-07-01 12:00') AT TIME ZONE 'UTC'",
  ...['justify_hours', 'justify_days', 'justify_interval'].map(
    (name) =>
      `SELECT i, extract(year FROM ${name}(i::interval)), extract(month FROM ${name}(i::interval)), extract(day FROM ${name}(i::interval)), extract(hour FROM ${name}(i::interval)), extract(second FROM ${name}(i::interval)) FROM (VALUES ('35 days'), ('1 mon -1 hour'), ('-1 mon 1 hour'), ('2 days -49 hours'), ('-65 days 49:00:01.5'), ('1 year -400 days 25 hours'), ('-30 days -24 hours'), ('0 days'), (NULL)) t(i)`,
  ),
  "SELECT extract(day FROM justify_hours('27 hours'))",
  'SELECT u & 1 FROM (SELECT 3 AS u) t',
  "SELECT to_number('12,454.8-', '99G999D9S'), to_number('-12.5', 'S99D9'), to_number('$1,234.50', 'L9,999.99')",
  "SELECT to_number('<12>', '99PR'), to_number('  42', '9999'), to_number('1234', '99'), to_number('12.45', '99.9')",
  "SELECT to_number(x, '999D9') FROM (VALUES ('1.5'), ('.7'), (NULL)) t(x)",
  "SELECT to_number('abc', '999')",
  "SELECT x::timestamptz AT TIME ZONE 'UTC' FROM (VALUES ('2024-01-01 12:00:00 +05:30'), ('2024-01-01 12:00 -0330')) t(x)",
  "SELECT d::timestamptz AT TIME ZONE 'UTC', CAST(t AS timestamptz) = t FROM (SELECT date '2024-01-01' AS d, now() AS t) q",
];

/** The rows as texts, sorted unless the query orders them, or the SQLSTATE. */
async function answer(
  client: pg.Client,
  { sql, parameters, ordered }: NullQuery,
): Promise<string[] | string> {
  try {
    const { rows, fields } = await client.query<(string | null)[]>({
      text: sql,
      values: [...parameters],
      rowMode: 'array',
    });
    const isFraction = fields.map(({ dataTypeID }) => FRACTIONS.has(dataTypeID));
    const texts = rows.map((row) =>
      JSON.stringify(row.map((value, i) => (isFraction[i] ? rounded(value) : value))),
    );
    return ordered ? texts : texts.sort();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `${error.code}`;
  }
}

/** REAL, DOUBLE PRECISION and NUMERIC: an average may have another one of these types in PostgreSQL. */
const FRACTIONS: ReadonlySet<number> = new Set([700, 701, 1700]);

const rounded = (value: string | null): string | null =>
  value === null || !/\d/.test(value) ? value : String(Number(Number(value).toPrecision(10)));
