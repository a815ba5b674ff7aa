import { type BindingSession, quoteName } from '@tessera/kernel';

/** Sends the client of the statement a warning. */
export type Warn = (message: string, resolution: string) => void;

export interface InferredScan {
  /** The files as SQL of the kernel. */
  readonly scan: string;
  /** The columns that inference made text. */
  readonly texts: readonly string[];
  readonly url: string;
  readonly session: BindingSession;
  readonly warn: Warn;
}

/** The number of rows of a CSV file from which the kernel infers its dialect and its types. */
export const INFERRED_ROWS = 20_480;
const MAX_COLUMNS = 100;

/**
 * SQL that computes `fits` only for values that may be numbers, dates or timestamps, because casts that fail take long and most
 * texts begin with a letter: such values begin with a digit, a sign, a point or white space, which are all before the colon, or
 * as `infinity`, `nan` and `epoch` do.
 */
const unlessWord = (value: string, fits: string): string =>
  `CASE WHEN ${value} < ':' OR contains('iInNeE', left(${value}, 1)) THEN ${fits} END`;

/**
 * Types that a text column may have been intended for: the dialect's name, and SQL that tests whether a value
 * has the type.
 */
const CANDIDATES: readonly (readonly [string, (value: string) => string])[] = [
  // Fractions must be excluded, because they can be cast to an integer.
  [
    'bigint',
    (value) =>
      unlessWord(
        value,
        `regexp_full_match(${value}, ' *[+-]?[0-9]+ *') AND TRY_CAST(${value} AS BIGINT) IS NOT NULL`,
      ),
  ],
  ['double precision', (value) => unlessWord(value, `TRY_CAST(${value} AS DOUBLE) IS NOT NULL`)],
  ['boolean', (value) => `lower(${value}) IN ('true', 'false')`],
  ['date', (value) => unlessWord(value, `TRY_CAST(${value} AS DATE) IS NOT NULL`)],
  ['timestamp', (value) => unlessWord(value, `TRY_CAST(${value} AS TIMESTAMP) IS NOT NULL`)],
];

/**
 * Warns of columns that inference made text because of a few values: when more than half of the values looked at are of
 * another type, and not all.
 *
 * The values are counted first, and looked for only in the columns to warn of: aggregates that find values make the kernel
 * reserve some megabytes each.
 */
export async function warnOfStrayValues(inferred: InferredScan): Promise<void> {
  const { url, warn } = inferred;
  const texts = inferred.texts.slice(0, MAX_COLUMNS);
  const counts = await countValues(inferred, texts);
  for (const [i, name] of texts.entries()) {
    const [values, ...fitting] = counts[i]!;
    const best = Math.max(...fitting);
    if (best * 2 <= values! || best === values) continue;
    const [type, fits] = CANDIDATES[fitting.indexOf(best)]!;
    const { stray, row } = await firstStray(inferred, quoteName(name), fits);
    warn(
      `READ_CSV of ${url}: column "${name}" is inferred as text because of ${JSON.stringify(stray)} in row ${row}; ${best} of the ${values} values looked at are of type ${type}`,
      'Correct the file, name the text in NULL_STRING, or cast the column.',
    );
  }
}

/** Returns for each column the number of its values, and how many of them are of each candidate type. */
async function countValues(
  { scan, session }: InferredScan,
  texts: readonly string[],
): Promise<readonly (readonly number[])[]> {
  if (texts.length === 0) return [];
  const counts = texts.map((name) => {
    const column = quoteName(name);
    const fitting = CANDIDATES.map(([, fits]) => `count_if(${fits(column)})`);
    return `[${[`count(${column})`, ...fitting].join(', ')}]`;
  });
  const sql = `SELECT to_json([${counts.join(', ')}])::VARCHAR FROM (SELECT * FROM ${scan} LIMIT ${INFERRED_ROWS})`;
  return JSON.parse(String(await session.scalar(sql)));
}

/** Returns the first value of the column that is not of the type, and its row, counted from 1. */
async function firstStray(
  { scan, session }: InferredScan,
  column: string,
  fits: (value: string) => string,
): Promise<{ readonly stray: string; readonly row: number }> {
  const rows = `SELECT ${column} AS stray, row_number() OVER () AS row FROM ${scan} LIMIT ${INFERRED_ROWS}`;
  const isStray = `stray IS NOT NULL AND NOT coalesce(${fits('stray')}, false)`;
  const sql = `SELECT to_json(first)::VARCHAR FROM (FROM (${rows}) WHERE ${isStray} ORDER BY row LIMIT 1) AS first`;
  return JSON.parse(String(await session.scalar(sql)));
}
