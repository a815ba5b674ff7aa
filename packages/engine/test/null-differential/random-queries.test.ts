import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { postgresPrograms } from './postgres-reference.ts';
import type { NullQuery } from './random-null-query.ts';
import { postgresTables, randomPostgresQuery } from './random-postgres-query.ts';

const SEED = process.env.TESSERA_POSTGRES_SEED ?? '20261129';
/** TESSERA_POSTGRES_QUERIES=2000 runs the complete proof. */
const QUERIES = Number(process.env.TESSERA_POSTGRES_QUERIES ?? 60);
const SECONDS_PER_QUERY = 2;
const MAX_ANSWER_LENGTH = 400;

/** Types that count as equal, since the dialect's functions return BIGINT and DOUBLE PRECISION where PostgreSQL's return INTEGER and NUMERIC. */
const SAME_TYPES: Readonly<Record<number, string>> = {
  20: 'number',
  21: 'number',
  23: 'number',
  700: 'number',
  701: 'number',
  1700: 'number',
  1007: 'numbers',
  1016: 'numbers',
  1021: 'numbers',
  1022: 'numbers',
  1231: 'numbers',
  114: 'document',
  3802: 'document',
  // Intervals are texts in results.
  25: 'text',
  1043: 'text',
  1186: 'text',
};
/** REAL, DOUBLE PRECISION and NUMERIC. */
const FRACTIONS: ReadonlySet<number> = new Set([700, 701, 1700]);

type Row = readonly (string | null)[];
interface Rows {
  readonly types: readonly number[];
  readonly rows: readonly Row[];
  readonly ordered: boolean;
}
interface Failure {
  readonly code: string;
  readonly message: string;
}
type Answer = Rows | Failure;

interface Compared {
  readonly sql: string;
  readonly ours: Answer;
  readonly theirs: Answer;
}

const isFailure = (answer: Answer): answer is Failure => 'code' in answer;
const failsWith = (answer: Answer, code: string, message = /^/) =>
  isFailure(answer) && answer.code === code && message.test(answer.message);

/** Differences that were reviewed and are intended. A test run reports how often each one occurred. */
const MEANT: Readonly<Record<string, (compared: Compared) => boolean>> = {
  'a literal has the type TEXT where PostgreSQL finds none': ({ theirs }) =>
    failsWith(theirs, '42804', /type unknown/) || failsWith(theirs, '42883', /type unknown/),
  'a function takes a BIGINT where PostgreSQL requires an INTEGER, or returns one': ({ theirs }) =>
    failsWith(theirs, '42883', /bigint/) || failsWith(theirs, '22003', /integer out of range/),
  'functions return BIGINT, which cannot be added to a date': ({ ours }) =>
    failsWith(ours, '42883', /date . bigint|bigint . date/),
  'a NULL that is a constant is an INTEGER': ({ ours, theirs }) =>
    !isFailure(ours) &&
    !isFailure(theirs) &&
    differenceIn(ours, theirs) === 'types' &&
    ours.types.every(
      (type, i) => type === theirs.types[i] || isAlwaysNull(ours, i) || sameType(ours, theirs, i),
    ),
  'the age of an infinite timestamp, which overflows in PostgreSQL 15, is NULL': ({ sql, ours, theirs }) =>
    /\bage\(/.test(sql) &&
    !isFailure(ours) &&
    (isFailure(theirs)
      ? theirs.code === '22008'
      : differenceIn(ours, { ...theirs, rows: theirs.rows.map(withoutOverflow) }) === undefined ||
        (/\bDISTINCT ON\b/.test(sql) &&
          theirs.rows.some((row) => withoutOverflow(row).join() !== row.join()))),
  'BIGINT, the type of years, has no infinity': ({ theirs }) => failsWith(theirs, '0A000', /infinity/),
  'NUMERIC has no NaN and no infinity': ({ ours }) =>
    failsWith(ours, '22P02', /for type numeric/) || failsWith(ours, '0A000', /NaN or infinity/),
  'arithmetic of doubles follows IEEE 754': ({ theirs }) =>
    failsWith(theirs, '22003', /value out of range: (?:over|under)flow/),
  'several errors are possible, and another one is found first': ({ sql, ours, theirs }) =>
    isFailure(ours) && isFailure(theirs) && !isSingle(sql),
  'an expression fails that only one of the sides computes': ({ sql, ours, theirs }) =>
    isFailure(ours) !== isFailure(theirs) && !isSingle(sql) && /^22|^54/.test(codeOf(ours) + codeOf(theirs)),
};

/** Queries that only PostgreSQL answers. The engine refuses them with an error, so no client gets wrong rows. */
const REFUSED: Readonly<Record<string, (error: Failure) => boolean>> = {
  'not supported': ({ code }) => code === '0A000',
  'an array in the form of PostgreSQL is read from literals and parameters only': ({ code, message }) =>
    code === '22P02' && /for type array/.test(message),
  'the deviation of infinite numbers': ({ code, message }) =>
    code === '22003' && /^(?:STDDEV|VAR)/.test(message),
  'an array and a text are not concatenated': ({ code, message }) =>
    code === '42883' && /concatenate/.test(message),
  'regexp_instr in a text that contains its mark': ({ code, message }) =>
    code === '22000' && /U\+0001/.test(message),
  'a date and an infinite timestamp are not compared': ({ code, message }) =>
    code === '22P02' && /infinite timestamp/.test(message),
  'columns of the tables before it, where a NULL has made the call a constant': ({ code, message }) =>
    code === '42P01' && /is not in FROM/.test(message),
};

/** The years between a timestamp and the smallest or largest 64-bit number of microseconds. */
const OVERFLOW = /^-?29\d{4} years\b/;

const withoutOverflow = (row: Row): Row =>
  row.map((value) => (value !== null && OVERFLOW.test(value) ? null : value));

const codeOf = (answer: Answer): string => (isFailure(answer) ? answer.code : '');

/** Only one expression, so only one error is possible. */
const isSingle = (sql: string): boolean => / AS c FROM [vw] ORDER BY id$/.test(sql);

const programs = postgresPrograms();

describe.skipIf(programs === undefined)(
  'random queries answer as PostgreSQL does (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    beforeAll(async () => {
      sides = await startSides(programs!);
      for (const client of [sides.ours, sides.theirs]) {
        await client.query("SET timezone = 'UTC'");
        for (const statement of postgresTables(SEED)) await client.query(statement);
      }
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it(
      `${QUERIES} random queries of seed ${SEED}`,
      async () => {
        const different: string[] = [];
        const counts: Record<string, number> = {};
        for (let i = 0; i < QUERIES; i += 1) {
          const query = randomPostgresQuery(`${SEED}:${i}`);
          const ours = await answerOf(sides.ours, query);
          const theirs = await answerOf(sides.theirs, query);
          const outcome = outcomeOf({ sql: query.sql, ours, theirs });
          counts[outcome] = (counts[outcome] ?? 0) + 1;
          if (!outcome.startsWith('different')) continue;
          different.push(
            `${SEED}:${i} ${outcome}\n${query.sql}\n${JSON.stringify(query.parameters)}\n${differenceOf(ours, theirs)}`,
          );
          process.stdout.write(`${different.at(-1)}\n`);
        }
        process.stdout.write(`${JSON.stringify(counts, undefined, 2)}\n`);
        expect(different).toEqual([]);
        expect(counts['the same rows']).toBeGreaterThan(QUERIES / 2);
      },
      60_000 + QUERIES * SECONDS_PER_QUERY * 1000,
    );
  },
);

function outcomeOf(compared: Compared): string {
  const { ours, theirs } = compared;
  const different = differenceIn(ours, theirs);
  if (different === undefined) return isFailure(ours) ? 'the same error' : 'the same rows';
  const meant = Object.entries(MEANT).find(([, matches]) => matches(compared));
  if (meant !== undefined) return meant[0];
  const refused = isFailure(ours) && Object.entries(REFUSED).find(([, matches]) => matches(ours));
  return refused ? `refused: ${refused[0]}` : `different: ${different}`;
}

function differenceIn(ours: Answer, theirs: Answer): string | undefined {
  if (isFailure(ours)) {
    if (!isFailure(theirs)) return 'only the engine fails';
    return ours.code === theirs.code ? undefined : 'SQLSTATE';
  }
  if (isFailure(theirs)) return 'only PostgreSQL fails';
  const shown = shownRows(ours, theirs);
  if (shown.join('\n') !== shownRows(theirs, ours).join('\n')) return 'rows';
  return typesOf(ours).join() === typesOf(theirs).join() ? undefined : 'types';
}

const sameType = (ours: Rows, theirs: Rows, i: number): boolean => typesOf(ours)[i] === typesOf(theirs)[i];

const isAlwaysNull = ({ rows }: Rows, i: number): boolean => rows.every((row) => row[i] === null);

const typesOf = ({ types }: Rows): readonly string[] => types.map((type) => SAME_TYPES[type] ?? String(type));

/** The rows as texts, sorted unless the query orders them. A number is rounded if one of the sides has a fraction. */
function shownRows({ types, rows, ordered }: Rows, other: Rows): readonly string[] {
  const isFraction = types.map((type, i) => FRACTIONS.has(type) || FRACTIONS.has(other.types[i] ?? type));
  const texts = rows.map((row) =>
    JSON.stringify(row.map((value, i) => (isFraction[i] ? rounded(value) : value))),
  );
  return ordered ? texts : texts.sort();
}

function differenceOf(ours: Answer, theirs: Answer): string {
  const shown = (answer: Answer, other: Answer) => {
    if (isFailure(answer)) return `${answer.code} ${answer.message}`;
    if (isFailure(other)) return `${answer.rows.length} rows`;
    const [rows, others] = [shownRows(answer, other), shownRows(other, answer)];
    const at = rows.findIndex((row, i) => row !== others[i]);
    return `${typesOf(answer).join()}; ${rows.length} rows; row ${at}: ${rows.at(at)}`;
  };
  return [`ours: ${shown(ours, theirs)}`, `theirs: ${shown(theirs, ours)}`]
    .map((line) => line.slice(0, MAX_ANSWER_LENGTH))
    .join('\n');
}

async function answerOf(client: pg.Client, { sql, parameters, ordered }: NullQuery): Promise<Answer> {
  try {
    const { rows, fields } = await client.query<(string | null)[]>({
      text: sql,
      values: [...parameters],
      rowMode: 'array',
    });
    return { types: fields.map(({ dataTypeID }) => dataTypeID), rows, ordered };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return { code: `${error.code}`, message: error.message };
  }
}

const DIGITS = 10;
/** A sum of rounded numbers may be this far from zero. */
const NOTHING = 1e-12;

function rounded(value: string | null): string | null {
  if (value === null || !/\d/.test(value)) return value;
  const number = Number(Number(value).toPrecision(DIGITS));
  return String(Math.abs(number) < NOTHING ? 0 : number);
}
