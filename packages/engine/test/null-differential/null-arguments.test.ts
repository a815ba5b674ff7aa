import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { type Callable, postgresCallables, TYPICAL } from './postgres-callables.ts';
import { postgresPrograms } from './postgres-reference.ts';

const programs = postgresPrograms();

/** Differences that were reviewed and are intended. */
const MEANT: Readonly<Record<string, string>> = {
  // PostgreSQL's `mode` needs WITHIN GROUP.
  'mode(NULL::integer)': 'null instead of error 42809',
};

describe.skipIf(programs === undefined)(
  'NULL in every argument of every function and operator (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    let ours: pg.Client;
    let theirs: pg.Client;
    beforeAll(async () => {
      sides = await startSides(programs!);
      ({ ours, theirs } = sides);
      for (const client of [ours, theirs]) {
        await client.query("SET timezone = 'UTC'");
        for (const statement of argumentTable) await client.query(statement);
      }
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it('answers as PostgreSQL does', { timeout: 300_000 }, async () => {
      const callables = await postgresCallables(theirs);
      const different: Record<string, string> = {};
      let compared = 0;
      for (const callable of callables) {
        if ((await answer(ours, callable, [])).startsWith('error')) continue;
        const places = placesOfNull(callable.types.length);
        const actual = await answers(ours, callable, places);
        const expected = await answers(theirs, callable, places);
        for (const [i, nulls] of places.entries()) {
          compared += 1;
          if (actual[i] !== expected[i])
            different[shown(callable, nulls)] = `${actual[i]} instead of ${expected[i]}`;
        }
      }
      expect(different).toEqual(MEANT);
      expect(compared).toBeGreaterThan(500);
    });
  },
);

const TYPES = Object.keys(TYPICAL);
/** The typical values as texts, and as many NULLs. */
const argumentTable: readonly string[] = [
  `CREATE TABLE arguments (${TYPES.map((_, i) => `v${i} TEXT, n${i} TEXT NULL`).join(', ')})`,
  `INSERT INTO arguments VALUES (${TYPES.map((type) => `${TYPICAL[type]}, NULL`).join(', ')})`,
];

/** The argument positions that are NULL: each one alone, and all of them. */
const placesOfNull = (count: number): readonly (readonly number[])[] => {
  const all = Array.from({ length: count }, (_, i) => i);
  return count === 1 ? [all] : [...all.map((i) => [i]), all];
};

const argument = (type: string, isNull: boolean): string =>
  `${isNull ? 'n' : 'v'}${TYPES.indexOf(type)}::${type}`;

const shown = ({ types, call }: Callable, nulls: readonly number[]): string =>
  call(types.map((type, i) => (nulls.includes(i) ? `NULL::${type}` : `${TYPICAL[type]}::${type}`)));

/** The answers for several places of NULL: of one query if all of them are values, otherwise one by one. */
async function answers(
  client: pg.Client,
  callable: Callable,
  places: readonly (readonly number[])[],
): Promise<readonly string[]> {
  const calls = places.map((nulls, i) => `(${callOf(callable, nulls)}) AS v${i}`);
  try {
    const { rows } = await client.query<Record<string, string | null>>(
      `SELECT ${calls.join(', ')} FROM arguments`,
    );
    return places.map((_, i) => rows.map((row) => JSON.stringify(row[`v${i}`])).join());
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const found: string[] = [];
    for (const nulls of places) found.push(await answer(client, callable, nulls));
    return found;
  }
}

/** The arguments are columns, so that nothing is known about them when the call is planned. */
const callOf = ({ types, call }: Callable, nulls: readonly number[]): string =>
  call(types.map((type, i) => argument(type, nulls.includes(i))));

/** The value as text, or the error. */
async function answer(client: pg.Client, callable: Callable, nulls: readonly number[]): Promise<string> {
  try {
    const { rows } = await client.query<{ v: string | null }>(
      `SELECT (${callOf(callable, nulls)}) AS v FROM arguments`,
    );
    return rows.map(({ v }) => JSON.stringify(v)).join();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `error ${error.code}`;
  }
}
