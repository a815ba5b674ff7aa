import { requireTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { fail, TesseraError } from '@tessera/common';
import { type KernelSession, literalPath, quoteName, quoteText } from '@tessera/kernel';
import { type CopyFromStatement, constraintViolation, requireValidNames, WHOLE_JSON } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { storeRows } from '../changes/store-rows.ts';
import { sessionOptions } from '../objects/session-options.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import { plus } from '../queries/scan-totals.ts';
import { explainFailure } from '../read/query-failure.ts';
import { scannedFiles } from '../read/scanned-files.ts';
import { copiedColumns, FILE_COLUMN, storedValue } from './copy-columns.ts';
import { type CopyFiles, copyFiles } from './copy-files.ts';
import { copyParts, withoutBlankRows } from './copy-parts.ts';
import { csvArguments, isOn, padsShortLines } from './text-options.ts';
import { toleratedRows } from './tolerated-rows.ts';

/** `COPY t FROM …`: stores all rows of the files, or with MAX_ERRORS_PER_FILE all readable ones. */
export async function copyFrom(
  asked: ChangeContext,
  snapshot: Snapshot,
  statement: CopyFromStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, asked.database);
  const { kernel, query, request } = asked.run;
  return retryInQuarantine(query, async (quarantine) => {
    const { signal } = query;
    const session = await kernel.session({ ...sessionOptions(request.settings), quarantine, signal });
    const sequences = asked.run.binder.sequences(asked.run, session, snapshot);
    const context = { ...asked, sequences };
    let source: CopyFiles | undefined;
    try {
      source = await copyFiles(context, snapshot, session, statement);
      return await copyRows(context, snapshot, session, table, statement, source);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const files = source?.files ?? [];
      throw explainFailure(constraintViolation(error) ?? error, { files, isLastAttempt: quarantine });
    } finally {
      source?.reads.release();
      await sequences?.end();
      await session.close();
    }
  });
}

async function copyRows(
  context: ChangeContext,
  snapshot: Snapshot,
  session: KernelSession,
  table: TableObject,
  statement: CopyFromStatement,
  source: CopyFiles,
): Promise<Change> {
  const { options } = statement;
  const { scan, columns: described } = await describedScan(session, source, statement);
  const columns = described.filter(({ name }) => name !== FILE_COLUMN);
  const names = columns.map(({ name }) => name);
  const copied = await copiedColumns(context, session, table, statement, source, names);
  const inParts = await copyParts(context, { session, snapshot, table, statement, source, columns, copied });
  if (inParts !== undefined) return inParts;
  await source.reads.readAlone();
  const from = scan.isTolerant
    ? await toleratedRows(context, session, { scan: scan.sql, names, copied, statement, files: source.files })
    : scan.sql;
  const rows = isOn(options.skip_blank_lines, false) ? withoutBlankRows(from, names) : from;
  const items = copied.map((column) => storedValue(column, table));
  const sql = `SELECT ${items.join(', ')} FROM ${rows} AS source ${limitOf(options)}`;
  const { signal } = context.run.query;
  const stored = await storeRows(context, { session, table, sql, signal });
  await countFiles(context, session, source, stored.rows);
  return { actions: stored.actions, affectedRows: stored.rows };
}

/** Counts what was read; rows of text files are counted by the rows that were stored. */
async function countFiles(
  { run }: ChangeContext,
  session: KernelSession,
  { files }: CopyFiles,
  storedRows: number,
): Promise<void> {
  const { activity } = run.query;
  const read = await scannedFiles(session, files, undefined);
  activity.scanned = plus(activity.scanned, { ...read, rows: Math.max(read.rows, storedRows) });
}

/**
 * Describes the scan. The kernel reads files with short lines with one thread only, so that is the second
 * choice.
 */
async function describedScan(session: KernelSession, source: CopyFiles, statement: CopyFromStatement) {
  const describe = async (lenient: readonly string[]) => {
    const scan = scanOf(source, statement, lenient);
    await requireValidNames(session, scan.sql, source.files[0]?.label ?? 'no file');
    return { scan, ...(await session.describe(`SELECT * FROM ${scan.sql}`)) };
  };
  try {
    return await describe([]);
  } catch (error) {
    if (!(error instanceof TesseraError) || !/sniffing file/.test(error.message)) throw error;
    await source.reads.readAlone();
    if (!padsShortLines(statement.options)) {
      const reason =
        'its lines have different numbers of fields, a quote is not closed, or text follows a closing quote';
      const resolution =
        'Give DELIMITER, QUOTE and ESCAPE as the files have them; ALLOW_COLUMN_MISMATCH = TRUE fills short lines with NULL.';
      const name = source.files.map(({ label }) => label).join(', ');
      throw TesseraError.of('BAD_FILE', { name, reason }, { cause: error, resolution });
    }
    return describe(['null_padding = true', 'parallel = false']);
  }
}

interface SourceScan {
  /** A relation of the kernel: the columns of the files, and `FILE_COLUMN`. */
  readonly sql: string;
  /** Whether malformed lines are recorded instead of failing it. */
  readonly isTolerant: boolean;
}

function scanOf(
  { format, files, relation }: CopyFiles,
  { options }: CopyFromStatement,
  lenient: readonly string[],
): SourceScan {
  const paths = `[${files.map(({ path }) => quoteText(literalPath(path))).join(', ')}]`;
  // Otherwise the kernel takes values from the names of folders such as `k=7` rather than from the files.
  const common = `filename = ${quoteText(FILE_COLUMN)}, hive_partitioning = false`;
  const tolerant = options.max_errors_per_file !== undefined || options.error_file !== undefined;
  const relationOf = (sql: string): SourceScan => ({ sql, isTolerant: false });
  switch (format) {
    case 'CSV':
    case 'TSV': {
      const rejects = tolerant ? ['store_rejects = true', 'rejects_limit = 0', 'ignore_errors = true'] : [];
      const args = [paths, ...csvArguments({ format }, options), common, ...rejects, ...lenient];
      return { sql: `read_csv(${args.join(', ')})`, isTolerant: tolerant };
    }
    case 'PARQUET':
      return relationOf(`read_parquet(${paths}, ${common}, union_by_name = true)`);
    case 'JSON':
      return relationOf(`read_json_auto(${paths}, ${common}, union_by_name = true, ${WHOLE_JSON})`);
    case 'AVRO': {
      const file = files.length === 1 ? quoteText(files[0]!.path) : 'NULL';
      return relationOf(`(SELECT *, ${file} AS ${quoteName(FILE_COLUMN)} FROM ${quoteName(relation!)})`);
    }
  }
}

function limitOf(options: CopyFromStatement['options']): string {
  return (['limit', 'offset'] as const)
    .map((name) => {
      const text = options[name];
      if (text === undefined) return '';
      if (!/^\d{1,15}$/.test(text)) {
        fail('INVALID_ARGUMENT', { message: `${name.toUpperCase()} takes an integer, not ${text}` });
      }
      return `${name.toUpperCase()} ${text}`;
    })
    .join(' ');
}
