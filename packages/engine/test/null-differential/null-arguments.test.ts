import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { type Callable, postgresCallables, TYPICAL } from './postgres-callables.ts';
import { postgresPrograms } from './postgres-reference.ts';

const programs = postgresPrograms();

const BATCH = 10;

/** How the arguments are written: as columns, with literals for NULL with and without its type, or with parameters for NULL. */
const FORMS = ['column', 'typed literal', 'literal', 'parameter'] as const;
type Form = (typeof FORMS)[number];

/** Differences that were reviewed and are intended. */
const MEANT: Readonly<Record<string, string>> = {
  // PostgreSQL's `mode` needs WITHIN GROUP.
  'mode(NULL::integer)': 'null instead of error 42809',
  // An array of arrays may contain NULL.
  'array_agg(NULL::integer[])': '"{NULL}" instead of error 22004',
};
const MEANT_OF: Readonly<Partial<Record<Form, Readonly<Record<string, string>>>>> = {
  literal: { 'mode(NULL::integer)': 'null instead of error 42809' },
  // The dimensions must be known when the statement is prepared.
  parameter: {
    'array_fill(2::integer, NULL::integer[])': 'error 0A000 instead of error 22004',
    'array_fill(NULL::integer, NULL::integer[])': 'error 0A000 instead of error 22004',
  },
};

/** Errors of PostgreSQL for a NULL without a type, where the engine is more lenient: it takes one of several functions that fit. */
const AMBIGUOUS = /^error (?:42725|42804|42883|42P18)$/;

describe.skipIf(programs === undefined)(
  'NULL in every argument of every function and operator (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    let ours: pg.Client;
    let theirs: pg.Client;
    /** The callables that the engine has too, which answer for typical values from columns and for literals. */
    let known: Readonly<Record<'ofColumns' | 'ofLiterals', readonly Callable[]>>;
    beforeAll(async () => {
      sides = await startSides(programs!);
      ({ ours, theirs } = sides);
      for (const client of [ours, theirs]) {
        await client.query("SET timezone = 'UTC'");
        for (const statement of argumentTable) await client.query(statement);
      }
      const callables = await postgresCallables(theirs);
      // The engine lacks about half of them: halving statements that fail would take longer than to ask for each one.
      const ofColumns = await answeredFrom(ours, callables, 'column', 1);
      const others = callables.filter((callable) => !ofColumns.includes(callable));
      const ofLiterals = [
        ...(await answeredFrom(ours, ofColumns, 'literal', BATCH)),
        ...(await answeredFrom(ours, others, 'literal', 1)),
      ];
      known = { ofColumns, ofLiterals };
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it.each(FORMS)('answers as PostgreSQL does if NULL is a %s', { timeout: 300_000 }, async (form) => {
      const callables = form === 'column' ? known.ofColumns : known.ofLiterals;
      const expected = new Map<Call, string>();
      for (const calls of batchesOf(callables, BATCH).map(callsWithNull)) {
        const found = await answers(theirs, calls, form);
        for (const [i, call] of calls.entries()) expected.set(call, found[i]!);
      }
      if (form === 'literal') {
        for (const [call, answer] of expected) if (AMBIGUOUS.test(answer)) expected.delete(call);
      }
      const different: Record<string, string> = {};
      for (const calls of batchesOfCalls(expected)) {
        const actual = await answers(ours, calls, form);
        for (const [i, call] of calls.entries()) {
          if (actual[i] !== expected.get(call))
            different[shown(call)] = `${actual[i]} instead of ${expected.get(call)}`;
        }
      }
      expect(different).toEqual({ ...(form === 'literal' ? {} : MEANT), ...MEANT_OF[form] });
      expect(expected.size).toBeGreaterThan(500);
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

/** @param parameters the types of the parameters of the statement, each of which is NULL */
function argument(type: string, isNull: boolean, form: Form, parameters: Set<string>): string {
  if (form === 'column') return `${isNull ? 'n' : 'v'}${TYPES.indexOf(type)}::${type}`;
  if (!isNull) return `${TYPICAL[type]}::${type}`;
  if (form === 'literal') return 'NULL';
  if (form === 'typed literal') return `NULL::${type}`;
  parameters.add(type);
  return `$${[...parameters].indexOf(type) + 1}::${type}`;
}

/** A call with NULL for the arguments at some positions. */
interface Call {
  readonly callable: Callable;
  readonly nulls: readonly number[];
}

const shown = ({ callable: { types, call }, nulls }: Call): string =>
  call(types.map((type, i) => (nulls.includes(i) ? `NULL::${type}` : `${TYPICAL[type]}::${type}`)));

/** Callables of one kind that one statement calls: planning a statement takes longer than most calls. */
const batchesOf = (callables: readonly Callable[], size: number): Callable[][] =>
  [...Map.groupBy(callables, ({ kind }) => kind).values()].flatMap((same) =>
    Array.from({ length: Math.ceil(same.length / size) }, (_, i) => same.slice(i * size, (i + 1) * size)),
  );

const callsWithNull = (callables: readonly Callable[]): readonly Call[] =>
  callables.flatMap((callable) => placesOfNull(callable.types.length).map((nulls) => ({ callable, nulls })));

/** Calls that one statement makes: of one kind, and alone if an error is expected, because a statement has one error. */
const batchesOfCalls = (expected: ReadonlyMap<Call, string>): readonly (readonly Call[])[] => {
  const [failing = [], others = []] = [true, false].map((fails) =>
    [...expected.keys()].filter((call) => expected.get(call)!.startsWith('error') === fails),
  );
  const batches = batchesOf([...new Set(others.map(({ callable }) => callable))], BATCH);
  return [
    ...batches.map((some) => others.filter(({ callable }) => some.includes(callable))),
    ...failing.map((call) => [call]),
  ];
};

/**
 * The callables that `client` answers for typical values.
 *
 * @param size the number of callables that one statement asks for
 */
async function answeredFrom(
  client: pg.Client,
  callables: readonly Callable[],
  form: Form,
  size: number,
): Promise<readonly Callable[]> {
  const known: Callable[] = [];
  for (const some of batchesOf(callables, size)) {
    const found = await answers(
      client,
      some.map((callable) => ({ callable, nulls: [] })),
      form,
    );
    known.push(...some.filter((_, i) => !found[i]!.startsWith('error')));
  }
  return known;
}

/**
 * The value of each call as text, or the error. One statement makes all calls; if it fails, two make half of them each.
 * Nothing is known about arguments that are columns when the calls are planned.
 */
async function answers(client: pg.Client, calls: readonly Call[], form: Form): Promise<readonly string[]> {
  const parameters = new Set<string>();
  const columns = calls.map(({ callable: { types, call }, nulls }, n) => {
    const args = types.map((type, i) => argument(type, nulls.includes(i), form, parameters));
    return `(${call(args)}) AS v${n}`;
  });
  try {
    const sql = `SELECT ${columns.join(', ')} FROM arguments`;
    const values = [...parameters].map(() => null);
    const { rows } = await client.query<Record<string, string | null>>(sql, values);
    return calls.map((_, n) => rows.map((row) => JSON.stringify(row[`v${n}`])).join());
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (calls.length === 1) return [`error ${error.code}`];
    const half = Math.ceil(calls.length / 2);
    return [
      ...(await answers(client, calls.slice(0, half), form)),
      ...(await answers(client, calls.slice(half), form)),
    ];
  }
}
