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
 * - An array of documents, a row of VALUES that is a subquery, and a literal that is the other operand of a document are JSON and not JSONB.
 */
function isMeant({ form, x, y }: Case): boolean {
  if (x === 'NULL' && y === 'NULL') return true;
  if (form === 'NULLIF') return !TYPES.includes(x) || (NUMBERS.has(x) && NUMBERS.has(y));
  if (x !== 'jsonb' && y !== 'jsonb') return false;
  return form === 'ARRAY' || form === 'VALUES' || (form === 'UNION' && [x, y].includes("'7'"));
}

/** Pairs that PostgreSQL refuses somewhere and the engine converts. */
const ACCEPTED = [
  'array and array',
  'array and jsonb',
  'array and literal',
  'boolean and jsonb',
  'boolean and number',
  'boolean and text',
  'bytea and jsonb',
  'bytea and text',
  'jsonb and number',
  'jsonb and text',
  'jsonb and time',
  'number and text',
  'text and time',
];

/** Statements in which values of two types meet. */
const QUERIES: Readonly<Record<string, (x: string, y: string) => string>> = {
  UNION: (x, y) => `SELECT ${x} FROM args UNION SELECT ${y} FROM args ORDER BY 1`,
  VALUES: (x, y) =>
    `VALUES (${x.startsWith('v') ? one(x) : x}), (${y.startsWith('v') ? one(y) : y}) ORDER BY 1`,
};

/** Expressions in which values of two types meet. */
const EXPRESSIONS: Readonly<Record<string, (x: string, y: string) => string>> = {
  CASE: (x, y) => `CASE WHEN v1 = 2 THEN ${x} ELSE ${y} END`,
  COALESCE: (x, y) => `coalesce(${x}, ${y})`,
  GREATEST: (x, y) => `greatest(${x}, ${y})`,
  NULLIF: (x, y) => `nullif(${x}, ${y})`,
  IN: (x, y) => `${x} IN (${y}, ${y})`,
  ARRAY: (x, y) => `ARRAY[${x}, ${y}]`,
  '=': (x, y) => `${x} = ${y}`,
};

/** One result column each: a place where two types meet, or where a value is cast to a type or stored in a column of the type. */
interface Case {
  readonly form: string;
  readonly x: string;
  readonly y: string;
  /** An expression over `args`; for a change, of the value that is stored. */
  readonly expression: string;
  /** The column that a change stores it in. */
  readonly column?: string;
}

/** Statements with one result column for each of the cases, all of one of these kinds. */
const STATEMENTS: Readonly<Record<string, (cases: readonly Case[]) => string>> = {
  query: ([only]) => only!.expression,
  SELECT: (cases) => `SELECT ${cases.map(({ expression }) => expression).join(', ')} FROM args`,
  INSERT: (cases) =>
    `INSERT INTO target (${columnsOf(cases)}) SELECT ${cases.map(({ expression }) => expression).join(', ')} FROM args
    RETURNING ${columnsOf(cases)}`,
  UPDATE: (cases) =>
    `UPDATE target SET ${cases.map(({ expression, column }) => `${column} = ${expression}`).join(', ')} FROM args
    WHERE id = 1 RETURNING ${columnsOf(cases)}`,
};

const columnsOf = (cases: readonly Case[]): string => cases.map(({ column }) => column).join(', ');

/** The cases of an operand, by the kind of their statement. */
function casesOf(x: string, left: string): Readonly<Record<string, readonly Case[]>> {
  const pairs = (forms: typeof EXPRESSIONS) =>
    [...OPERANDS].flatMap(([y, right]) =>
      Object.entries(forms).map(([form, sql]) => ({ form, x, y, expression: sql(left, right) })),
    );
  const stored = (form: string) => TYPES.map((y, i) => ({ form, x, y, expression: left, column: `c${i}` }));
  const casts = TYPES.map((y) => ({ form: 'cast', x, y, expression: `${left}::${y}` }));
  return {
    query: pairs(QUERIES),
    SELECT: [...pairs(EXPRESSIONS), ...casts],
    INSERT: stored('INSERT'),
    UPDATE: stored('UPDATE'),
  };
}

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
      for (const [x, left] of OPERANDS) {
        for (const [kind, cases] of Object.entries(casesOf(x, left))) {
          const expected = new Map<Case, string>();
          for (const one of cases) expected.set(one, (await answers(sides.theirs, kind, [one]))[0]!);
          const [refused, answered] = [true, false].map((isRefused) =>
            cases.filter((one) => (expected.get(one) === 'error') === isRefused),
          );
          const together = kind === 'query' ? answered!.map((one) => [one]) : [answered!];
          const actual: string[] = [];
          for (const some of together) actual.push(...(await answers(sides.ours, kind, some)));
          for (const [i, one] of answered!.entries()) {
            compared += 1;
            if (actual[i] !== expected.get(one) && !isMeant(one))
              different[`${one.form} ${x}, ${one.y}`] = `${actual[i]} instead of ${expected.get(one)}`;
          }
          for (const one of refused!) {
            if ((await answers(sides.ours, kind, [one]))[0] !== 'error' && !isMeant(one))
              accepted.add([groupOf(x), groupOf(one.y)].sort().join(' and '));
          }
        }
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

/**
 * The type and values of each case, or `error`. One statement answers all cases; if it fails, two answer half of them each.
 * NUMERIC has a scale in the engine, so numbers are compared by value.
 */
async function answers(client: pg.Client, kind: string, cases: readonly Case[]): Promise<readonly string[]> {
  if (cases.length === 0) return [];
  try {
    const text = STATEMENTS[kind]!(cases);
    const { rows, fields } = await client.query<(string | null)[]>({ text, rowMode: 'array' });
    return fields.map(
      ({ dataTypeID }, i) => `${dataTypeID} ${JSON.stringify(rows.map((row) => plain(row[i]!)))}`,
    );
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (cases.length === 1) return ['error'];
    const half = Math.ceil(cases.length / 2);
    return [
      ...(await answers(client, kind, cases.slice(0, half))),
      ...(await answers(client, kind, cases.slice(half))),
    ];
  }
}

const plain = (value: string | null): string | null =>
  value?.replace(/(\d)\.(\d*?)0+\b/g, (_, whole, rest) => (rest ? `${whole}.${rest}` : whole)) ?? null;
