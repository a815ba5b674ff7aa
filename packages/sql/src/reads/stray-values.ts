import { type KernelColumn, type KernelSession, quoteName } from '@tessera/kernel';

/** Tells the client of the statement something that is no error. */
export type Warn = (message: string, resolution: string) => void;

export interface InferredScan {
  /** The files as SQL of the kernel, with every column as text. */
  readonly scan: string;
  /** As inference told them. */
  readonly columns: readonly KernelColumn[];
  readonly url: string;
  readonly session: KernelSession;
  readonly warn: Warn;
}

/** As many rows as the kernel looks at to tell types. */
const SAMPLE_ROWS = 20_480;
const MAX_COLUMNS = 100;

/** Types that a column of text may have been meant as: the dialect's names, and whether a value is one, as SQL. */
const CANDIDATES: readonly (readonly [string, (value: string) => string])[] = [
  // A fraction casts to an integer.
  [
    'bigint',
    (value) => `regexp_full_match(${value}, ' *[+-]?[0-9]+ *') AND TRY_CAST(${value} AS BIGINT) IS NOT NULL`,
  ],
  ['double precision', (value) => `TRY_CAST(${value} AS DOUBLE) IS NOT NULL`],
  ['boolean', (value) => `lower(${value}) IN ('true', 'false')`],
  ['date', (value) => `TRY_CAST(${value} AS DATE) IS NOT NULL`],
  ['timestamp', (value) => `TRY_CAST(${value} AS TIMESTAMP) IS NOT NULL`],
];

interface Found {
  readonly values: number;
  /** For each candidate: how many values are of the type, the first that is not, and its row from 1. */
  readonly candidates: readonly { readonly fitting: number; readonly stray: string; readonly row: number }[];
}

/**
 * Warns of columns that inference made text because of a few values: when more than half of the values looked at are of
 * another type, and not all.
 */
export async function warnOfStrayValues(inferred: InferredScan): Promise<void> {
  const { scan, url, session, warn } = inferred;
  const texts = inferred.columns.filter(({ type }) => type.id === 'VARCHAR').slice(0, MAX_COLUMNS);
  if (texts.length === 0) return;
  const columns = texts.map(({ name }) => foundIn(quoteName(name)));
  const answer = await session.scalar(
    `SELECT to_json([${columns.join(', ')}])::VARCHAR FROM (SELECT *, row_number() OVER () AS "$row" FROM ${scan} LIMIT ${SAMPLE_ROWS})`,
  );
  const found = JSON.parse(String(answer)) as readonly Found[];
  for (const [i, { values, candidates }] of found.entries()) {
    const best = Math.max(...candidates.map(({ fitting }) => fitting));
    const at = candidates.findIndex(({ fitting }) => fitting === best);
    if (best * 2 <= values || best === values) continue;
    const { stray, row } = candidates[at]!;
    warn(
      `READ_CSV of ${url}: column "${texts[i]!.name}" is inferred as text because of ${JSON.stringify(stray)} in row ${row}; ${best} of the ${values} values looked at are of type ${CANDIDATES[at]![0]}`,
      'Correct the file, name the text in NULL_STRING, or cast the column.',
    );
  }
}

function foundIn(column: string): string {
  const candidates = CANDIDATES.map(([, fits]) => {
    const stray = `${column} IS NOT NULL AND NOT coalesce(${fits(column)}, false)`;
    return `{'fitting': count(*) FILTER (${fits(column)}), 'stray': arg_min(${column}, "$row") FILTER (${stray}), 'row': min("$row") FILTER (${stray})}`;
  });
  return `{'values': count(${column}), 'candidates': [${candidates.join(', ')}]}`;
}
