import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { POSTGRES_MACROS } from '../src/format/postgres-macros.ts';
import { functionBootstrap } from '../src/functions/index.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const TABLE = `(VALUES (
  'é', '\\xff00'::bytea, ARRAY[1, 2]::int[], ARRAY[5000000000, 1]::bigint[], ARRAY[0.5::double],
  DATE '2024-05-17', TIMESTAMP '2024-05-17 10:11:12', TIMESTAMPTZ '2024-05-17 10:11:12+02', 1.5::double, 7, 1.25::numeric(5, 2)
)) n(txt, bin, ints, longs, doubles, dat, stamp, zoned, dbl, num, dec)`;

const CALLS: readonly string[] = [
  ...['txt', 'bin'].flatMap((x) => [`octet_length(${x})`, `substr(${x}, 1, 1)`, `substring(${x}, 2)`]),
  ...['txt', 'bin', 'ints'].map((x) => `length(${x})`),
  ...['txt', 'bin', 'num', 'dat'].map((x) => `to_json(${x})`),
  ...['txt', 'bin', 'ints', 'doubles', 'stamp', 'zoned', 'dbl', 'dec'].map((x) => `to_jsonb(${x})`),
  ...['txt', 'num'].map((x) => `'{"7": 1, "é": 2}'::jsonb -> (${x})`),
  ...['ints', 'longs', 'doubles'].map((x) => `array_sum(${x})`),
  ...['dat', 'stamp', 'zoned'].flatMap((x) => [
    `date_add('hour', 3, ${x})`,
    `date_trunc('hour', ${x})`,
    `date_trunc('century', ${x})`,
    `date_trunc('hour', ${x}, 'Asia/Tokyo')`,
    `to_char(${x}, 'HH24')`,
    `to_timestamp(${x}::text)`,
  ]),
  ...['dbl', 'num', 'dec'].flatMap((x) => [
    `to_timestamp(${x})`,
    `to_char(${x}, '9.99')`,
    `round(${x}, 1)`,
    `abs(-${x})`,
    `${x} / 2`,
  ]),
];

/** Positions in which the columns of the call belong to an outer query. */
const PLACES: Readonly<Record<string, (call: string) => string>> = {
  'a subquery': (call) => `(SELECT ${call})`,
  'a subquery over rows': (call) => `(SELECT ${call} FROM range(1) r(x))`,
  'a subquery in a subquery': (call) => `(SELECT (SELECT ${call} FROM range(1) r(x)) FROM range(1) s(y))`,
};

/** The rows of each call of columns of its own query. */
const expected = new Map<string, unknown[][]>();

describe.each(Object.entries(PLACES))(
  'a function of an outer column in %s is the same function',
  (_, place) => {
    test.each(CALLS)('%s', async (call) => {
      const here =
        expected.get(call) ?? (await dialect.rows(`SELECT ${call}, typeof(${call}) FROM ${TABLE}`));
      expected.set(call, here);
      const there = `SELECT ${place(call)}, ${place(`typeof(${call})`)} FROM ${TABLE}`;
      expect(await dialect.rows(there)).toEqual(here);
    });
  },
);

test('in LATERAL', async () => {
  const sql = `SELECT l.* FROM ${TABLE}, LATERAL (SELECT length(txt), length(bin), median(x) FROM (VALUES (dat), (dat + 1)) v(x)) l`;
  expect(await dialect.rows(sql)).toEqual([['1', '2', '2024-05-17 12:00:00']]);
});

test('an expression may combine inner and outer columns', async () => {
  const sql = `SELECT (SELECT octet_length(txt || x) FROM (VALUES ('ab')) s(x)) FROM ${TABLE}`;
  expect(await dialect.rows(sql)).toEqual([['4']]);
});

/**
 * The kernel chooses an overload before it knows the type of an outer column, and then takes the first one.
 */
test('no macro is chosen by the type of an argument', () => {
  const macros = [...functionBootstrap, ...POSTGRES_MACROS];
  expect(macros.length).toBeGreaterThan(100);
  const typed = macros.filter((sql) =>
    overloads(sql).some((parameters) => parameters.some((parameter) => /\s/.test(parameter))),
  );
  const equallyLong = macros.filter((sql) => {
    const counts = overloads(sql).map(({ length }) => length);
    return new Set(counts).size < counts.length;
  });
  expect([typed, equallyLong]).toEqual([[], []]);
});

/** The parameters of each overload of a CREATE MACRO. */
const overloads = (sql: string): readonly (readonly string[])[] =>
  [...sql.matchAll(/(?:^CREATE MACRO \w+|, )\(([\w\s,[\]]*)\) AS\b/g)].map(([, parameters = '']) =>
    parameters.split(',').map((parameter) => parameter.trim()),
  );
