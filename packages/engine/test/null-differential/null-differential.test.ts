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

    it.each(['SELECT id FROM n WHERE s = $1', 'SELECT $1::text', 'SELECT substr($1, 1, 1)'])(
      'a NUL in a parameter of %s is 22021',
      async (text) => {
        for (const client of [ours, theirs])
          await expect(client.query(text, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
      },
    );
  },
);

/** Syntax and functions that the random queries do not use. */
const SAME_ROWS = [
  'SELECT 2 BETWEEN SYMMETRIC 3 AND 1, 4 BETWEEN SYMMETRIC 3 AND 1, NOT 2 BETWEEN SYMMETRIC 1 AND 3',
  'SELECT x NOT BETWEEN SYMMETRIC 3 AND 1, x NOT /* no */ BETWEEN SYMMETRIC 1 AND 3 FROM (VALUES (2), (4)) t(x)',
  'SELECT x BETWEEN SYMMETRIC 3 AND NULL, x BETWEEN ASYMMETRIC 3 AND 1 FROM (VALUES (1), (5), (NULL)) t(x)',
  'SELECT x FROM generate_series(1, 9) t(x) WHERE x + 1 BETWEEN SYMMETRIC 7 - 1 AND 2 * 2 AND x <> 4 ORDER BY x',
  String.raw`SELECT U&'d\0061t\+000061', u&'it''s \\', U&'\D83D\DE00', U&'d!0061!!' UESCAPE '!'`,
  String.raw`SELECT U&'\00zz'`,
  String.raw`SELECT U&'\D83D'`,
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
