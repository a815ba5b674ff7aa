import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { postgresPrograms } from './postgres-reference.ts';

const programs = postgresPrograms();

/** The types of the columns of `args`, each with the value of its column. */
const COLUMNS: Readonly<Record<string, string>> = {
  text: "'b'",
  integer: '2',
  bigint: '3',
  'double precision': '0.5',
  'numeric(10,2)': '2.75',
  boolean: 'true',
  date: "'2024-02-29'",
  timestamptz: "'2024-02-29 10:11:12+00'",
  bytea: "'\\x6162'",
  'text[]': `'{a,"b c",NULL}'`,
  'integer[]': "'{1,2}'",
  jsonb: `'{"b": 2}'`,
};
const TYPES = Object.keys(COLUMNS);

/** Each column, and literals without a type. */
const OPERANDS = new Map([
  ...TYPES.map((type, i) => [type, `v${i}`] as const),
  ["'7'", "'7'"],
  ["'2024-01-02'", "'2024-01-02'"],
  ['NULL', 'NULL'],
]);

const one = (value: string): string => `(SELECT ${value} FROM args)`;

/**
 * Differences that were reviewed and are intended:
 * - NULL without any type is an INTEGER, not a TEXT.
 * - NULLIF has the type of its first argument, also of a literal; in PostgreSQL, that to which `=` converts it.
 * - An array of documents, a row of VALUES that is a subquery, and a literal beside a document are JSON and not JSONB.
 */
function isMeant(form: string, x: string, y: string): boolean {
  if (x === 'NULL' && y === 'NULL') return true;
  if (form === 'NULLIF') return !TYPES.includes(x) || (NUMBERS.has(x) && NUMBERS.has(y));
  if (x !== 'jsonb' && y !== 'jsonb') return false;
  return form === 'ARRAY' || form === 'VALUES' || (form === 'UNION' && [x, y].includes("'7'"));
}

/**
 * Pairs that PostgreSQL refuses somewhere and the engine converts. A literal that is no value of the other type is refused only when
 * it is computed.
 */
const ACCEPTED = [
  'array and array',
  'array and jsonb',
  'array and literal',
  'boolean and jsonb',
  'boolean and literal',
  'boolean and number',
  'boolean and text',
  'bytea and jsonb',
  'bytea and text',
  'jsonb and literal',
  'jsonb and number',
  'jsonb and text',
  'jsonb and time',
  'literal and number',
  'literal and time',
  'number and text',
  'text and time',
];

/** Places where values of two types meet. */
const FORMS: Readonly<Record<string, (x: string, y: string) => string>> = {
  UNION: (x, y) => `SELECT ${x} FROM args UNION SELECT ${y} FROM args ORDER BY 1`,
  VALUES: (x, y) =>
    `VALUES (${x.startsWith('v') ? one(x) : x}), (${y.startsWith('v') ? one(y) : y}) ORDER BY 1`,
  CASE: (x, y) => `SELECT CASE WHEN v1 = 2 THEN ${x} ELSE ${y} END FROM args`,
  COALESCE: (x, y) => `SELECT coalesce(${x}, ${y}) FROM args`,
  GREATEST: (x, y) => `SELECT greatest(${x}, ${y}) FROM args`,
  NULLIF: (x, y) => `SELECT nullif(${x}, ${y}) FROM args`,
  IN: (x, y) => `SELECT ${x} IN (${y}, ${y}) FROM args`,
  ARRAY: (x, y) => `SELECT ARRAY[${x}, ${y}] FROM args`,
  '=': (x, y) => `SELECT ${x} = ${y} FROM args`,
};

/** Places where a value is stored in a column or cast to its type. */
const ASSIGNMENTS: Readonly<Record<string, (x: string, type: string, column: string) => string>> = {
  cast: (x, type) => `SELECT ${x}::${type} FROM args`,
  INSERT: (x, _, column) => `INSERT INTO target (${column}) SELECT ${x} FROM args RETURNING ${column}`,
  UPDATE: (x, _, column) => `UPDATE target SET ${column} = ${x} FROM args WHERE id = 1 RETURNING ${column}`,
};

describe.skipIf(programs === undefined)(
  'types of results and of assignments (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    beforeAll(async () => {
      sides = await startSides(programs!);
      const columns = (name: string) => TYPES.map((type, i) => `${name}${i} ${type} NULL`).join(', ');
      for (const client of [sides.ours, sides.theirs]) {
        await client.query("SET timezone = 'UTC'");
        await client.query(`CREATE TABLE args (${columns('v')})`);
        await client.query(`INSERT INTO args VALUES (${Object.values(COLUMNS).join(', ')})`);
        await client.query(`CREATE TABLE target (${columns('c')}, id INTEGER NULL)`);
        await client.query('INSERT INTO target (id) VALUES (1)');
      }
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it('are those of PostgreSQL for all pairs of types', { timeout: 300_000 }, async () => {
      const different: Record<string, string> = {};
      const accepted = new Set<string>();
      let compared = 0;
      const compare = async (form: string, x: string, y: string, sql: string): Promise<void> => {
        const [actual, expected] = [await answer(sides.ours, sql), await answer(sides.theirs, sql)];
        if (expected !== 'error') compared += 1;
        if (actual === expected || isMeant(form, x, y)) return;
        if (expected === 'error') accepted.add([groupOf(x), groupOf(y)].sort().join(' and '));
        else different[`${form} ${x}, ${y}`] = `${actual} instead of ${expected}`;
      };
      for (const [x, left] of OPERANDS) {
        for (const [y, right] of OPERANDS)
          for (const [form, sql] of Object.entries(FORMS)) await compare(form, x, y, sql(left, right));
        for (const [i, type] of TYPES.entries())
          for (const [form, sql] of Object.entries(ASSIGNMENTS))
            await compare(form, x, type, sql(left, type, `c${i}`));
      }
      expect(different).toEqual({});
      expect([...accepted].sort()).toEqual(ACCEPTED);
      expect(compared).toBeGreaterThan(500);
    });
  },
);

const NUMBERS: ReadonlySet<string> = new Set(TYPES.slice(1, 5));
const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);

const groupOf = (type: string): string =>
  NUMBERS.has(type)
    ? 'number'
    : TIMES.has(type)
      ? 'time'
      : type.endsWith('[]')
        ? 'array'
        : /^['N]/.test(type)
          ? 'literal'
          : type;

/** The types and rows, or `error`. NUMERIC has a scale in the engine, so numbers are compared by value. */
async function answer(client: pg.Client, sql: string): Promise<string> {
  try {
    const { rows, fields } = await client.query<(string | null)[]>({ text: sql, rowMode: 'array' });
    const values = rows.map((row) =>
      row.map((value) =>
        value?.replace(/(\d)\.(\d*?)0+\b/g, (_, whole, rest) => (rest ? `${whole}.${rest}` : whole)),
      ),
    );
    return `${fields.map(({ dataTypeID }) => dataTypeID).join()} ${JSON.stringify(values)}`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return 'error';
  }
}
