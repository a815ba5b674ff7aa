import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { postgresPrograms } from './postgres-reference.ts';
import { type NullQuery, nullTables, randomNullQuery } from './random-null-query.ts';

const SEED = process.env.TESSERA_NULL_SEED ?? '20261122';
const QUERIES = Number(process.env.TESSERA_NULL_QUERIES ?? 150);
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

    it('columns have the declared types of the columns of tables that they are', async () => {
      const types = 'v varchar(20), w varchar, c char(3), n numeric(10, 2), s smallint, i integer, t text';
      for (const client of [ours, theirs]) {
        await client.query(`CREATE TABLE declared (${types})`);
        await client.query('CREATE TABLE declared_again AS SELECT v, w, c, n, s, t AS u FROM declared');
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

    it.each(['SELECT id FROM n WHERE s = $1', 'SELECT $1::text', 'SELECT substr($1, 1, 1)'])(
      'a NUL in a parameter of %s is 22021',
      async (text) => {
        for (const client of [ours, theirs])
          await expect(client.query(text, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
      },
    );
  },
);

const DECLARED_TYPES = [
  'SELECT * FROM declared',
  'SELECT * FROM declared_again',
  'SELECT d.v AS x, c, s, s + 1 AS y, v || c AS z FROM declared d ORDER BY s',
  'SELECT q.*, 1 AS one FROM (SELECT v AS a, s AS b, n FROM declared) q',
  'SELECT a.v, b.s, b.c FROM declared a LEFT JOIN declared_again b ON a.s = b.s',
  'SELECT v, s FROM declared UNION ALL SELECT v, s FROM declared_again',
  'SELECT s, v, count(*) FROM declared GROUP BY s, v',
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

/** Syntax and functions that the random queries do not use. */
const SAME_ROWS = [
  ...EXISTS_QUERIES,
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
