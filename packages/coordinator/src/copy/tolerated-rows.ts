import { join } from 'node:path';
import { fail, type QueryId } from '@tessera/common';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import type { CopyFromStatement } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { type CopiedColumn, cellProblem, FILE_COLUMN } from './copy-columns.ts';
import type { CopyFile } from './copy-files.ts';

export interface TolerantCopy {
  /** The kernel's scan, which records malformed lines. */
  readonly scan: string;
  readonly names: readonly string[];
  readonly copied: readonly CopiedColumn[];
  readonly statement: CopyFromStatement;
  readonly files: readonly CopyFile[];
}

/** The temp table of problems with rows or malformed lines. */
const PROBLEMS = 'copy_problems';
const ROWS = 'copy_rows';

/**
 * Reads the files once and separates rows that cannot be stored. Returns the relation of the other rows.
 * @throws TesseraError BAD_FILE if a file has more problems than MAX_ERRORS_PER_FILE
 */
export async function toleratedRows(
  context: ChangeContext,
  session: KernelSession,
  { scan, names, copied, statement, files }: TolerantCopy,
): Promise<string> {
  const problems = copied.map(cellProblem);
  const line = names.map((name) => `coalesce(${quoteName(name)}, '')`).join(` || ',' || `);
  await session.execute(
    `CREATE TEMP TABLE ${ROWS} AS SELECT *, coalesce(${problems.join(', ')}, NULL) AS "$problem" FROM ${scan}`,
  );
  await session.execute(`CREATE TEMP TABLE ${PROBLEMS} AS
    SELECT ${quoteName(FILE_COLUMN)} AS file, NULL::BIGINT AS line_number, "$problem" AS error, ${line} AS line
    FROM ${ROWS} WHERE "$problem" IS NOT NULL
    UNION ALL
    SELECT DISTINCT ON (s.file_path, e.line) s.file_path, e.line::BIGINT, e.error_message, e.csv_line
    FROM reject_errors AS e JOIN reject_scans AS s ON e.scan_id = s.scan_id AND e.file_id = s.file_id`);
  await checkLimits(session, statement, files);
  if (statement.options.error_file !== undefined) await writeErrorFile(context, session, statement, files);
  return `(SELECT * FROM ${ROWS} WHERE "$problem" IS NULL)`;
}

async function checkLimits(
  session: KernelSession,
  { options }: CopyFromStatement,
  files: readonly CopyFile[],
): Promise<void> {
  const limit = errorLimit(options.max_errors_per_file ?? '0');
  for (const { path, label } of files) {
    const count = async (sql: string) => Number(await session.scalar(`SELECT count(*) FROM ${sql}`, [path]));
    const errors = await count(`${PROBLEMS} WHERE file = $1::VARCHAR`);
    if (errors === 0) continue;
    const lines =
      (await count(`${ROWS} WHERE ${quoteName(FILE_COLUMN)} = $1::VARCHAR`)) +
      (await count(`${PROBLEMS} WHERE file = $1::VARCHAR AND line_number IS NOT NULL`));
    const allowed = limit.kind === 'rows' ? limit.count : (limit.percent / 100) * lines;
    if (errors <= allowed) continue;
    const first = await session.scalar(`SELECT error FROM ${PROBLEMS} WHERE file = $1::VARCHAR LIMIT 1`, [
      path,
    ]);
    const reason = `${errors} rows cannot be stored, but MAX_ERRORS_PER_FILE allows ${options.max_errors_per_file ?? '0'}; the first: ${first}`;
    fail('BAD_FILE', { name: label, reason });
  }
}

type ErrorLimit =
  | { readonly kind: 'rows'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

function errorLimit(text: string): ErrorLimit {
  const match = /^(\d{1,15})\s*(%?)$/.exec(text.trim());
  if (match === null || (match[2] === '%' && Number(match[1]) > 100)) {
    const message = `MAX_ERRORS_PER_FILE takes a number of rows or a percentage from 0% to 100%, not ${text}`;
    return fail('INVALID_ARGUMENT', { message });
  }
  return match[2] === '%'
    ? { kind: 'percent', percent: Number(match[1]) }
    : { kind: 'rows', count: Number(match[1]) };
}

/** Writes a CSV file with the skipped rows and the reasons, at the URL of ERROR_FILE. */
async function writeErrorFile(
  { run }: ChangeContext,
  session: KernelSession,
  { options }: CopyFromStatement,
  files: readonly CopyFile[],
): Promise<void> {
  const labels = files.map(({ path, label }) => `WHEN ${quoteText(path)} THEN ${quoteText(label)}`);
  const path = join(await run.request.directory.open(), 'copy-errors.csv');
  await session.execute(
    `COPY (SELECT CASE file ${labels.join(' ')} END AS file_name, line_number, error AS error_message, line
      FROM ${PROBLEMS} ORDER BY ALL) TO ${quoteText(path)} (FORMAT csv, HEADER true)`,
  );
  await run.external.write(errorFileUrl(options.error_file!, run.query.queryId), path, {
    signal: run.query.signal,
  });
}

/**
 * The URL of the error file; a URL that ends in `/` is a directory, in which every statement has its own
 * file.
 */
const errorFileUrl = (url: string, queryId: QueryId): string =>
  url.endsWith('/') ? `${url}${queryId}-errors.csv` : url;
