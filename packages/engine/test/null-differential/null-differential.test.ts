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

    it.each(['SELECT id FROM n WHERE s = $1', 'SELECT $1::text', 'SELECT substr($1, 1, 1)'])(
      'a NUL in a parameter of %s is 22021',
      async (text) => {
        for (const client of [ours, theirs])
          await expect(client.query(text, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
      },
    );
  },
);

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
